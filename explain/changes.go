package explain

import (
	"slices"
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
	var changes []Change
	for i, j := 0, 0; i < len(was) || j < len(is); {
		switch {
		case j == len(is) || i < len(was) && was[i].path.Compare(is[j].path) < 0:
			changes = append(changes, Change{Path: was[i].path, Effect: Removed, Before: was[i].v, OwnersBefore: was[i].owners})
			i++
		case i == len(was) || is[j].path.Compare(was[i].path) < 0:
			changes = append(changes, Change{Path: is[j].path, Effect: Set, After: is[j].v, OwnersAfter: is[j].owners})
			j++
		default:
			if e, changed := effect(was[i], is[j]); changed {
				changes = append(changes, Change{Path: is[j].path, Effect: e, Before: was[i].v, After: is[j].v, OwnersBefore: was[i].owners, OwnersAfter: is[j].owners})
			}
			i++
			j++
		}
	}
	return changes
}

// field is a leaf of an object with its owners.
type field struct {
	path   fieldmanager.Path
	v      document.Value
	owners []string
}

func effect(was, is field) (Effect, bool) {
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

// leaves lists an object's fields sorted by path. What the API server writes
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
	slices.SortStableFunc(fields, func(a, b field) int { return a.path.Compare(b.path) })
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
