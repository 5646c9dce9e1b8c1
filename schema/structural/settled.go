package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Settled reports whether Prune, DropNulls and Default would not change the custom resource v,
// apart from its apiVersion, kind and metadata, and whether all its numbers are integers. It
// walks v once instead of three times, and saves the three walks for objects that an API
// server returned, most of which are settled. It may return false for an object that they
// would not change: it does not examine embedded objects and members that the schema does not
// describe.
func Settled(t *schema.Type, v document.Value) bool {
	if t == nil || t.Map == nil || !t.Map.Object || v.Kind() != document.Object {
		return false
	}
	for i := range t.Map.Meta {
		f := &t.Map.Meta[i]
		if f.Default != "" || f.Type.List != nil || f.Type.Map != nil && (len(f.Type.Map.Fields) > 0 || described(f.Type.Map.Elem) != nil) {
			return false
		}
	}
	return settledMembers(t.Map, v)
}

func settled(t *schema.Type, v document.Value) bool {
	switch v.Kind() {
	case document.Null:
		return false
	case document.Number:
		return v.IsInt()
	case document.Object:
		return t.Map != nil && !t.Map.Object && !t.Embedded && settledMembers(t.Map, v)
	case document.List:
		if t.List == nil {
			return false
		}
		elem := described(t.List.Elem)
		for i := range v.Len() {
			if elem == nil || !settled(elem, v.At(i)) {
				return false
			}
		}
	}
	return true
}

// settledMembers reports whether all members are settled and none is missing that has a
// default.
func settledMembers(m *schema.MapType, v document.Value) bool {
	defaults := 0
	for i := range v.Len() {
		key, member := v.Key(i), v.At(i)
		if m.Object && isMeta(key) {
			if member.IsNull() {
				return false
			}
			continue
		}
		f := m.Field(key)
		switch {
		case f != nil && f.Default != "":
			defaults++
			fallthrough
		case f != nil:
			if !settled(f.Type, member) {
				return false
			}
		default:
			if elem := described(m.Elem); elem == nil || !settled(elem, member) {
				return false
			}
		}
	}
	for i := range m.Fields {
		if m.Fields[i].Default != "" {
			defaults--
		}
	}
	return defaults == 0
}
