package cluster

import (
	"errors"
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
	keys     []bool        // which steps of path are keys of additionalProperties
	problems []Problem
	err      error
}

func (e *embeddedDecoder) value(t *schema.Type, v, live document.Value) document.Value {
	if t == nil || e.err != nil || remake.Shared(v, live) {
		return v
	}
	root := len(e.path) == 0
	if t.Embedded && !root {
		e.checkType(v)
		v = e.metadataOf(v)
	}
	e.path, e.keys = append(e.path, document.Step{}), append(e.keys, false)
	top := len(e.path) - 1
	whole, before := v, remake.EarlierOf(live)
	switch {
	case v.Kind() == document.Object && t.Map != nil:
		v = remake.Members(v, func(i int, member document.Value) document.Value {
			key := whole.Key(i)
			if key == "metadata" && (root || t.Embedded) {
				return member
			}
			e.path[top], e.keys[top] = document.FieldStep(key), t.Map.Field(key) == nil
			return e.value(t.Map.Member(key), member, before.Member(key))
		})
	case v.Kind() == document.List && t.List != nil:
		v = remake.ItemsUpdate(v, live, func(i int, item, was document.Value) document.Value {
			e.path[top] = document.IndexStep(i)
			return e.value(t.List.Elem, item, was)
		})
	}
	e.path, e.keys = e.path[:top], e.keys[:top]
	return v
}

// text returns the path of the current value in the form of the Field of an error, in which keys of
// additionalProperties are in brackets.
func (e *embeddedDecoder) text() string {
	text := ""
	for i, step := range e.path {
		name, member := step.Name()
		switch {
		case !member: // the index of an item
			name = step.String()
		case e.keys[i]:
			name = "[" + name + "]"
		case i > 0:
			name = "." + name
		}
		text += name
	}
	return text
}

// checkType requires strings as apiVersion and kind of an object in a request body. A stored
// object is decoded whatever it contains.
func (e *embeddedDecoder) checkType(v document.Value) {
	if v.Kind() != document.Object || e.from != defaults.FromJSON {
		return
	}
	for _, name := range [...]string{"apiVersion", "kind"} {
		if m := v.Get(name); m.Exists() && m.Kind() != document.String && e.err == nil {
			wrong := schema.FieldError{Type: schema.ErrorInvalid, Field: e.text() + "." + name, BadValue: m, Detail: "must be a string"}
			e.err = &decodeError{errors.New(wrong.Error())}
		}
	}
}

func (e *embeddedDecoder) metadataOf(v document.Value) document.Value {
	metadata := v.Get("metadata")
	if !metadata.Exists() || e.metadata == nil {
		return v
	}
	decoded, err := e.decodeMetadata(metadata, document.Value{}, e.from)
	if err != nil {
		wrong := schema.FieldError{Type: schema.ErrorInvalid, Field: e.text() + ".metadata", BadValue: metadata}
		e.err = &decodeError{fmt.Errorf("%s: %w", wrong.Error(), err)}
		return v
	}
	for _, f := range decoded.Problems {
		at := slices.Concat(e.path, f.Path)
		e.problems = append(e.problems, Problem{Path: at, Message: fmt.Sprintf("unknown field %q", e.text()+"."+schema.FieldText(f.Path))})
	}
	if out := decoded.Value.Get("metadata"); !document.SameNode(out, metadata) {
		return v.With("metadata", out)
	}
	return v
}

// decodeMetadata decodes metadata into its Go type; live is the metadata that it was made
// from. Fields that cannot be decoded are errors in a request, and are dropped from stored
// metadata, as apiextensions-apiserver does: an apply can store them.
func (p *pipeline) decodeMetadata(metadata, live document.Value, from defaults.Source) (defaults.Decoded, error) {
	for {
		decoded, err := defaults.DecodeUpdate(p.metadata, inMetadata(metadata), inMetadata(live), from)
		var wrong *defaults.DecodeError
		if err == nil || from != defaults.FromTree || !errors.As(err, &wrong) || len(wrong.Path) < 2 {
			return decoded, err
		}
		name, _ := wrong.Path[1].Name()
		metadata = metadata.Without(name)
	}
}
