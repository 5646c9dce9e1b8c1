package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A field describes a member of an object for strategic merge: its type (of a list, that of
// its items) and its strategy.
type field struct {
	typ *schema.Type
	// merge: the list is merged, by keys or, without keys, as a set.
	merge bool
	keys  []schema.Key
	// replace: the map is replaced as a whole.
	replace bool
	// retainKeys: computed patches list the keys to keep.
	retainKeys bool
}

// typing looks up fields. With listTypes it uses list types in place of patch strategies;
// unknown fields are then maps that merge or lists that are replaced. Without it an unknown
// field is an error, as in the API server.
type typing struct{ listTypes bool }

// mapField returns the field of a member that contains an object.
func (ty typing) mapField(t *schema.Type, key string) (field, string) {
	if ty.listTypes {
		m := memberOf(t, key)
		return field{typ: m, replace: m != nil && m.Map != nil && m.Map.Atomic}, ""
	}
	f, problem := structField(t, key)
	if f == nil {
		return field{}, problem
	}
	return field{
		typ:        f.Type,
		replace:    f.Strategy&schema.StrategyReplace != 0,
		retainKeys: f.Strategy&schema.StrategyRetainKeys != 0,
	}, ""
}

// listField returns the field of a member that contains a list.
func (ty typing) listField(t *schema.Type, key string) (field, string) {
	if ty.listTypes {
		m := memberOf(t, key)
		if m == nil || m.List == nil {
			return field{}, ""
		}
		f := field{typ: m.List.Elem, merge: m.List.Kind != schema.AtomicList}
		if m.List.Kind == schema.KeyedList {
			f.keys = m.List.Keys
		}
		return f, ""
	}
	f, problem := structField(t, key)
	if f == nil {
		return field{}, problem
	}
	if f.Type == nil || f.Type.List == nil {
		return field{}, "the field " + strconv.Quote(key) + " is not a list"
	}
	if e := f.Type.List.Elem; e != nil && e.List != nil && e.Map == nil && e.Scalar == schema.NoScalar {
		return field{}, "the field " + strconv.Quote(key) + " is a list of lists"
	}
	out := field{
		typ:        f.Type.List.Elem,
		merge:      f.Strategy&schema.StrategyMerge != 0,
		retainKeys: f.Strategy&schema.StrategyRetainKeys != 0,
	}
	if f.MergeKey != "" {
		out.keys = []schema.Key{{Name: f.MergeKey}}
	}
	return out, ""
}

func memberOf(t *schema.Type, key string) *schema.Type {
	if t == nil {
		return nil
	}
	return t.Map.Member(key)
}

// structField finds the field of a built-in type for a key as Go's decoder does: by its name,
// or else ignoring case. If there is none, the text is the reason.
func structField(t *schema.Type, key string) (*schema.Field, string) {
	if t == nil || t.Map == nil || len(t.Map.Fields) == 0 {
		return nil, "kube-apiserver has no schema for the fields of this value and cannot merge " + strconv.Quote(key)
	}
	if f := t.Map.Field(key); f != nil {
		return f, ""
	}
	for i := range t.Map.Fields {
		if strings.EqualFold(t.Map.Fields[i].Name, key) {
			return &t.Map.Fields[i], ""
		}
	}
	return nil, "unknown field " + strconv.Quote(key) + ", which kube-apiserver cannot merge"
}

// fieldNames returns the names of t's fields, for hints.
func fieldNames(t *schema.Type) []string {
	if t == nil || t.Map == nil {
		return nil
	}
	names := make([]string, len(t.Map.Fields))
	for i := range t.Map.Fields {
		names[i] = t.Map.Fields[i].Name
	}
	return names
}

// An itemKey identifies a list item: the value of the merge key or, for a scalar, the item.
// Like Go's int64 and float64, an integer never equals another number.
type itemKey struct {
	kind keyKind
	text string
}

type keyKind uint8

const (
	keyMissing keyKind = iota // the item lacks the field
	keyNull
	keyBool
	keyInt
	keyFloat
	keyString
	keyPlural // several fields
	keyNone   // an object or a list, which equals nothing
)

func scalarKey(v document.Value) itemKey {
	switch v.Kind() {
	case document.Absent:
		return itemKey{}
	case document.Null:
		return itemKey{kind: keyNull}
	case document.Bool:
		b, _ := v.Bool()
		return itemKey{keyBool, strconv.FormatBool(b)}
	case document.Number:
		if i, ok := v.Int(); ok {
			if i == 0 {
				return itemKey{keyInt, "0"}
			}
			return itemKey{keyInt, v.NumberText()}
		}
		f, _ := v.Float()
		return itemKey{keyFloat, strconv.FormatFloat(f+0, 'g', -1, 64)}
	case document.String:
		s, _ := v.Text()
		return itemKey{keyString, s}
	}
	return itemKey{kind: keyNone}
}

// keyOf returns the key of an item from its key fields.
func keyOf(item document.Value, keys []schema.Key) itemKey {
	switch len(keys) {
	case 0:
		return scalarKey(item)
	case 1:
		if keys[0].Default == "" {
			if text, ok := item.MemberText(keys[0].Name); ok {
				return itemKey{keyString, text}
			}
			return scalarKey(item.Get(keys[0].Name))
		}
	}
	var text []byte
	for _, k := range keys {
		part := scalarKey(item.Get(k.Name))
		if part.kind == keyMissing && k.Default != "" {
			if d, err := document.Parse([]byte(k.Default), document.Options{}); err == nil {
				part = scalarKey(d.Root)
			}
		}
		if part.kind == keyMissing || part.kind == keyNone {
			return itemKey{kind: part.kind}
		}
		text = append(text, '0'+byte(part.kind))
		text = document.AppendQuoted(text, part.text)
	}
	return itemKey{keyPlural, string(text)}
}

// missingKey returns the name of the first key field that an item lacks.
func missingKey(item document.Value, keys []schema.Key) string {
	i := slices.IndexFunc(keys, func(k schema.Key) bool { return k.Default == "" && !item.Get(k.Name).Exists() })
	return keys[max(i, 0)].Name
}
