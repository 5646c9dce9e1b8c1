// Package govalue converts documents to and from the types in which Kubernetes' libraries
// represent untyped objects (map[string]any, []any, string, int64, float64, bool and nil).
package govalue

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
)

// From converts such a value to a document. An error names the part with another type, or with a
// value that JSON does not have.
func From(x any) (document.Value, error) { return from(x, nil) }

// maxDepth is the depth to which objects and lists may nest, as in documents. A map that contains
// itself exceeds it.
const maxDepth = 10_000

// from converts the part of a value at a path. Parts beside each other share the memory of their
// paths, which end up in the text of an error only.
func from(x any, path document.Path) (document.Value, error) {
	if len(path) > maxDepth {
		return document.Value{}, fmt.Errorf("%w: an unstructured object has more than %d levels, or contains itself", document.ErrTooDeep, maxDepth)
	}
	switch t := x.(type) {
	case nil:
		return document.NewNull(), nil
	case string:
		return document.NewString(t), nil
	case bool:
		return document.NewBool(t), nil
	case int64:
		return document.NewInt(t), nil
	case int:
		return document.NewInt(int64(t)), nil
	case int32:
		return document.NewInt(int64(t)), nil
	case float64:
		if t-t != 0 { // NaN or an infinity
			return document.Value{}, fmt.Errorf("%s: JSON has no number %v", path, t)
		}
		return document.NewFloat(t), nil
	case []any:
		var b document.ListBuilder
		b.Grow(len(t))
		for i, item := range t {
			v, err := from(item, append(path, document.IndexStep(i)))
			if err != nil {
				return v, err
			}
			b.Append(v)
		}
		return b.List(), nil
	case map[string]any:
		var b document.ObjectBuilder
		b.Grow(len(t))
		for key, member := range t {
			v, err := from(member, append(path, document.FieldStep(key)))
			if err != nil {
				return v, err
			}
			b.Set(key, v)
		}
		return b.Object(), nil
	}
	return document.Value{}, fmt.Errorf("%s: an unstructured object cannot contain a %T", path, x)
}

// Of converts a document to such a value. They share only strings.
func Of(v document.Value) any {
	switch v.Kind() {
	case document.String:
		s, _ := v.Text()
		return s
	case document.Bool:
		b, _ := v.Bool()
		return b
	case document.Number:
		if i, ok := v.Int(); ok {
			return i
		}
		f, _ := v.Float()
		return f
	case document.List:
		items := make([]any, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, Of(item))
		}
		return items
	case document.Object:
		members := make(map[string]any, v.Len())
		for key, member := range v.Members() {
			members[key] = Of(member)
		}
		return members
	}
	return nil
}
