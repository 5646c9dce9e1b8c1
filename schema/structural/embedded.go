package structural

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// embedded validates the embedded objects in an object, which do not include the root.
func (c *validator) embedded(t *schema.Type, v, valid document.Value, root bool, metadata func(document.Value) []schema.FieldError) {
	if t == nil || remake.Shared(v, valid) {
		return
	}
	before := remake.EarlierOf(valid)
	switch v.Kind() {
	case document.Object:
		if t.Embedded && !root {
			c.objectMeta(v, metadata)
		}
		if t.Map == nil {
			return
		}
		for i := range v.Len() {
			if isScalar(v.At(i)) {
				continue
			}
			key := v.Key(i)
			own := knownMember(t, key)
			start := len(c.errs)
			c.embedded(own, v.At(i), before.Member(key), false, metadata)
			c.belowMember(start, t, key)
		}
	case document.List:
		if t.List == nil || flat(described(t.List.Elem)) {
			return
		}
		from, to := before.Changed(v)
		for i := from; i < to; i++ {
			start := len(c.errs)
			c.embedded(t.List.Elem, v.At(i), before.Item(v, i), false, metadata)
			c.below(start, document.IndexStep(i))
		}
	}
}

// objectMeta validates apiVersion, kind and metadata of an embedded object.
func (c *validator) objectMeta(v document.Value, metadata func(document.Value) []schema.FieldError) {
	c.apiVersion(v.Get("apiVersion"))
	c.kind(v.Get("kind"))
	meta := v.Get("metadata")
	if metadata == nil || !meta.Exists() {
		return
	}
	start := len(c.errs)
	for _, e := range metadata(meta) {
		f := finding{FieldError: e}
		f.Path = make(document.Path, 0, len(e.Path)+1)
		if e.Field != "" && e.Field != schema.FieldText(e.Path) { // owner references have no index
			f.behind = e.Field
			if e.Field[0] != '[' {
				f.behind = "." + e.Field
			}
		} else {
			for _, step := range slices.Backward(e.Path) {
				f.Path = append(f.Path, step)
			}
		}
		c.put(f)
	}
	c.below(start, document.FieldStep("metadata"))
}

func (c *validator) apiVersion(v document.Value) {
	const name = "apiVersion"
	text, ok := v.Text()
	_, _, parsed := schema.SplitAPIVersion(text)
	switch {
	case !v.Exists():
		c.addAt(name, schema.ErrorRequired, v, "")
	case !ok:
		c.addAt(name, schema.ErrorInvalid, v, "must be a string")
	case text == "":
		c.addAt(name, schema.ErrorInvalid, v, "must not be empty")
	case !parsed:
		c.addAt(name, schema.ErrorInvalid, v, "unexpected GroupVersion string: "+text)
	}
}

func (c *validator) kind(v document.Value) {
	const name = "kind"
	text, ok := v.Text()
	switch {
	case !v.Exists():
		c.addAt(name, schema.ErrorRequired, v, "")
	case !ok:
		c.addAt(name, schema.ErrorInvalid, v, "must be a string")
	case text == "":
		c.addAt(name, schema.ErrorInvalid, v, "must not be empty")
	default:
		if wrong := names.DNSLabel1035(strings.ToLower(text)); wrong != "" {
			c.addAt(name, schema.ErrorInvalid, v, "may have mixed case, but should otherwise match: "+strings.ReplaceAll(wrong, "\n", ","))
		}
	}
}
