package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
)

// The rules of merge patches.
const (
	RuleMergeNull    Rule = "merge/null-removes"
	RuleMergeObject  Rule = "merge/object-into-object"
	RuleMergeReplace Rule = "merge/value-replaces"
	RuleMergeAdd     Rule = "merge/value-is-added"
	RuleMergeSame    Rule = "merge/same-value"
	RuleMergeIdle    Rule = "merge/null-of-nothing"
)

// Merge applies a JSON merge patch like kube-apiserver (RFC 7396; Kubernetes' documentation
// has the number of its first edition, RFC 7386, with the same rules):
//
//  1. The patch must be an object; otherwise it is refused (400).
//  2. A null removes the member; it has no effect if the member is missing.
//  3. An object is merged into an object member by member.
//  4. Any other value replaces the old one, including whole lists.
//  5. Nulls are removed from the objects in a value that is new or replaces a
//     value other than an object, at any depth and in lists; null list items are
//     kept. A list that replaces an object is unchanged.
//
// Errors are *Error.
func Merge(object, patch document.Value, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.Merge(object, patch, o)
	}
	if patch.Kind() != document.Object {
		return document.Value{}, refuse(TypeMerge, ErrMalformed, nil, "a JSON merge patch must be an object, not "+article(patch.Kind()))
	}
	w := merger{walk{observer: o.Observer}}
	var out document.Value
	if object.Kind() == document.Object {
		out = w.object(object, patch)
	} else {
		out = WithoutNulls(patch)
	}
	w.report()
	return out, nil
}

type merger struct{ walk }

func (w *merger) object(object, patch document.Value) document.Value {
	changes := make([]remake.Change, 0, patch.Len())
	old := cursor{object: object}
	for key, val := range patch.Members() {
		was := old.find(key)
		now, same := w.member(key, was, val)
		if !same {
			changes = append(changes, remake.Change{Key: key, Value: now})
		}
	}
	return remake.WithChanges(object, changes)
}

// member merges one member and reports whether it is unchanged.
func (w *merger) member(key string, was, val document.Value) (now document.Value, same bool) {
	switch {
	case val.IsNull() && !was.Exists():
		w.note(key, RuleMergeIdle, Ignored, was, val)
		return was, true
	case val.IsNull():
		w.note(key, RuleMergeNull, Removed, was, document.Value{})
		return document.Value{}, false
	case was.Kind() == document.Object && val.Kind() == document.Object:
		w.note(key, RuleMergeObject, Merged, was, val)
		w.key(key)
		now = w.object(was, val)
		w.up()
		return now, document.SameNode(was, now)
	case was.Kind() == document.Object:
		now = val
	default:
		now = WithoutNulls(val)
	}
	switch {
	case w.observer == nil:
	case !was.Exists():
		w.note(key, RuleMergeAdd, Added, was, now)
	case document.Identical(was, now):
		w.note(key, RuleMergeSame, Kept, was, now)
	default:
		w.note(key, RuleMergeReplace, Replaced, was, now)
	}
	return now, false
}

// WithoutNulls removes null members from all objects in v. Null list items are kept. If
// there are none, it returns v itself.
func WithoutNulls(v document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		var changes []remake.Change
		for key, val := range v.Members() {
			if val.IsNull() {
				changes = append(changes, remake.Change{Key: key, Value: document.Value{}})
			} else if now := WithoutNulls(val); !document.SameNode(now, val) {
				changes = append(changes, remake.Change{Key: key, Value: now})
			}
		}
		return remake.WithChanges(v, changes)
	case document.List:
		return remake.Items(v, func(_ int, item document.Value) document.Value { return WithoutNulls(item) })
	}
	return v
}

// article returns a kind's name with an indefinite article.
func article(k document.Kind) string {
	switch k {
	case document.Null, document.Absent:
		return k.String()
	case document.Object:
		return "an object"
	}
	return "a " + k.String()
}
