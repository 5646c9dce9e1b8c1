package verify

import "github.com/patchlab-dev/patchlab/document"

// shrinker removes members and items from a value as long as the rest satisfies a
// predicate.
type shrinker struct {
	still func(document.Value) bool
	left  int // remaining tries
}

// defaultShrinkTries is the default number of tries of Shrink.
const defaultShrinkTries = 20000

// Shrink returns the smallest part of v satisfying still that it finds in the given number
// of tries (0 for defaultShrinkTries), and the number of tries used. v itself must satisfy
// still.
func Shrink(v document.Value, tries int, still func(document.Value) bool) (document.Value, int) {
	if tries == 0 {
		tries = defaultShrinkTries
	}
	s := shrinker{still, tries}
	for {
		less := s.within(v, func(part document.Value) document.Value { return part })
		if s.left == 0 || document.SameNode(less, v) {
			return less, tries - s.left
		}
		v = less
	}
}

func (s *shrinker) try(v document.Value) bool {
	if s.left == 0 {
		return false
	}
	s.left--
	return s.still(v)
}

// within shrinks a part of the value; whole returns the value with that part replaced.
func (s *shrinker) within(v document.Value, whole func(part document.Value) document.Value) document.Value {
	for size := v.Len(); size > 0; size /= 2 {
		for at := 0; at < v.Len(); {
			less := without(v, at, size)
			if s.try(whole(less)) {
				v = less
			} else {
				at += size
			}
		}
	}
	for i := range v.Len() {
		outer := v
		kid := s.within(v.At(i), func(part document.Value) document.Value { return whole(replaced(outer, i, part)) })
		if !document.SameNode(kid, v.At(i)) {
			v = replaced(v, i, kid)
		}
	}
	return v
}

// without returns an object or list without n members or items from index at on.
func without(v document.Value, at, n int) document.Value {
	var members document.ObjectBuilder
	var items document.ListBuilder
	for i := range v.Len() {
		switch {
		case i >= at && i < at+n:
		case v.Kind() == document.Object:
			members.Keep(v, i)
		default:
			items.Append(v.At(i))
		}
	}
	if v.Kind() == document.Object {
		return members.Object()
	}
	return items.List()
}

func replaced(v document.Value, at int, part document.Value) document.Value {
	if v.Kind() == document.Object {
		return v.With(v.Key(at), part)
	}
	return v.WithItem(at, part)
}
