package cluster

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
)

// readDeletion reads a DeleteOptions object, of meta.k8s.io/v1 or any group.
func readDeletion(r *Request) (Deletion, []string, *Status) {
	var d Deletion
	if r.Format == UnknownFormat {
		return d, nil, unsupportedMedia(objectTypes())
	}
	var doc *document.Document
	var err error
	o := document.Options{Duplicates: document.DuplicatesMerged}
	if r.Format == YAML {
		doc, err = document.ParseYAML(r.Body, o)
	} else {
		doc, err = document.Parse(r.Body, o)
	}
	if err != nil {
		return d, nil, syntaxStatus("the body is no DeleteOptions", err)
	}
	v := doc.Root
	if v.Kind() != document.Object && !v.IsNull() {
		return d, nil, badRequest("the body is no DeleteOptions but " + article(v.Kind()))
	}
	for _, key := range [...]string{"apiVersion", "kind"} {
		if m := v.Get(key); m.Kind() > document.Null && m.Kind() != document.String {
			return d, nil, badRequest("the body is no DeleteOptions: " + key + " must be a string, found " + m.String())
		}
	}
	if kind := v.Get("kind").StringOr(""); kind != "" && kind != "DeleteOptions" {
		return d, nil, badRequest("the body must be DeleteOptions, it is of kind " + strconv.Quote(kind))
	}
	reader := optionReader{}
	d.GracePeriodSeconds = reader.int(v, "gracePeriodSeconds")
	d.OrphanDependents = reader.bool(v, "orphanDependents")
	d.PropagationPolicy = reader.text(v, "propagationPolicy")
	conditions := v.Get("preconditions")
	d.UID = reader.text(conditions, "uid")
	d.ResourceVersion = reader.text(conditions, "resourceVersion")
	var dryRun []string
	switch list := v.Get("dryRun"); list.Kind() {
	case document.List:
		for _, item := range list.Items() {
			dryRun = append(dryRun, item.StringOr(item.String()))
		}
	case document.Absent, document.Null:
	default:
		reader.wrong("dryRun", list, "a list")
	}
	return d, dryRun, reader.st
}

// optionReader reads members of options; what has the wrong type is refused.
type optionReader struct{ st *Status }

func (o *optionReader) wrong(key string, v document.Value, want string) {
	if o.st == nil {
		o.st = badRequest("DeleteOptions." + key + " must be " + want + ", it is " + v.String())
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
