package fieldset

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
)

// ErrFields says that a value is no fieldsV1.
var ErrFields = errors.New("not a fieldsV1")

// Decode reads the value of a fieldsV1. null and an absent value are the empty
// set. Elements of kinds that are not known are left out, as the API server
// does; what is no path element at all is an error that wraps document.ErrPath. Where the value is
// canonical, as the API server writes it, the set lies right over it.
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

// canonical reports whether a trie needs no rebuilding.
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
		if !Twin(n, i) && !canonical(kid, false) {
			return false
		}
	}
	return true
}

// Twin reports whether the i-th kid of a node is the same as the one before, as
// are those of most items of a list: what holds below one holds below the other.
func Twin(n document.Value, i int) bool {
	return i > 0 && document.SameNode(n.At(i-1), n.At(i))
}

// rebuild returns the canonical trie for a node: absent where it has no
// elements. member says that the node itself is a field of the set.
func rebuild(n document.Value) (trie document.Value, member bool, err error) {
	if n.IsNull() {
		return document.Value{}, true, nil
	}
	if n.Kind() != document.Object {
		return document.Value{}, false, &FieldsError{Kind: n.Kind()}
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

// FieldsError says that a value stands where a fieldsV1 has an object.
type FieldsError struct{ Kind document.Kind }

func (e *FieldsError) Error() string {
	return "fieldsV1 holds a " + e.Kind.String() + " where an object of path elements should stand"
}

// Unwrap returns ErrFields.
func (e *FieldsError) Unwrap() error { return ErrFields }
