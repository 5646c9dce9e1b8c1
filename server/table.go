package server

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server/internal/table"
)

// inForm gives an object or a list in the form that the client asked for.
func (s *Server) inForm(form answerForm, t target, v document.Value, include string) (document.Value, error) {
	if form.as == formObject || v.Get("kind").StringOr("") == "Status" {
		return v, nil
	}
	list := isList(v)
	switch {
	case form.as == formTable:
		switch include {
		case "", "None", "Metadata", "Object":
			return s.table(form, t, v, include), nil
		}
		return v, badRequest("Unable to convert to Table as requested: includeObject: Invalid value: \"" + include +
			"\": must be 'Metadata', 'Object', 'None', or empty")
	case form.as == formMetadata && list:
		return v, notInForm(form, "a list", v)
	case form.as == formList && !list:
		return v, notInForm(form, "not a list", v)
	case list:
		return metadataList(form, v), nil
	}
	return metadataOf(form, v), nil
}

func notInForm(form answerForm, what string, v document.Value) error {
	status := notAcceptable("")
	status.Message = "you requested " + form.as + ", but the requested object is " + what + " (" + v.Get("kind").StringOr("") + ")"
	return status
}

// isList reports whether a value is a list of objects rather than an object.
func isList(v document.Value) bool {
	return strings.HasSuffix(v.Get("kind").StringOr(""), "List") && v.Get("items").Kind() == document.List
}

// metadataOf is an object's metadata in a form of their own.
func metadataOf(form answerForm, v document.Value) document.Value {
	return object("kind", text(formMetadata), "apiVersion", text(form.apiVersion()), "metadata", v.Get("metadata"))
}

func metadataList(form answerForm, v document.Value) document.Value {
	var items document.ListBuilder
	items.Grow(v.Get("items").Len())
	for _, item := range v.Get("items").Items() {
		items.Append(metadataOf(form, item))
	}
	return object("kind", text(formList), "apiVersion", text(form.apiVersion()), "metadata", listMeta(v), "items", items.List())
}

// listMeta is the metadata of a list in these forms, where an empty token is
// left out; of an object only the version counts.
func listMeta(v document.Value) document.Value {
	meta := v.Get("metadata")
	out := object("resourceVersion", meta.Get("resourceVersion"), "remainingItemCount", meta.Get("remainingItemCount"))
	if token := meta.Get("continue"); token.StringOr("") != "" {
		out = out.With("continue", token)
	}
	return out
}

// table gives an object or a list as a table (meta.k8s.io Table). Each row
// holds the object's metadata, unless include says otherwise.
func (s *Server) table(form answerForm, t target, v document.Value, include string) document.Value {
	columns := table.Of(t.tableKind(s.cluster.Kinds()))
	var definitions, rows document.ListBuilder
	for _, c := range columns {
		definitions.Append(object(
			"name", text(c.Name), "type", text(c.Type), "format", text(c.Format),
			"description", text(c.Description), "priority", document.NewInt(int64(c.Priority)),
		))
	}
	now := s.options.Now()
	row := func(o document.Value) {
		var cells document.ListBuilder
		cells.Grow(len(columns))
		for _, c := range columns {
			cells.Append(c.Cell(table.Object{Value: o, Now: now}))
		}
		shown := metadataOf(form, o)
		switch include {
		case "None":
			shown = document.NewNull()
		case "Object":
			shown = o
			if !o.Get("kind").Exists() { // items of built-in lists do not say it
				shown = o.With("kind", text(t.kind.Kind)).With("apiVersion", text(t.kind.APIVersion()))
			}
		}
		rows.Append(object("cells", cells.List(), "object", shown))
	}
	meta := listMeta(v)
	if isList(v) {
		for _, item := range v.Get("items").Items() {
			row(item)
		}
	} else {
		row(v)
	}
	return object("kind", text(formTable), "apiVersion", text(form.apiVersion()), "metadata", meta,
		"columnDefinitions", definitions.List(), "rows", rows.List())
}

// tableKind is the kind whose columns an answer has: a subresource may answer
// with another.
func (t target) tableKind(registry *schema.Registry) *schema.Kind {
	if sub, ok := t.kind.Subresource(t.subresource); ok && sub.Kind != t.kind.GroupVersionKind {
		if k, ok := registry.Kind(sub.Kind); ok {
			return k
		}
	}
	return t.kind
}
