package verify

import (
	"bytes"
	"math"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// features returns the features of a case for the coverage count.
func (c *Case) features() map[string]bool {
	found := map[string]bool{}
	if c.drawn {
		found["custom resources with random types"] = true
		for _, k := range c.Kinds {
			typeFeatures(k.Type(), found)
		}
	}
	found["kinds of several versions"] = len(c.Kinds) > 1
	found["types that change"] = c.Changed != nil
	c.stepFeatures(found)
	var w featureWalk
	for _, v := range c.Input.Members() {
		w.value(v)
	}
	for i, name := range [...]string{"nulls", "numbers beyond 2^53", "numbers with a fraction or exponent", "numbers spelled otherwise",
		"texts with escapes", "duplicate items", "odd keys", "lists of more than 4 KiB", "maps of more than 4 KiB"} {
		found[name] = w.found[i]
	}
	return found
}

func (c *Case) stepFeatures(found map[string]bool) {
	managers := map[string]bool{}
	for _, step := range c.Input.Get("steps").Items() {
		managers[step.Get("manager").StringOr("")] = true
		if force, _ := step.Get("force").Bool(); force && (request{Value: step}).applies() {
			found["applies by force"] = true
		}
		if step.Get("subresource").Exists() {
			found["status subresources"] = true
		}
	}
	found["several managers"] = len(managers) > 1
	found["objects without managers"] = c.Input.Get("live").Exists()
}

func typeFeatures(t *schema.Type, found map[string]bool) {
	switch {
	case t == nil:
		return
	case t == schema.Deduced():
		found["fields without a schema"] = true
		return
	}
	if m := t.Map; m != nil {
		switch {
		case m.Atomic:
			found["atomic maps"] = true
		case m.Elem != nil && len(m.Fields) == 0:
			found["granular maps"] = true
		}
		for i := range m.Fields {
			typeFeatures(m.Fields[i].Type, found)
		}
		typeFeatures(m.Elem, found)
	}
	if l := t.List; l != nil {
		switch {
		case l.Kind == schema.SetList:
			found["sets"] = true
		case l.Kind == schema.AtomicList:
			found["atomic lists"] = true
		case len(l.Keys) == 1:
			found["lists keyed by one key"] = true
		default:
			found["lists keyed by two keys"] = true
			found["lists with a defaulted key"] = found["lists with a defaulted key"] || l.Keys[1].Default != ""
		}
		typeFeatures(l.Elem, found)
	}
}

// longText is the length of a list's or map's text from which on the engines defer parts of
// it.
const longText = 4 << 10

// featureWalk finds features of values.
type featureWalk struct {
	found [9]bool // in the order of their names
	text  []byte
}

func (w *featureWalk) value(v document.Value) {
	switch v.Kind() {
	case document.Null:
		w.found[0] = true
	case document.Number:
		f, _ := v.Float()
		w.found[1] = w.found[1] || math.Abs(f) > 1<<53
		w.found[2] = w.found[2] || !v.IsInt()
		if !w.found[3] {
			w.text = v.AppendSource(w.text[:0])
			n := len(w.text)
			w.text = v.AppendJSON(w.text)
			w.found[3] = !bytes.Equal(w.text[:n], w.text[n:])
		}
	case document.String:
		if !w.found[4] {
			w.text = v.AppendSource(w.text[:0])
			w.found[4] = bytes.IndexByte(w.text, '\\') >= 0
		}
	case document.Object, document.List:
		w.parts(v)
	}
}

func (w *featureWalk) parts(v document.Value) {
	list := v.Kind() == document.List
	var before document.Value
	for i := range v.Len() {
		part := v.At(i)
		if list {
			w.found[5] = w.found[5] || i > 0 && document.Identical(part, before)
			before = part
		} else if !w.found[6] {
			key := v.Key(i)
			w.found[6] = key == "" || strings.ContainsAny(key, "~$\"\\\x00\u2028 ")
		}
		w.value(part)
	}
	if v.Len() < 40 {
		return
	}
	if w.text = v.AppendSource(w.text[:0]); len(w.text) > longText {
		w.found[7] = w.found[7] || list
		w.found[8] = w.found[8] || !list
	}
}
