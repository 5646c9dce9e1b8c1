package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A field is what strategic merge knows of a member of an object: its type, or
// its items' type where it is a list, and how it merges.
type field struct {
	typ *schema.Type
	// merge says that the list merges: by keys, or as a set where it has none.
	merge bool
	keys  []schema.Key
	// replace says that a map is replaced as a whole.
	replace bool
	// retainKeys says that patches made for it list the keys that stay.
	retainKeys bool
}

// A typing finds fields. listTypes reads list types instead of patch
// strategies and takes what it does not know for maps that merge and lists that
// are replaced; without it an unknown field is an error, as for the API server.
type typing struct{ listTypes bool }

// mapField finds the member key of an object of type t, which holds an object.
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

// listField finds the member key of an object of type t, which holds a list.
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
		return field{}, "the field " + strconv.Quote(key) + " is no list"
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

// structField finds a field of a built-in type as Go's decoder does: by its
// name, else without regard to case.
func structField(t *schema.Type, key string) (*schema.Field, string) {
	if t == nil || t.Map == nil || len(t.Map.Fields) == 0 {
		return nil, "the value has no fields that kube-apiserver knows, it cannot merge " + strconv.Quote(key) + " there"
	}
	if f := t.Map.Field(key); f != nil {
		return f, ""
	}
	for i := range t.Map.Fields {
		if strings.EqualFold(t.Map.Fields[i].Name, key) {
			return &t.Map.Fields[i], ""
		}
	}
	return nil, "unknown field " + strconv.Quote(key) + ", kube-apiserver cannot merge it"
}

// fieldNames returns the names of t's fields, for a hint.
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

// An itemKey tells items of a list apart: the value of the merge key, or the
// item itself where it is a scalar. Numbers are equal only where both are
// integers or both are not, as Go's int64 and float64.
type itemKey struct {
	kind keyKind
	text string
}

type keyKind uint8

const (
	keyMissing keyKind = iota // the item has no such field
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

// keyOf returns the key of an item: the values of its key fields.
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

// missingKey names the first key field that an item lacks.
func missingKey(item document.Value, keys []schema.Key) string {
	i := slices.IndexFunc(keys, func(k schema.Key) bool { return k.Default == "" && !item.Get(k.Name).Exists() })
	return keys[max(i, 0)].Name
}
