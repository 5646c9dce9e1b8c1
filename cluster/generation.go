package cluster

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/semantic"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// hasFirstGeneration reports whether the generation of a new object is set to 1: if the resource
// has generations. Otherwise the client's value is kept.
func hasFirstGeneration(s *kinds.Strategy) bool {
	return s.Generation != nil && !s.NoFirstGeneration
}

// nextGeneration sets the generation of next to live's, incremented if a part that counts
// differs. compared is next in the form to use for the comparison.
func nextGeneration(s *kinds.Strategy, next, compared, live document.Value) document.Value {
	next = keepMeta(next, live, "generation")
	for _, part := range s.Generation {
		if !same(part, compared, live) {
			return withMeta(next, "generation", document.NewInt(metaInt(live, "generation")+1))
		}
	}
	return next
}

// sameParts reports whether the parts of two decoded objects of a built-in kind that determine
// the generation are semantically equal: amounts such as 1Gi and 1073741824 are.
func sameParts(s *kinds.Strategy, k *schema.Kind, a, b document.Value) bool {
	for _, part := range s.Generation {
		if !same(part, a, b) && !samePart(part, k.Type(), a, b) {
			return false
		}
	}
	return true
}

// samePart reports whether a part of two objects of a type is semantically equal.
func samePart(part string, typ *schema.Type, a, b document.Value) bool {
	if part == "!metadata" {
		return semantic.Equal(typ, a.Without("metadata"), b.Without("metadata"))
	}
	for _, name := range strings.Split(part, ".") {
		if typ == nil || typ.Map == nil {
			return false
		}
		typ, a, b = typ.Map.Member(name), a.Get(name), b.Get(name)
	}
	return typ != nil && semantic.Equal(typ, a, b)
}

// same reports whether a part of two objects is equal as the API server compares it: an empty
// list or object equals an absent one.
func same(part string, a, b document.Value) bool {
	if part == "!metadata" {
		return identicalBut("metadata", a, b)
	}
	for key := range strings.SplitSeq(part, ".") {
		a, b = a.Get(key), b.Get(key)
	}
	return identical(a, b)
}

// identicalBut reports whether two objects are equal except for one member.
func identicalBut(key string, a, b document.Value) bool {
	others := func(v document.Value) int {
		if v.Get(key).Exists() {
			return v.Len() - 1
		}
		return v.Len()
	}
	if others(a) != others(b) {
		return false
	}
	for i := range a.Len() {
		if name := a.Key(i); name != key && !document.Identical(a.At(i), b.Get(name)) {
			return false
		}
	}
	return true
}

func identical(a, b document.Value) bool {
	if isEmpty(a) && isEmpty(b) {
		return true
	}
	return document.Identical(a, b)
}

func isEmpty(v document.Value) bool {
	switch v.Kind() {
	case document.Absent:
		return true
	case document.List, document.Object:
		return v.Len() == 0
	}
	return false
}

// writesEmpty reports whether a written object has an empty list or map at one of the paths
// that determine its generation and are compared exactly. Storage drops it, so the strategy
// always finds a difference from the stored object.
func writesEmpty(s *kinds.Strategy, k *schema.Kind, written document.Value) bool {
	if !s.ExactGeneration {
		return false
	}
	for _, path := range s.Defaulted {
		if names := strings.Split(path, "."); written.Lookup(names...).Len() == 0 {
			written = written.Remove(names...)
		}
	}
	for _, part := range s.Generation {
		if k.Type().Map != nil && holdsEmpty(k.Type().Map.Member(part), written.Get(part)) {
			return true
		}
	}
	return false
}

// writesDropped reports whether a written object contains a field that counts for the
// generation and is dropped then.
func writesDropped(s *kinds.Strategy, k *schema.Kind, written document.Value) bool {
	return slices.ContainsFunc(s.Dropped, func(path string) bool {
		steps := strings.Split(path, ".")
		return hasAt(written, steps) && declares(k.Type(), steps) // not all versions have each
	})
}

// declares reports whether a type has a field at a path, through the items of lists and, for the
// name "*", the members of an object.
func declares(t *schema.Type, path []string) bool {
	for _, name := range path {
		for t != nil && t.List != nil {
			t = t.List.Elem
		}
		if t == nil {
			return false
		}
		t = t.Map.Member(name)
	}
	return t != nil
}

// hasAt reports whether a value has a member that is not empty at a path, through the items
// of lists and, for the name "*", all members of an object.
func hasAt(v document.Value, path []string) bool {
	if len(path) == 0 {
		return !isEmpty(v) && !v.IsNull()
	}
	if v.Kind() == document.List {
		for _, item := range v.Items() {
			if hasAt(item, path) {
				return true
			}
		}
		return false
	}
	if path[0] != "*" {
		return hasAt(v.Get(path[0]), path[1:])
	}
	for _, member := range v.Members() {
		if hasAt(member, path[1:]) {
			return true
		}
	}
	return false
}

// holdsEmpty reports whether v is or has an empty list, or an empty object of a type that is a
// map in Go.
func holdsEmpty(t *schema.Type, v document.Value) bool {
	switch {
	case t == nil:
		return false
	case v.Kind() == document.List && t.List != nil:
		for _, item := range v.Items() {
			if holdsEmpty(t.List.Elem, item) {
				return true
			}
		}
		return v.Len() == 0
	case v.Kind() == document.Object && t.Map != nil:
		for key, member := range v.Members() {
			if holdsEmpty(t.Map.Member(key), member) {
				return true
			}
		}
		return v.Len() == 0 && t.Map.Elem != nil && len(t.Map.Fields) == 0
	}
	return false
}
