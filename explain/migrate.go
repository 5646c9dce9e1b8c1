package explain

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// Migration is the handover of the fields that client-side apply set to a manager that
// uses server-side apply: what changes in managedFields, and the patches that change
// it and change it back.
type Migration struct {
	// From are the names of the managers that are folded, sorted, and To the name of
	// the manager that applies from then on.
	From []string
	To   string
	// Before and After are the object with its owners before and after. Nothing but the
	// owners differs.
	Before, After fieldmanager.Object
	// Folded are the entries whose fields To gets, and Lost those that are removed
	// without handing their fields over, because they are in another apiVersion than
	// the entry of To.
	Folded, Lost []fieldmanager.Entry
	// Stuck are the fields that To cannot remove without the migration.
	Stuck []StuckField
}

// StuckField is a field that stays when its manager leaves it out of what it applies,
// because an entry of client-side apply still owns it.
type StuckField struct {
	Path document.Path `json:"path"`
	// Manager is the name of the manager that keeps the field.
	Manager string `json:"manager"`
	// Left is set if the applying manager has left the field out already, so that it is
	// stuck now; otherwise it will be stuck once it is left out.
	Left bool `json:"left,omitempty"`
	// Default is set by MarkDefaults: the API server would fill the field in again.
	Default bool `json:"default,omitempty"`
}

// Migrate rehearses the migration of an object by [fieldmanager.Managed.Migrate]. from
// are the managers to fold; with nil these are the ones that kubectl folds
// ([fieldmanager.Managed.ClientAppliers]).
func Migrate(o fieldmanager.Object, from []string, to string) *Migration {
	if from == nil {
		from = o.Managed.ClientAppliers()
	}
	m := &Migration{From: slices.Sorted(slices.Values(from)), To: to, Before: o, After: o}
	m.After.Managed = o.Managed.Migrate(from, to, "")
	applies := func(e fieldmanager.Entry) bool {
		return e.Manager == to && e.Operation == fieldmanager.OperationApply && e.Subresource == ""
	}
	var after fieldmanager.Set
	for _, e := range m.After.Managed.Entries() {
		if applies(e) {
			after = e.Fields
		}
	}
	var applied *fieldmanager.Set
	for _, e := range o.Managed.Entries() {
		switch {
		case applies(e):
			applied = &e.Fields
		case !m.folds(e):
		case after.Contains(e.Fields):
			m.Folded = append(m.Folded, e)
		default:
			m.Lost = append(m.Lost, e)
		}
	}
	for _, e := range slices.Concat(m.Folded, m.Lost) {
		m.findStuck(e, applied)
	}
	return m
}

// folds reports whether an entry is one of those that are folded.
func (m *Migration) folds(e fieldmanager.Entry) bool {
	return e.Operation == fieldmanager.OperationUpdate && e.Subresource == "" && slices.Contains(m.From, e.Manager)
}

// lastApplied is the path of the annotation of client-side apply.
var lastApplied = document.Keys("metadata", "annotations", fieldmanager.LastApplied)

// findStuck adds the fields that nobody but an entry, and perhaps the applying manager,
// owns. applied is what the latter owns, nil where it has not applied yet.
func (m *Migration) findStuck(e fieldmanager.Entry, applied *fieldmanager.Set) {
	for field := range e.Fields.Leaves().All() {
		if slices.Equal(field, lastApplied) {
			continue
		}
		others := slices.DeleteFunc(m.Before.Managed.Owners(field), func(o fieldmanager.Entry) bool {
			return m.folds(o) || o.Manager == m.To && o.Operation == fieldmanager.OperationApply
		})
		if len(others) == 0 {
			m.Stuck = append(m.Stuck, StuckField{Path: field, Manager: e.Manager, Left: applied != nil && !applied.Has(field)})
		}
	}
}

// MarkDefaults sets Default of the stuck fields that the object without its defaults
// lacks. schema/defaults' Rules.Minimize makes such an object. Client-side apply owns
// many of them, because an update owns what the API server filled in.
func (m *Migration) MarkDefaults(minimal document.Value) {
	for i := range m.Stuck {
		m.Stuck[i].Default = !minimal.Follow(m.Stuck[i].Path).Exists()
	}
}

// Needed reports whether the migration changes anything.
func (m *Migration) Needed() bool { return len(m.Folded)+len(m.Lost) > 0 }

// Patch returns the JSON patch that migrates the object, as client-go's
// util/csaupgrade makes it: it replaces the managedFields and names the
// resourceVersion of the object, so that the API server refuses it (409) if the object
// has changed meanwhile. It is an empty list where nothing is to be migrated. An object
// without a resourceVersion has no such guard.
func (m *Migration) Patch() document.Value {
	if !m.Needed() {
		return document.NewList()
	}
	return ownersPatch(m.After.Managed, m.Before.Value.Lookup("metadata", "resourceVersion").StringOr(""))
}

// Back returns the JSON patch that restores the managedFields from before the
// migration. resourceVersion is the one that the migrated object has; the patch is
// refused if the object has changed since, as the changes of other managers would be
// lost. The migration itself keeps nothing of the former owners, so that there is no
// way back without the object from before.
func (m *Migration) Back(resourceVersion string) document.Value {
	if !m.Needed() {
		return document.NewList()
	}
	return ownersPatch(m.Before.Managed, resourceVersion)
}

// ownersPatch returns a JSON patch that replaces the managedFields of an object. The
// version is replaced too and not tested, so that another one is a conflict and not an
// invalid patch.
func ownersPatch(owners fieldmanager.Managed, resourceVersion string) document.Value {
	replace := func(path string, v document.Value) document.Value {
		var b document.ObjectBuilder
		b.Set("op", document.NewString("replace"))
		b.Set("path", document.NewString(path))
		b.Set("value", v)
		return b.Object()
	}
	ops := []document.Value{replace("/metadata/managedFields", owners.Value())}
	if resourceVersion != "" {
		ops = append(ops, replace("/metadata/resourceVersion", document.NewString(resourceVersion)))
	}
	return document.NewList(ops...)
}
