package patch

import (
	"github.com/patchlab-dev/patchlab/document"
)

// CreateMerge makes the JSON merge patch that turns from into to: what to has
// anew or otherwise, and null for what it lacks. Numbers are compared by value.
// A null in an object of to counts as a missing member, which is all that a
// merge patch can make of it. What is no object cannot be patched so
// (ErrUnsupported).
func CreateMerge(from, to document.Value, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.CreateMerge(from, to, o)
	}
	if err := bothObjects(TypeMerge, from, to); err != nil {
		return document.Value{}, err
	}
	return mergeDiff(from, to), nil
}

// bothObjects refuses what cannot be patched by naming members.
func bothObjects(t Type, values ...document.Value) error {
	for _, v := range values {
		if v.Exists() && v.Kind() != document.Object {
			return refuse(t, ErrUnsupported, nil, "a "+t.String()+" patch can only be made for objects, this is "+article(v.Kind()))
		}
	}
	return nil
}

// mergeDiff is the merge patch from one object to another; empty where they
// are the same.
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
