package verify

import (
	"math"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// features names what there is in a case, for the count of what a run has reached.
func (c *Case) features() map[string]bool {
	found := map[string]bool{}
	if c.drawn {
		found["custom resources with drawn types"] = true
		for _, k := range c.Kinds {
			typeFeatures(k.Type(), found)
		}
	}
	found["kinds of several versions"] = len(c.Kinds) > 1
	found["types that change"] = c.Changed != nil
	c.stepFeatures(found)
	for _, v := range c.Input.Members() {
		valueFeatures(v, found)
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
	found["objects that nobody managed"] = c.Input.Get("live").Exists()
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

// longText is how long the text of a list or a map is from which on the engines do
// not read all of it.
const longText = 4 << 10

func valueFeatures(v document.Value, found map[string]bool) {
	switch v.Kind() {
	case document.Null:
		found["nulls"] = true
	case document.Number:
		if f, _ := v.Float(); math.Abs(f) > 1<<53 {
			found["numbers beyond 2^53"] = true
		} else if !v.IsInt() {
			found["numbers that are no integers"] = true
		}
		if string(v.AppendSource(nil)) != v.String() {
			found["numbers spelled otherwise"] = true
		}
	case document.String:
		if text := v.AppendSource(nil); strings.IndexByte(string(text), '\\') >= 0 {
			found["texts with escapes"] = true
		}
	case document.Object, document.List:
		partFeatures(v, found)
	}
}

func partFeatures(v document.Value, found map[string]bool) {
	list := v.Kind() == document.List
	var before document.Value
	for i := range v.Len() {
		part := v.At(i)
		if list {
			if i > 0 && document.Identical(part, before) {
				found["items that stand twice"] = true
			}
			before = part
		} else if key := v.Key(i); key == "" || strings.ContainsAny(key, "~$\"\\\x00\u2028 ") {
			found["odd keys"] = true
		}
		valueFeatures(part, found)
	}
	if v.Len() < 40 {
		return
	}
	switch long := len(v.AppendSource(nil)) > longText; {
	case long && list:
		found["lists of more than 4 KiB"] = true
	case long:
		found["maps of more than 4 KiB"] = true
	}
}
