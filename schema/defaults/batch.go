package defaults

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
)

// batch holds fields of one object that rules have set. They are set together, because each change
// copies the members of the object and of those around it.
type batch struct {
	of      []step // path of the object
	changes []remake.Change
}

// takes reports whether the field of a rule can be added to the batch: it is a field of the
// same object, and neither the field nor what the rule depends on is changed by the batch.
func (b *batch) takes(r *Rule) bool {
	if len(b.changes) == 0 {
		return true
	}
	last := len(r.field) - 1
	switch {
	case !slices.Equal(b.of, r.field[:last]), b.has(r.field[last].name), slices.ContainsFunc(r.conditions, b.affects):
		return false
	case r.value.copy != nil:
		return !b.changed(*r.value.copy)
	case r.value.call != nil:
		return !b.changed(r.value.arg)
	}
	return true
}

func (b *batch) has(name string) bool { return remake.IndexOf(b.changes, name) >= 0 }

// affects reports whether a condition may depend on a field in the batch.
func (b *batch) affects(c condition) bool { return c.test == isAlone || b.changed(c.of) }

// changed reports whether a value may depend on a field in the batch.
func (b *batch) changed(s source) bool {
	for i, key := range s.keys {
		if i == len(b.of) {
			return b.has(key)
		}
		if key != b.of[i].name {
			return false
		}
	}
	return true
}

func (b *batch) add(field []step, v document.Value) {
	last := len(field) - 1
	b.of = field[:last]
	b.changes = append(b.changes, remake.Change{Key: field[last].name, Value: v})
}

// flush returns v with the fields of the batch, and empties the batch.
func (b *batch) flush(v document.Value) document.Value {
	if len(b.changes) > 0 {
		remake.SortChanges(b.changes)
		v = withFields(v, b.of, b.changes)
		b.changes = b.changes[:0]
	}
	return v
}

// withFields returns v with changed members of the object at a path, which is created if it is
// missing.
func withFields(v document.Value, path []step, changes []remake.Change) document.Value {
	if len(path) == 0 {
		return remake.WithChanges(v, changes)
	}
	name := path[0].name
	return v.With(name, withFields(v.Get(name), path[1:], changes))
}
