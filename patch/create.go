package patch

import (
	"github.com/patchlab-dev/patchlab/document"
)

// CreateMerge returns the JSON merge patch that changes from into to: the new and changed
// members of to, and null for each removed member. Numbers are compared by value. A null in
// an object of to is treated as a missing member, because a merge patch cannot set null. If
// one of the values is not an object, the error is ErrUnsupported.
func CreateMerge(from, to document.Value, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.CreateMerge(from, to, o)
	}
	if err := bothObjects(TypeMerge, from, to); err != nil {
		return document.Value{}, err
	}
	return mergeDiff(from, to), nil
}

// bothObjects refuses values other than objects.
func bothObjects(t Type, values ...document.Value) error {
	for _, v := range values {
		if v.Exists() && v.Kind() != document.Object {
			return refuse(t, ErrUnsupported, nil, "a "+t.String()+" patch can only be made for objects, not "+article(v.Kind()))
		}
	}
	return nil
}

// mergeDiff returns the merge patch between two objects; it is empty if they are equal.
func mergeDiff(from, to document.Value) document.Value {
	var b document.ObjectBuilder
	i, j := 0, 0
	for i < from.Len() || j < to.Len() {
		switch {
		case j == to.Len() || i < from.Len() && from.Key(i) < to.Key(j):
			b.Set(from.Key(i), document.NewNull())
			i++
		case i == from.Len() || to.Key(j) < from.Key(i):
			b.Keep(to, j)
			j++
		default:
			was, now := from.At(i), to.At(j)
			if was.Kind() == document.Object && now.Kind() == document.Object {
				if !document.SameNode(was, now) {
					if d := mergeDiff(was, now); d.Len() > 0 {
						b.Set(to.Key(j), d)
					}
				}
			} else if !document.Equal(was, now) {
				b.Keep(to, j)
			}
			i++
			j++
		}
	}
	return b.Object()
}
