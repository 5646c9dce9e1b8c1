package explain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// Effect is what a step did to a field.
type Effect string

// The effects.
const (
	// Set: the field was not there, or had another value.
	Set Effect = "set"
	// Removed: the field is gone.
	Removed Effect = "removed"
	// TakenOver: the value or the object changed hands: an owner lost the field
	// and another has it.
	TakenOver Effect = "taken over"
	// Shared: the field has an owner more.
	Shared Effect = "shared"
	// GivenUp: the field has an owner less and stays as it was.
	GivenUp Effect = "given up"
)

// Change is a field that differs between two states of an object.
type Change struct {
	Path   fieldmanager.Path
	Effect Effect
	// Before and After are the values, absent where there was none.
	Before, After document.Value
	// OwnersBefore and OwnersAfter name the managers, sorted.
	OwnersBefore, OwnersAfter []string
}

// Changes lists the fields that differ between two states of an object, in
// value or in owners, in the order of their paths. Fields are leaves: scalars,
// empty objects and lists, and what is atomic.
func Changes(t *schema.Type, before, after fieldmanager.Object) []Change {
	was, is := leaves(t, before), leaves(t, after)
	at := make(map[string]int, len(was))
	for i := range was {
		at[was[i].key()] = i
	}
	var changes []Change
	for i := range is {
		now := &is[i]
		key := now.key()
		j, found := at[key]
		if !found {
			changes = append(changes, Change{Path: now.path, Effect: Set, After: now.v, OwnersAfter: now.owners})
			continue
		}
		delete(at, key)
		if e, changed := effect(&was[j], now); changed {
			changes = append(changes, Change{Path: now.path, Effect: e, Before: was[j].v, After: now.v, OwnersBefore: was[j].owners, OwnersAfter: now.owners})
		}
	}
	for i := range was {
		if j, left := at[was[i].key()]; left && j == i {
			changes = append(changes, Change{Path: was[i].path, Effect: Removed, Before: was[i].v, OwnersBefore: was[i].owners})
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return a.Path.Compare(b.Path) })
	return changes
}

// field is a leaf of an object with its owners.
type field struct {
	path   fieldmanager.Path
	v      document.Value
	owners []string
}

// key tells fields apart: two paths are the same where their elements are.
func (f *field) key() string {
	var b strings.Builder
	for _, e := range f.path {
		b.WriteString(strconv.Itoa(len(e)))
		b.WriteString(string(e))
	}
	return b.String()
}

func effect(was, is *field) (Effect, bool) {
	lost := slices.ContainsFunc(was.owners, func(o string) bool { return !slices.Contains(is.owners, o) })
	won := slices.ContainsFunc(is.owners, func(o string) bool { return !slices.Contains(was.owners, o) })
	switch {
	case lost && won:
		return TakenOver, true
	case !document.Identical(was.v, is.v):
		return Set, true
	case won:
		return Shared, true
	case lost:
		return GivenUp, true
	}
	return "", false
}

// leaves lists an object's fields. What the API server writes
// anew with every request (resourceVersion, generation) is left out.
func leaves(t *schema.Type, o fieldmanager.Object) []field {
	if !o.Value.Exists() {
		return nil
	}
	names := managerNames(o.Managed)
	var fields []field
	var walk func(p place)
	walk = func(p place) {
		if p.leaf() {
			f := field{path: p.path, v: p.v}
			for _, i := range p.owners() {
				f.owners = append(f.owners, names[i])
			}
			slices.Sort(f.owners)
			f.owners = slices.Compact(f.owners)
			fields = append(fields, f)
			return
		}
		for i := range p.v.Len() {
			if p.v.Kind() == document.Object {
				walk(p.member(i))
			} else {
				walk(p.item(i))
			}
		}
	}
	walk(root(t, withoutCounters(o)))
	return fields
}

func withoutCounters(o fieldmanager.Object) fieldmanager.Object {
	for _, name := range [...]string{"resourceVersion", "generation", "uid", "creationTimestamp", "managedFields"} {
		o.Value = o.Value.Remove("metadata", name)
	}
	return o
}

// managerNames gives each entry a name: its manager's, with the subresource.
func managerNames(m fieldmanager.Managed) []string {
	names := make([]string, 0, m.Len())
	for _, e := range m.Entries() {
		parts := []string{e.Manager}
		if e.Subresource != "" {
			parts = append(parts, e.Subresource)
		}
		names = append(names, strings.Join(parts, "/"))
	}
	return names
}
