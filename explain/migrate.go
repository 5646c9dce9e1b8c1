package explain

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// Migration is the migration of an object from client-side to server-side apply: the change
// of its managedFields, and the patches that make and revert it.
type Migration struct {
	// From lists the managers whose fields are transferred, sorted. To is the manager that
	// applies after the migration.
	From []string `json:"from"`
	To   string   `json:"to"`
	// Before and After are the object with its owners before and after. Only the owners
	// differ.
	Before fieldmanager.Object `json:"before"`
	After  fieldmanager.Object `json:"after"`
	// Folded holds the entries whose fields To receives. Lost holds entries that are
	// removed without a transfer, because they have another apiVersion than the entry of
	// To.
	Folded []fieldmanager.Entry `json:"folded,omitempty"`
	Lost   []fieldmanager.Entry `json:"lost,omitempty"`
	// Stuck lists the fields that To cannot remove without the migration.
	Stuck []StuckField `json:"stuck,omitempty"`
}

// StuckField is a field that remains when its manager omits it from the configuration,
// because a client-side apply entry owns it too.
type StuckField struct {
	Path document.Path `json:"path"`
	// Manager is the name of that other owner.
	Manager string `json:"manager"`
	// Left is set if the applying manager has already omitted the field, so that it is
	// stuck now and not only in future.
	Left bool `json:"left,omitempty"`
	// Default is set by MarkDefaults: the API server would default the field anyway.
	Default bool `json:"default,omitempty"`
}

// Migrate previews the migration of an object by [fieldmanager.Managed.Migrate]. from lists
// the managers to migrate; nil selects those that kubectl migrates
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

// folds reports whether an entry is migrated.
func (m *Migration) folds(e fieldmanager.Entry) bool {
	return e.Operation == fieldmanager.OperationUpdate && e.Subresource == "" && slices.Contains(m.From, e.Manager)
}

// lastApplied is the path of the last-applied annotation.
var lastApplied = document.Keys("metadata", "annotations", fieldmanager.LastApplied)

// findStuck adds the fields that only an entry and possibly the applying manager own.
// applied holds the fields of the latter; nil if it has not applied yet.
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

// MarkDefaults sets Default for the stuck fields that minimal lacks. minimal is the object
// without defaults, from Rules.Minimize of schema/defaults. Client-side apply owns many
// defaults, because an update owns the fields that the API server defaulted.
func (m *Migration) MarkDefaults(minimal document.Value) {
	for i := range m.Stuck {
		m.Stuck[i].Default = !minimal.Follow(m.Stuck[i].Path).Exists()
	}
}

// Needed reports whether the migration changes anything.
func (m *Migration) Needed() bool { return len(m.Folded)+len(m.Lost) > 0 }

// Patch returns the JSON patch that migrates the object, like client-go's util/csaupgrade.
// It replaces the managedFields and sets the object's resourceVersion, so that the API
// server refuses it (409) if the object has changed. It is an empty list if there is
// nothing to migrate. For an object without a resourceVersion it has no such check.
func (m *Migration) Patch() document.Value {
	if !m.Needed() {
		return document.NewList()
	}
	return ownersPatch(m.After.Managed, m.Before.Value.Lookup("metadata", "resourceVersion").StringOr(""))
}

// Back returns the JSON patch that restores the managedFields from before the migration.
// resourceVersion is that of the migrated object; the patch is refused if the object has
// changed since, because changes by other managers would be lost. The migrated object does
// not contain its former owners, so reverting needs the object from before.
func (m *Migration) Back(resourceVersion string) document.Value {
	if !m.Needed() {
		return document.NewList()
	}
	return ownersPatch(m.Before.Managed, resourceVersion)
}

// ownersPatch returns a JSON patch that replaces an object's managedFields. The
// resourceVersion is replaced and not tested, so that a mismatch is a conflict and not an
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
