package fieldmanager

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
)

// Set is an immutable set of fields, each of them a path. The zero Set is empty.
//
// In a path of a Set, the items of lists are named as managedFields name them:
// those with listType "map" by their keys (document.StepKey), those with
// listType "set" by their value (document.StepValue). What is in an atomic list
// or object has no path of its own. [Manager.FieldPath] turns the path of any
// value into one of these.
//
// A field is not in a Set because the field above it is, or one below it.
type Set struct{ trie fieldset.Set }

// ErrField is the cause of an error about a path that cannot be in a Set.
var ErrField = errors.New("not the path of a field")

// NewSet returns the set of the fields given. An error is ErrField.
func NewSet(fields ...document.Path) (Set, error) { return Set{}.Insert(fields...) }

// DecodeSet reads the value of a fieldsV1, which structured-merge-diff defines
// (fieldpath.Set). null is the empty set. Path elements of an unknown kind are
// left out, as the API server does. An error is ErrManagedFields.
func DecodeSet(fieldsV1 document.Value) (Set, error) {
	s, err := fieldset.Decode(fieldsV1)
	if err != nil {
		return Set{}, entryError(err)
	}
	return Set{s}, nil
}

// Insert returns the set with the fields added. An error is ErrField: the empty
// path is not a field, and a list item with a negative index does not exist.
func (s Set) Insert(fields ...document.Path) (Set, error) {
	for _, p := range fields {
		if len(p) == 0 {
			return Set{}, fmt.Errorf("%w: the empty path leads to the object itself", ErrField)
		}
		for _, step := range p {
			if i, ok := step.Index(); ok && i < 0 {
				return Set{}, fmt.Errorf("%w: %s has a negative index", ErrField, p)
			}
		}
	}
	return Set{s.trie.Union(fieldset.Of(fields...))}, nil
}

// Remove returns the set without the fields given. Fields below them stay.
func (s Set) Remove(fields ...document.Path) Set { return Set{s.trie.Minus(fieldset.Of(fields...))} }

// Has reports whether the field itself is in the set.
func (s Set) Has(field document.Path) bool { return s.trie.Has(field) }

// Below returns the fields of the set that are below a path, with their paths
// from there.
func (s Set) Below(path document.Path) Set {
	for _, step := range path {
		s.trie, _ = s.trie.Child(step.Element())
	}
	return s
}

// Steps returns the steps right below the top of the set that are fields of it
// or have some below them, sorted by document.Step.Compare.
func (s Set) Steps() []document.Step {
	steps, _ := s.trie.Steps()
	return steps
}

// Union returns the fields that are in s, in o or in both.
func (s Set) Union(o Set) Set { return Set{s.trie.Union(o.trie)} }

// Intersect returns the fields that are both in s and in o.
func (s Set) Intersect(o Set) Set { return Set{s.trie.Intersect(o.trie)} }

// Minus returns the fields of s that are not in o.
func (s Set) Minus(o Set) Set { return Set{s.trie.Minus(o.trie)} }

// Contains reports whether every field of o is in s.
func (s Set) Contains(o Set) bool { return s.trie.Contains(o.trie) }

// Equal reports whether two sets hold the same fields.
func (s Set) Equal(o Set) bool { return s.trie.Equal(o.trie) }

// Empty reports whether no field is in the set.
func (s Set) Empty() bool { return s.trie.Empty() }

// Len returns the number of fields in the set.
func (s Set) Len() int { return s.trie.Size() }

// Leaves returns the fields of the set that have no field of the set below them.
func (s Set) Leaves() Set { return Set{s.trie.Leaves()} }

// Paths returns the fields of the set, level by level, as the API server lists
// them: those right below the top, sorted by document.Step.Compare, then those
// below each of them.
func (s Set) Paths() []document.Path { return slices.Collect(s.All()) }

// All iterates over the fields of the set in the order of Paths.
func (s Set) All() iter.Seq[document.Path] {
	return func(yield func(document.Path) bool) {
		for _, p := range s.trie.Paths() {
			if !yield(p) {
				return
			}
		}
	}
}

// FieldsV1 returns the set as the value of a fieldsV1.
func (s Set) FieldsV1() document.Value { return s.trie.JSON() }

// String lists the paths of the set, separated by blanks.
func (s Set) String() string {
	var texts []string
	for p := range s.All() {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, " ")
}

// MarshalJSON returns the set as a fieldsV1.
func (s Set) MarshalJSON() ([]byte, error) { return s.FieldsV1().JSON(), nil }

// UnmarshalJSON reads a fieldsV1 as DecodeSet does.
func (s *Set) UnmarshalJSON(data []byte) error {
	d, err := document.Parse(data, document.Options{MaxBytes: -1})
	if err != nil {
		return err
	}
	decoded, err := DecodeSet(d.Root)
	if err == nil {
		*s = decoded
	}
	return err
}
