package schema

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// metaTypes are the types of apimachinery's metav1 whose values occur in messages, LabelSelector,
// OwnerReference, ManagedFieldsEntry and ObjectMeta, each with its fields in the order of the Go type.
func metaTypes() [][]string {
	return [][]string{
		{"matchLabels", "matchExpressions"},
		{"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"},
		{"manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"},
		{"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
			"deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers", "managedFields"},
	}
}

// appendTyped appends the JSON of a value in which the fields of metadata have the order of their Go
// types, as encoding/json writes it. The type of an object is the first that has all of its fields;
// those of other objects are sorted by name. What follows the length that messages show is left out.
func appendTyped(dst []byte, v document.Value, types [][]string) []byte {
	switch v.Kind() {
	case document.List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst = appendTyped(dst, item, types); len(dst) > maxValueText {
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
			if dst = appendTyped(dst, v.Get(key), types); len(dst) > maxValueText {
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
