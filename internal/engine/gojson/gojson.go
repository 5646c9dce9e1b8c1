// Package gojson encodes values as encoding/json encodes Go structs: with the fields in the order of their type.
package gojson

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// Append appends the JSON of a value. Each of the types lists the fields of a Go type in their order. The type
// of an object is the first that has all of its fields; those of other objects are sorted by name. If most is not
// 0, what follows the first most bytes may be left out.
func Append(dst []byte, v document.Value, types [][]string, most int) []byte {
	enough := func() bool { return most > 0 && len(dst) > most }
	switch v.Kind() {
	case document.List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst = Append(dst, item, types, most); enough() {
				return dst
			}
		}
		return append(dst, ']')
	case document.Object:
		dst = append(dst, '{')
		fields := fieldsOf(v, types)
		for i := range v.Len() {
			key := v.Key(i)
			if fields != nil {
				key = fields[i]
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(document.AppendQuoted(dst, key), ':')
			if dst = Append(dst, v.Get(key), types, most); enough() {
				return dst
			}
		}
		return append(dst, '}')
	}
	return v.AppendJSON(dst)
}

// fieldsOf returns the fields that an object of one of the types has, in the order of the type; nil for
// other objects.
func fieldsOf(object document.Value, types [][]string) []string {
	for _, fields := range types {
		if object.Len() == 0 || !slices.Contains(fields, object.Key(0)) {
			continue
		}
		var present []string
		for _, name := range fields {
			if object.Get(name).Exists() {
				present = append(present, name)
			}
		}
		if len(present) == object.Len() {
			return present
		}
	}
	return nil
}
