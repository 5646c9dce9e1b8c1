package kinds

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// The types of apimachinery's metav1 whose values occur in messages, with their fields in the order
// of the Go type: LabelSelector, OwnerReference, ManagedFieldsEntry and ObjectMeta.
func metaTypes() [][]string {
	return [][]string{
		{"matchLabels", "matchExpressions"},
		{"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"},
		{"manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"},
		{"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
			"deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers", "managedFields"},
	}
}

// goText returns the JSON of a value in which the fields of metadata have the order of their Go types,
// as encoding/json writes it, "" if that is the order of the keys.
func goText(v document.Value) string {
	text, ordered := appendGo(nil, v, metaTypes())
	if !ordered {
		return ""
	}
	return string(text)
}

// appendGo appends the JSON of a value. ordered is true if an object in it is not sorted by its keys.
func appendGo(dst []byte, v document.Value, types [][]string) (text []byte, ordered bool) {
	switch v.Kind() {
	case document.List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var o bool
			dst, o = appendGo(dst, item, types)
			ordered = ordered || o
		}
		return append(dst, ']'), ordered
	case document.Object:
		keys := make([]string, v.Len())
		for i := range keys {
			keys[i] = v.Key(i)
		}
		for _, fields := range types {
			if of := present(fields, v); len(of) == len(keys) {
				ordered = !slices.Equal(of, keys)
				keys = of
				break
			}
		}
		dst = append(dst, '{')
		for i, key := range keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(document.AppendQuoted(dst, key), ':')
			var o bool
			dst, o = appendGo(dst, v.Get(key), types)
			ordered = ordered || o
		}
		return append(dst, '}'), ordered
	}
	return v.AppendJSON(dst), false
}

// present returns those of the fields that an object has.
func present(fields []string, object document.Value) []string {
	var found []string
	for _, name := range fields {
		if object.Get(name).Exists() {
			found = append(found, name)
		}
	}
	return found
}
