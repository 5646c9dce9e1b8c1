package fieldset

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
)

// Decode decodes a fieldsV1. null and an absent value are the empty set. Like the API
// server, it ignores path elements of an unknown kind; for a key that is not a path element
// the error wraps document.ErrPath. A canonical value, as the API server writes it, is used
// without a copy.
func Decode(v document.Value) (Set, error) {
	if !v.Exists() || v.IsNull() {
		return Set{}, nil
	}
	if canonical(v, true) {
		return rooted(v), nil
	}
	n, _, err := rebuild(v)
	if err != nil {
		return Set{}, err
	}
	return rooted(n), nil
}

// canonical reports whether a trie is canonical.
func canonical(n document.Value, top bool) bool {
	if n.Kind() != document.Object {
		return false
	}
	for i := range n.Len() {
		key := n.Key(i)
		kid := n.At(i)
		if key == "." {
			if top || n.Len() == 1 || kid.Kind() != document.Object || kid.Len() > 0 {
				return false
			}
			continue
		}
		e, known, err := document.CanonicalElement(key)
		if err != nil || !known || Reread(e) != key {
			return false
		}
		if !RepeatsPrevious(n, i) && !canonical(kid, false) {
			return false
		}
	}
	return true
}

// RepeatsPrevious reports whether the i-th kid of a node shares its own kids with the preceding one,
// as most items of a list do. It then needs no separate check.
func RepeatsPrevious(n document.Value, i int) bool {
	return i > 0 && document.SameNode(n.At(i-1), n.At(i))
}

// rebuild returns the canonical trie of a node, absent if it has no elements. member
// reports whether the node itself is a field of the set.
func rebuild(n document.Value) (trie document.Value, member bool, err error) {
	if n.IsNull() {
		return document.Value{}, true, nil
	}
	if n.Kind() != document.Object {
		return document.Value{}, false, fmt.Errorf("fieldsV1 must be an object of path elements, not a %s", n.Kind())
	}
	var kids document.ObjectBuilder
	for i := range n.Len() {
		key := n.Key(i)
		if key == "." {
			member = true
			continue
		}
		e, known, err := document.CanonicalElement(key)
		if err != nil {
			return document.Value{}, false, err
		}
		if !known {
			continue
		}
		kid, is, err := rebuild(n.At(i))
		if err != nil {
			return document.Value{}, false, err
		}
		kids.Set(Reread(e), asNode(kid, is))
	}
	if kids.Len() == 0 {
		return document.Value{}, true, nil
	}
	return kids.Object(), member, nil
}

func asNode(trie document.Value, member bool) document.Value {
	switch {
	case !trie.Exists():
		return document.NewObject()
	case member:
		return trie.With(".", document.NewObject())
	}
	return trie
}
