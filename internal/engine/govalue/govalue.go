// Package govalue converts documents to and from the types in which Kubernetes' libraries
// represent untyped objects (map[string]any, []any, string, int64, float64, bool and nil).
package govalue

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
)

// From converts such a value to a document. An error names the part with another type.
func From(x any) (document.Value, error) { return from(x, nil) }

func from(x any, path document.Path) (document.Value, error) {
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
		return document.NewFloat(t), nil
	case []any:
		var b document.ListBuilder
		b.Grow(len(t))
		for i, item := range t {
			v, err := from(item, path.Item(i))
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
			v, err := from(member, path.Child(key))
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
