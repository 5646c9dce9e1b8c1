package cluster

import (
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// embeddedDecoder decodes the metadata of objects embedded in a custom resource
// (x-kubernetes-embedded-resource) in the way in which the resource's own metadata is decoded.
type embeddedDecoder struct {
	*pipeline
	from     defaults.Source
	path     document.Path // the path of the current value
	problems []Problem
	err      error
}

func (e *embeddedDecoder) value(t *schema.Type, v, live document.Value) document.Value {
	if t == nil || e.err != nil || remake.Shared(v, live) {
		return v
	}
	root := len(e.path) == 0
	if t.Embedded && !root {
		v = e.metadataOf(v)
	}
	e.path = append(e.path, document.Step{})
	top := len(e.path) - 1
	whole, before := v, remake.EarlierOf(live)
	switch {
	case v.Kind() == document.Object && t.Map != nil:
		v = remake.Members(v, func(i int, member document.Value) document.Value {
			key := whole.Key(i)
			if key == "metadata" && (root || t.Embedded) {
				return member
			}
			e.path[top] = document.FieldStep(key)
			return e.value(t.Map.Member(key), member, before.Member(key))
		})
	case v.Kind() == document.List && t.List != nil:
		v = remake.ItemsUpdate(v, live, func(i int, item, was document.Value) document.Value {
			e.path[top] = document.IndexStep(i)
			return e.value(t.List.Elem, item, was)
		})
	}
	e.path = e.path[:top]
	return v
}

func (e *embeddedDecoder) metadataOf(v document.Value) document.Value {
	metadata := v.Get("metadata")
	if !metadata.Exists() || e.metadata == nil {
		return v
	}
	out, found, err := defaults.Decode(e.metadata, document.Value{}.With("metadata", metadata), e.from)
	if err != nil {
		wrong := schema.FieldError{Type: schema.ErrorInvalid, Field: schema.FieldText(e.path) + ".metadata", BadValue: metadata}
		e.err = &decodeError{fmt.Errorf("%s: %w", wrong.Error(), err)}
		return v
	}
	for _, f := range found {
		at := slices.Concat(e.path, f.Path)
		e.problems = append(e.problems, Problem{Path: at, Message: fmt.Sprintf("unknown field %q", schema.FieldText(at))})
	}
	if out = out.Get("metadata"); document.SameNode(out, metadata) {
		return v
	}
	return v.With("metadata", out)
}
