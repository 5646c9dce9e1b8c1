// Package govalue converts documents to and from the types in which Kubernetes' libraries
// represent untyped objects (map[string]any, []any, string, int64, float64, bool and nil).
package govalue

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
)

// From converts such a value to a document. An error names the part with another type, or with a
// value that JSON does not have.
func From(x any) (document.Value, error) { return converter{}.from(x, nil) }

// Encoded is From for a value that is sent as JSON, which has one type of numbers and no empty list or map
// that is nil: the float64 3 is the integer 3, and a nil slice or map is null.
func Encoded(x any) (document.Value, error) { return converter{encoded: true}.from(x, nil) }

// converter converts values to documents.
type converter struct {
	encoded bool // see Encoded
}

// maxDepth is the depth to which objects and lists may nest, as in documents. A map that contains
// itself exceeds it.
const maxDepth = 10_000

// from converts the part of a value at a path. Parts beside each other share the memory of their
// paths, which end up in the text of an error only.
func (c converter) from(x any, path document.Path) (document.Value, error) {
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
		if i := int64(t); c.encoded && t >= -1<<63 && t < 1<<63 && float64(i) == t {
			return document.NewInt(i), nil
		}
		return document.NewFloat(t), nil
	case []any:
		if t == nil && c.encoded {
			return document.NewNull(), nil
		}
		var b document.ListBuilder
		b.Grow(len(t))
		for i, item := range t {
			v, err := c.from(item, append(path, document.IndexStep(i)))
			if err != nil {
				return v, err
			}
			b.Append(v)
		}
		return b.List(), nil
	case map[string]any:
		if t == nil && c.encoded {
			return document.NewNull(), nil
		}
		var b document.ObjectBuilder
		b.Grow(len(t))
		for key, member := range t {
			v, err := c.from(member, append(path, document.FieldStep(key)))
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
