//go:build !js || watches

package cluster

import (
	"cmp"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// readDeletion decodes a DeleteOptions object, of meta.k8s.io/v1 or any other group.
func (p *pipeline) readDeletion(r *Request) (Deletion, []string, *Status) {
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
		return d, nil, r.notDeletion("the body is not a DeleteOptions object: "+err.Error(), err)
	}
	v := doc.Root
	if v.Kind() != document.Object && !v.IsNull() {
		return d, nil, r.notDeletion("the body must be a DeleteOptions object, got "+article(v.Kind()), nil)
	}
	for _, key := range [...]string{"apiVersion", "kind"} {
		if m := v.Get(key); m.Kind() > document.Null && m.Kind() != document.String {
			return d, nil, r.notDeletion("the body is not a DeleteOptions object: "+key+" must be a string, got "+m.String(), nil)
		}
	}
	version := v.Get("apiVersion").StringOr("")
	if strings.Count(version, "/") > 1 {
		return d, nil, badRequest("unexpected GroupVersion string: " + version)
	}
	if group, ok := strings.CutSuffix(version, "/"); ok && group != "" && group != "meta.k8s.io" {
		return d, nil, badRequest(missingVersion(r.Body))
	}
	if kind := v.Get("kind").StringOr(""); kind != "" && kind != "DeleteOptions" {
		if kind == "Status" {
			return d, nil, badRequest("converting (v1.Status) to (v1.DeleteOptions): unknown conversion")
		}
		return d, nil, badRequest(Unregistered(kind, cmp.Or(version, "meta.k8s.io/v1")))
	}
	if p.deleteOptions != nil {
		decoded, _, err := defaults.Decode(p.deleteOptions, v, defaults.FromJSON)
		if err != nil {
			st := badRequest(err.Error())
			st.Err = err
			return d, nil, st
		}
		v = decoded
	}
	if n, ok := v.Get("gracePeriodSeconds").Int(); ok {
		d.GracePeriodSeconds = &n
	}
	if b, ok := v.Get("orphanDependents").Bool(); ok {
		d.OrphanDependents = &b
	}
	conditions := v.Get("preconditions")
	d.PropagationPolicy, d.UID, d.ResourceVersion = textOption(v, "propagationPolicy"), textOption(conditions, "uid"), textOption(conditions, "resourceVersion")
	return d, v.Get("dryRun").Strings(), nil
}

// notDeletion returns the error for a body that is not a DeleteOptions object.
func (r *Request) notDeletion(message string, err error) *Status {
	e := &BodyError{Body: r.Body, Format: r.Format, Message: message, Err: err}
	if r.Document != nil {
		e.Body, e.Format = r.Document.Root.JSON(), JSON
	}
	return syntaxStatus("", e)
}

// textOption returns a string in an object; nil if it is not given.
func textOption(v document.Value, key string) *string {
	text, ok := v.Get(key).Text()
	if !ok {
		return nil
	}
	return &text
}
