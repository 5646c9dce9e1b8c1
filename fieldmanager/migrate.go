package fieldmanager

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Migrate transfers the fields set by client-side apply to a manager that uses server-side
// apply, like client-go's util/csaupgrade. Without it the updating manager remains an owner
// of these fields, so that a later apply that omits one does not remove it.
//
// from lists updating managers, such as "kubectl-client-side-apply", and to is the applying
// manager, such as "kubectl". Only entries of the given subresource are migrated, "" for
// the object itself. For each name in from:
//
//  1. The entry of the applying manager receives the fields of the updating one
//     if both have the same apiVersion.
//  2. If the applying manager has no entry, the first entry of the updating one
//     becomes its entry.
//  3. All other entries of the updating manager are removed.
func (m Managed) Migrate(from []string, to, subresource string) Managed {
	from = slices.Clone(from)
	slices.Sort(from)
	entries := slices.Clone(m.entries)
	for _, name := range slices.Compact(from) {
		entries = migrate(entries, name, to, subresource)
	}
	return newManaged(entries, m.list)
}

func migrate(entries []entry, from, to, subresource string) []entry {
	updates := func(e entry) bool {
		return e.Manager == from && e.Operation == structured.OperationUpdate && e.Subresource == subresource
	}
	at := slices.IndexFunc(entries, func(e entry) bool {
		return e.Manager == to && e.Operation == structured.OperationApply && e.Subresource == subresource
	})
	if at < 0 {
		if at = slices.IndexFunc(entries, updates); at < 0 {
			return entries
		}
		entries[at].Manager, entries[at].Operation = to, structured.OperationApply
	}
	target := &entries[at]
	for _, e := range entries {
		if updates(e) && e.APIVersion == target.APIVersion {
			target.Fields = target.Fields.Union(e.Fields)
			break
		}
	}
	return slices.DeleteFunc(entries, updates)
}

// ClientAppliers returns the managers that used client-side apply, in the order of
// managedFields: those whose updates own the annotation LastApplied. 'kubectl apply
// --server-side' migrates these.
func (m Managed) ClientAppliers() []string {
	annotation := document.Keys("metadata", "annotations", LastApplied)
	var names []string
	for _, e := range m.Entries() {
		if e.Operation == OperationUpdate && e.Fields.Has(annotation) && !slices.Contains(names, e.Manager) {
			names = append(names, e.Manager)
		}
	}
	return names
}
