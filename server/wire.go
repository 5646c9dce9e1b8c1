package server

import (
	"net/http"
	"strconv"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// encodable reports whether the objects of a kind can be encoded in protobuf.
func encodable(k *schema.Kind) bool {
	return k.Builtin && protobuf.Encodable(k.APIVersion(), k.Kind)
}

// encoded is an object in protobuf, or the error of encoding it.
type encoded struct {
	*protobuf.Object
	err error
}

// wireOf returns the cached protobuf encoding of a stored object, or of its metadata if the
// client requests that or the kind has no encoding.
func wireOf(form answerForm, o cluster.Shown) (*protobuf.Object, error) {
	if k := o.Kind(); form.as != formObject && len(defaults.FieldAnnotations(k)) > 0 {
		return protobuf.EncodeMetadata(defaults.InternalMetadata(k, o.Value().Get("metadata")))
	}
	e := o.Encoding(protobuf.MediaType, func(k *schema.Kind, v document.Value) any {
		var e encoded
		if encodable(k) {
			e.Object, e.err = protobuf.Encode(k.APIVersion(), k.Kind, v)
		} else {
			e.Object, e.err = protobuf.EncodeMetadata(v.Get("metadata"))
		}
		return e
	}).(encoded)
	if e.err == nil && form.as != formObject {
		return e.Object.Metadata(), nil
	}
	return e.Object, e.err
}

// wireOfValue returns the protobuf encoding of an object of a kind that is not stored.
func wireOfValue(form answerForm, k *schema.Kind, v document.Value) (*protobuf.Object, error) {
	if form.as != formObject {
		return protobuf.EncodeMetadata(defaults.InternalMetadata(k, v.Get("metadata")))
	}
	return protobuf.Encode(v.Get("apiVersion").StringOr(""), v.Get("kind").StringOr(""), v)
}

// appendWire appends the complete response, in protobuf, for an object that is not stored,
// such as a Status.
func appendWire(dst []byte, form answerForm, v document.Value) ([]byte, error) {
	apiVersion, kind := v.Get("apiVersion").StringOr(""), v.Get("kind").StringOr("")
	switch {
	case kind == "Status":
		return protobuf.AppendStatus(dst, v)
	case form.as == formObject:
		return protobuf.AppendObject(dst, apiVersion, kind, v)
	}
	o, err := protobuf.EncodeMetadata(v.Get("metadata"))
	if err != nil {
		return nil, err
	}
	return o.AppendMessage(dst, form.apiVersion(), form.as, v.Get("metadata").Get("resourceVersion").StringOr("")), nil
}

// wireItem is an object and its resourceVersion.
type wireItem struct {
	*protobuf.Object
	revision string
}

// wireList writes a list in protobuf. In the encoding the length precedes the content, so the
// lengths of the items are added up first.
func (s *Server) wireList(w *writer, r *http.Request, form answerForm, code int, apiVersion, kind string, metadata document.Value, items []wireItem) {
	remaining, counted := metadata.Get("remainingItemCount").Int()
	head := protobuf.ListMetadata(metadata.Get("resourceVersion").StringOr(""), metadata.Get("continue").StringOr(""), remaining, counted)
	size := len(head)
	for i := range items {
		size += items[i].ItemSize(items[i].revision)
	}
	a := s.begin(w, r, form, code)
	defer a.end()
	a.write(func(dst []byte) []byte { return append(protobuf.AppendHeader(dst, apiVersion, kind, size), head...) })
	for i := range items {
		a.write(func(dst []byte) []byte { return items[i].AppendItem(dst, items[i].revision) })
	}
	a.write(func(dst []byte) []byte { return append(dst, protobuf.Trailer...) })
}

// wireItems returns stored objects, or their metadata, as items of a list.
func wireItems(form answerForm, shown []cluster.Shown) ([]wireItem, error) {
	items := make([]wireItem, len(shown))
	for i, o := range shown {
		e, err := wireOf(form, o)
		if err != nil {
			return nil, err
		}
		items[i] = wireItem{e, strconv.FormatInt(o.Revision(), 10)}
	}
	return items, nil
}
