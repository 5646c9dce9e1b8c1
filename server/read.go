package server

import (
	"context"
	"net/http"
	"strconv"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/server/internal/table"
)

// read serves a get or a list.
func (s *Server) read(ctx context.Context, w *writer, r *http.Request, form answerForm, t target, request *cluster.Request) {
	reading, err := s.cluster.Read(ctx, request)
	if err != nil {
		s.fail(w, r, withinTime(ctx, err))
		return
	}
	switch {
	case reading.Object.Exists():
		s.answerStored(w, r, form, t, reading)
	case reading.Metadata.Exists():
		warn(w.Header(), reading.Warnings)
		s.writeList(w, r, form, t, http.StatusOK, storedList(form, reading))
	default:
		s.answer(w, r, form, t, &cluster.Response{Code: http.StatusOK, Object: reading.Value, Warnings: reading.Warnings})
	}
}

// answerStored answers with a stored object, from its cached encoding if the client accepts
// the object itself.
func (s *Server) answerStored(w *writer, r *http.Request, form answerForm, t target, reading *cluster.Reading) {
	o := reading.Object
	if form.protobuf && (form.as == formObject || form.as == formMetadata) {
		s.answerStoredMessage(w, r, form, reading)
		return
	}
	if form.as != formObject || form.yaml {
		s.answer(w, r, form, t, &cluster.Response{Code: http.StatusOK, Object: o.Value(), Warnings: reading.Warnings})
		return
	}
	warn(w.Header(), reading.Warnings)
	a := s.begin(w, r, form, http.StatusOK)
	a.value(0, o.AppendJSON)
	if !form.pretty {
		a.text("\n")
	}
	a.end()
}

// answerStoredMessage answers with a stored object, or its metadata, from its cached encoding
// in protobuf.
func (s *Server) answerStoredMessage(w *writer, r *http.Request, form answerForm, reading *cluster.Reading) {
	shown := reading.Object
	o, err := wireOf(form, shown)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	apiVersion, kind := shown.Kind().APIVersion(), shown.Kind().Kind
	if form.as == formMetadata {
		apiVersion, kind = form.apiVersion(), form.as
	}
	warn(w.Header(), reading.Warnings)
	a := s.begin(w, r, form, http.StatusOK)
	a.write(func(dst []byte) []byte {
		return o.AppendMessage(dst, apiVersion, kind, strconv.FormatInt(shown.Revision(), 10))
	})
	a.end()
}

// list is a list response.
type list struct {
	apiVersion, kind string
	metadata         document.Value
	count            int
	// value returns item i; item and partial append its JSON and its metadata's JSON; wire are
	// all items in protobuf.
	value         func(i int) document.Value
	item, partial func(i int, dst []byte) []byte
	wire          func() ([]wireItem, error)
}

// storedList is a list of stored objects.
func storedList(form answerForm, reading *cluster.Reading) *list {
	items := reading.Items
	return &list{
		apiVersion: reading.Kind.APIVersion(), kind: reading.Kind.ListKind, metadata: reading.Metadata, count: len(items),
		value:   func(i int) document.Value { return items[i].Value() },
		item:    func(i int, dst []byte) []byte { return items[i].AppendItem(dst) },
		partial: func(i int, dst []byte) []byte { return items[i].AppendMetadata(dst) },
		wire:    func() ([]wireItem, error) { return wireItems(form, items) },
	}
}

// writeList writes a list in the requested form, item by item.
func (s *Server) writeList(w *writer, r *http.Request, form answerForm, t target, code int, l *list) {
	include := queryOf(r).Get("includeObject")
	if err := checkForm(form, t, true, include); err != nil {
		s.fail(w, r, err)
		return
	}
	apiVersion, kind, metadata := l.apiVersion, l.kind, l.metadata
	if form.as != formObject {
		apiVersion, kind, metadata = form.apiVersion(), form.as, listMeta(metadata)
	}
	if form.protobuf {
		items, err := l.wire()
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.wireList(w, r, form, code, apiVersion, kind, metadata, items)
		return
	}
	rest := object("apiVersion", text(apiVersion), "kind", text(kind), "metadata", metadata)
	key, element := "items", l.item
	switch form.as {
	case formTable:
		rows := s.newTable(form, t, include)
		rest, key = rest.With("columnDefinitions", rows.definitions()), "rows"
		order := table.Order(t.kind, l.count, l.value)
		element = func(i int, dst []byte) []byte {
			if order != nil {
				i = order[i]
			}
			return rows.row(l.value(i)).AppendJSON(dst)
		}
	case formList:
		head := append(append([]byte(`{"apiVersion":`), document.AppendQuoted(nil, apiVersion)...), `,"kind":"`+formMetadata+`","metadata":`...)
		element = func(i int, dst []byte) []byte { return append(l.partial(i, append(dst, head...)), '}') }
	}
	if l.count == 0 && (form.as == formList || form.as == formTable && table.NullRows(t.kind)) {
		// kube-apiserver creates the list of metadata, or of rows, with the first item.
		s.write(w, r, form, code, rest.With(key, document.NewNull()))
		return
	}
	a := s.begin(w, r, form, code)
	defer a.end()
	a.list(rest, key, l.count, element)
}
