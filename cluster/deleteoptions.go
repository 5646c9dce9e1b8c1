package cluster

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// readDeletion decodes a DeleteOptions object, of meta.k8s.io/v1 or any other group.
func readDeletion(r *Request) (Deletion, []string, *Status) {
	var d Deletion
	if r.Format == UnknownFormat {
		return d, nil, unsupportedMedia(objectTypes())
	}
	doc := r.Document
	var err error
	o := document.Options{Duplicates: document.DuplicatesMerged}
	switch {
	case doc != nil:
	case r.Format == YAML:
		doc, err = document.ParseYAML(r.Body, o)
	default:
		doc, err = document.Parse(r.Body, o)
	}
	if err != nil {
		return d, nil, syntaxStatus("the body is not a DeleteOptions object", err)
	}
	v := doc.Root
	if v.Kind() != document.Object && !v.IsNull() {
		return d, nil, badRequest("the body must be a DeleteOptions object, got " + article(v.Kind()))
	}
	for _, key := range [...]string{"apiVersion", "kind"} {
		if m := v.Get(key); m.Kind() > document.Null && m.Kind() != document.String {
			return d, nil, badRequest("the body is not a DeleteOptions object: " + key + " must be a string, got " + m.String())
		}
	}
	if kind := v.Get("kind").StringOr(""); kind != "" && kind != "DeleteOptions" {
		return d, nil, badRequest("the body must be a DeleteOptions object, got kind " + strconv.Quote(kind))
	}
	if version := v.Get("apiVersion").StringOr(""); strings.Count(version, "/") > 1 {
		return d, nil, badRequest("unexpected GroupVersion string: " + version)
	}
	reader := optionReader{}
	d.GracePeriodSeconds = reader.int(v, "gracePeriodSeconds")
	d.OrphanDependents = reader.bool(v, "orphanDependents")
	d.PropagationPolicy = reader.text(v, "propagationPolicy")
	reader.bool(v, "ignoreStoreReadErrorWithClusterBreakingPotential") // no effect without its feature gate
	conditions := v.Get("preconditions")
	if reader.given(conditions) && conditions.Kind() != document.Object {
		reader.wrong("preconditions", conditions, "an object")
	}
	d.UID = reader.text(conditions, "uid")
	d.ResourceVersion = reader.text(conditions, "resourceVersion")
	dryRun := reader.texts(v, "dryRun")
	return d, dryRun, reader.st
}

// optionReader decodes the fields of DeleteOptions. st is the first error.
type optionReader struct{ st *Status }

func (o *optionReader) wrong(key string, v document.Value, want string) {
	if o.st == nil {
		o.st = badRequest("DeleteOptions." + key + " must be " + want + ", got " + v.String())
	}
}

func (o *optionReader) given(v document.Value) bool { return v.Exists() && !v.IsNull() }

func (o *optionReader) int(v document.Value, key string) *int64 {
	m := v.Get(key)
	n, ok := m.Int()
	if !ok {
		if o.given(m) {
			o.wrong(key, m, "an integer")
		}
		return nil
	}
	return &n
}

func (o *optionReader) bool(v document.Value, key string) *bool {
	m := v.Get(key)
	b, ok := m.Bool()
	if !ok {
		if o.given(m) {
			o.wrong(key, m, "true or false")
		}
		return nil
	}
	return &b
}

func (o *optionReader) text(v document.Value, key string) *string {
	m := v.Get(key)
	s, ok := m.Text()
	if !ok {
		if o.given(m) {
			o.wrong(key, m, "a string")
		}
		return nil
	}
	return &s
}

// texts decodes a list of strings. As in encoding/json, null in it is the empty string.
func (o *optionReader) texts(v document.Value, key string) []string {
	list := v.Get(key)
	if o.given(list) && list.Kind() != document.List {
		o.wrong(key, list, "a list")
		return nil
	}
	var out []string
	for i, item := range list.Items() {
		s, ok := item.Text()
		if !ok && !item.IsNull() {
			o.wrong(key+"["+strconv.Itoa(i)+"]", item, "a string")
		}
		out = append(out, s)
	}
	return out
}
