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

// Set is an immutable set of field paths. The zero Set is empty.
//
// Paths in a Set name list items as managedFields does: items of lists with listType "map"
// by their keys (document.StepKey), items of lists with listType "set" by their value
// (document.StepValue). Values inside an atomic list or object have no path of their own.
// [Manager.FieldPath] converts the path of any value to such a path.
//
// A field is independent of the fields above and below it: a Set may contain either without
// the other.
type Set struct{ trie fieldset.Set }

// ErrField is the cause of errors about a path that cannot be in a Set.
var ErrField = errors.New("invalid field path")

// NewSet returns the set of the given fields. An error wraps ErrField.
func NewSet(fields ...document.Path) (Set, error) { return Set{}.Insert(fields...) }

// DecodeSet decodes a fieldsV1, the format of structured-merge-diff's fieldpath.Set. null
// is the empty set. Like the API server, it ignores path elements of an unknown kind. An
// error wraps ErrManagedFields.
func DecodeSet(fieldsV1 document.Value) (Set, error) {
	s, err := fieldset.Decode(fieldsV1)
	if err != nil {
		return Set{}, entryError(err)
	}
	return Set{s}, nil
}

// Insert returns the set with the given fields added. An error wraps ErrField: the path is
// empty, or has a negative index.
func (s Set) Insert(fields ...document.Path) (Set, error) {
	for _, p := range fields {
		if len(p) == 0 {
			return Set{}, fmt.Errorf("%w: the empty path refers to the whole object", ErrField)
		}
		for _, step := range p {
			if i, ok := step.Index(); ok && i < 0 {
				return Set{}, fmt.Errorf("%w: %s has a negative index", ErrField, p)
			}
		}
	}
	return Set{s.trie.Union(fieldset.Of(fields...))}, nil
}

// Remove returns the set without the given fields. Fields below them are kept.
func (s Set) Remove(fields ...document.Path) Set { return Set{s.trie.Minus(fieldset.Of(fields...))} }

// Has reports whether the field itself is in the set.
func (s Set) Has(field document.Path) bool { return s.trie.Has(field) }

// Below returns the fields of the set below a path, relative to it.
func (s Set) Below(path document.Path) Set {
	for _, step := range path {
		s.trie, _ = s.trie.Child(step.Element())
	}
	return s
}

// Steps returns the first steps of all paths in the set, sorted by document.Step.Compare.
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

// Leaves returns the fields that have no other field of the set below them.
func (s Set) Leaves() Set { return Set{s.trie.Leaves()} }

// Paths returns the fields of the set level by level, in the API server's order: the fields
// at the root sorted by document.Step.Compare, then those below each.
func (s Set) Paths() []document.Path { return slices.Collect(s.All()) }

// All iterates over the fields in the order of Paths.
func (s Set) All() iter.Seq[document.Path] {
	return func(yield func(document.Path) bool) {
		for _, p := range s.trie.Paths() {
			if !yield(p) {
				return
			}
		}
	}
}

// FieldsV1 encodes the set as a fieldsV1.
func (s Set) FieldsV1() document.Value { return s.trie.JSON() }

// String returns the paths of the set separated by spaces.
func (s Set) String() string {
	var texts []string
	for p := range s.All() {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, " ")
}

// MarshalJSON encodes the set as a fieldsV1.
func (s Set) MarshalJSON() ([]byte, error) { return s.FieldsV1().JSON(), nil }

// UnmarshalJSON decodes a fieldsV1 like DecodeSet.
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
