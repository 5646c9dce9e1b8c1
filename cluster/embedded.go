package cluster

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// embeddedDecoder decodes the metadata of whole objects within a custom resource
// (x-kubernetes-embedded-resource), as that of the resource itself.
type embeddedDecoder struct {
	*pipeline
	from     defaults.Source
	problems []problem
	err      error
}

func (e *embeddedDecoder) value(t *schema.Type, v document.Value, path document.Path) document.Value {
	if t == nil || e.err != nil {
		return v
	}
	if t.Embedded && len(path) > 0 {
		v = e.metadataOf(v, path)
	}
	switch {
	case v.Kind() == document.Object && t.Map != nil:
		for i := range v.Len() {
			key := v.Key(i)
			if key == "metadata" && (len(path) == 0 || t.Embedded) {
				continue
			}
			if w := e.value(t.Map.Member(key), v.At(i), path.Child(key)); !document.SameNode(w, v.At(i)) {
				v = v.With(key, w)
			}
		}
	case v.Kind() == document.List && t.List != nil:
		for i := range v.Len() {
			if w := e.value(t.List.Elem, v.At(i), path.Item(i)); !document.SameNode(w, v.At(i)) {
				v = v.WithItem(i, w)
			}
		}
	}
	return v
}

func (e *embeddedDecoder) metadataOf(v document.Value, path document.Path) document.Value {
	metadata := v.Get("metadata")
	if !metadata.Exists() || e.metadata == nil || e.err != nil {
		return v
	}
	out, found, err := defaults.Decode(e.metadata, document.Value{}.With("metadata", metadata), e.from)
	if err != nil {
		e.err = &decodeError{fmt.Errorf("%s: %w", fieldName(path), err)}
		return v
	}
	for _, f := range found {
		at := append(path[:len(path):len(path)], f.Path...)
		e.problems = append(e.problems, problem{at, fmt.Sprintf("unknown field %q", fieldName(at))})
	}
	return v.With("metadata", out.Get("metadata"))
}

// hasEmbedded reports whether a type holds whole objects below its root. Types of
// custom resources may lead to built-in ones, which refer to themselves.
func hasEmbedded(root *schema.Type) bool {
	seen := map[*schema.Type]bool{}
	var look func(t *schema.Type) bool
	look = func(t *schema.Type) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		if t.Embedded && t != root {
			return true
		}
		if t.List != nil && look(t.List.Elem) {
			return true
		}
		if t.Map == nil {
			return false
		}
		for i := range t.Map.Fields {
			if look(t.Map.Fields[i].Type) {
				return true
			}
		}
		return look(t.Map.Elem)
	}
	return look(root)
}
