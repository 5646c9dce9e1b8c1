package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/server/internal/table"
)

// checkForm returns an error if the objects of a target, or their list, cannot be converted to
// the requested form.
func checkForm(form answerForm, t target, list bool, include string) error {
	switch {
	case form.as == formTable:
		switch include {
		case "", "None", "Metadata", "Object":
			return nil
		}
		return badRequest("Unable to convert to Table as requested: includeObject: Invalid value: \"" + include +
			"\": must be 'Metadata', 'Object', 'None', or empty")
	case form.as == formMetadata && list:
		return notInForm(form, "a list ("+t.goType(true)+")")
	case form.as == formList && !list && !t.kind.Builtin && t.subresource != "scale":
		return errNoList
	case form.as == formList && !list:
		return notInForm(form, "not a list ("+t.goType(false)+")")
	}
	return nil
}

// inForm converts an object to the form that the client requested. A Status has no other form, but the options for a
// table are checked for it, too.
func (s *Server) inForm(form answerForm, t target, v document.Value, include string) (document.Value, error) {
	isStatus := v.Get("kind").StringOr("") == "Status"
	if form.as == formObject || isStatus && form.as != formTable {
		return v, nil
	}
	if err := checkForm(form, t, false, include); err != nil || isStatus {
		return v, err
	}
	if form.as == formTable {
		return s.tableOf(form, t, v, include), nil
	}
	return metadataOf(form, t.kind, v), nil
}

// errNoList is the error for a single custom resource in the form of a list. kube-apiserver takes
// the unstructured object for a list and finds no items in it.
var errNoList = &cluster.Status{Code: http.StatusInternalServerError, Message: "content is not a list"}

// notInForm returns the error for a form that an object, or a list, does not have.
func notInForm(form answerForm, what string) error {
	status := notAcceptable("")
	status.Message = "you requested " + form.as + ", but the requested object is " + what
	return status
}

// goType returns the Go type of the objects of a target, or of their list, in kube-apiserver's
// internal version, which its messages name.
func (t target) goType(list bool) string {
	kind := t.kind.GroupVersionKind
	if sub, ok := t.kind.Subresource(t.subresource); ok {
		kind = sub.Kind
	}
	switch {
	case list && !t.kind.Builtin:
		return "*unstructured.UnstructuredList"
	case list:
		kind.Kind = t.kind.ListKind
	}
	name, _, _ := strings.Cut(kind.Group, ".")
	if name == "" || name == "events" {
		name = "core"
	}
	return "*" + name + "." + kind.Kind
}

// isList reports whether a value is a list of objects.
func isList(v document.Value) bool {
	return strings.HasSuffix(v.Get("kind").StringOr(""), "List") && v.Get("items").Kind() == document.List
}

// metadataOf converts an object of a kind to PartialObjectMetadata.
func metadataOf(form answerForm, k *schema.Kind, v document.Value) document.Value {
	return object("kind", text(formMetadata), "apiVersion", text(form.apiVersion()), "metadata", defaults.InternalMetadata(k, v.Get("metadata")))
}

// listMeta returns the metadata of a table or a list of PartialObjectMetadata. An empty
// continue token is left out; from an object only the resourceVersion is kept.
func listMeta(meta document.Value) document.Value {
	out := object("resourceVersion", meta.Get("resourceVersion"), "remainingItemCount", meta.Get("remainingItemCount"))
	if token := meta.Get("continue"); token.StringOr("") != "" {
		out = out.With("continue", token)
	}
	return out
}

// tabulator creates the rows of a table (meta.k8s.io Table). The object in each row is its
// metadata, or as the parameter includeObject selects.
type tabulator struct {
	form    answerForm
	kind    *schema.Kind
	include string
	columns []table.Column
	now     time.Time
}

func (s *Server) newTable(form answerForm, t target, include string) *tabulator {
	return &tabulator{form: form, kind: t.kind, include: include, columns: table.Of(t.kind, t.subresource), now: s.options.Now()}
}

// definitions returns the column definitions.
func (t *tabulator) definitions() document.Value {
	var b document.ListBuilder
	for _, c := range t.columns {
		if c.Name == "" {
			continue
		}
		b.Append(object(
			"name", text(c.Name), "type", text(c.Type), "format", text(c.Format),
			"description", text(c.Description), "priority", document.NewInt(int64(c.Priority)),
		))
	}
	return b.List()
}

// longCells is the size in bytes above which the cells of a row together may not be longer
// than the object. A CRD may have many columns that show the same large field.
const longCells = 64 << 10

// row returns the row of an object. If its cells become longer than the object, the remaining
// ones are null.
func (t *tabulator) row(o document.Value) document.Value {
	var cells document.ListBuilder
	cells.Grow(len(t.columns))
	size, most := 0, longCells
	for _, c := range t.columns {
		cell := document.NewNull()
		if size <= most {
			cell = c.Cell(table.Object{Value: o, Now: t.now})
			size += len(cell.StringOr(""))
		}
		if size > most && most == longCells {
			most = max(longCells, len(o.JSON()))
		}
		if size > most {
			cell = document.NewNull()
		}
		cells.Append(cell)
	}
	shown := metadataOf(t.form, t.kind, o)
	switch t.include {
	case "None":
		// Without its metadata, a client could not recognize the end of the initial events.
		if o.Lookup("metadata", "annotations", "k8s.io/initial-events-end").StringOr("") != "true" {
			shown = document.NewNull()
		}
	case "Object":
		shown = o
		if !o.Get("kind").Exists() { // items of built-in lists have no kind
			shown = o.With("kind", text(t.kind.Kind)).With("apiVersion", text(t.kind.APIVersion()))
		}
	}
	return object("cells", cells.List(), "conditions", table.Conditions(t.kind, o), "object", shown)
}

// tableOf converts an object to a table with one row.
func (s *Server) tableOf(form answerForm, t target, v document.Value, include string) document.Value {
	table := s.newTable(form, t, include)
	return object("kind", text(formTable), "apiVersion", text(form.apiVersion()), "metadata", listMeta(v.Get("metadata")),
		"columnDefinitions", table.definitions(), "rows", document.NewList(table.row(v)))
}
