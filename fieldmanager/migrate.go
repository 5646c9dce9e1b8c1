package fieldmanager

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Migrate hands the fields that client-side apply set over to a manager that uses
// server-side apply, as client-go's util/csaupgrade does. Without it the updating
// manager stays an owner of these fields, so that a later apply that leaves one
// out does not remove it.
//
// from are the names of updating managers, such as "kubectl-client-side-apply",
// and to is the name of the applying manager, such as "kubectl". Only entries of
// the subresource count, "" for the object itself. For each name in from:
//
//  1. The entry of the applying manager gets the fields of the updating one, if
//     both have the same apiVersion.
//  2. If there is no entry of the applying manager, the first entry of the
//     updating one becomes its entry.
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

// ClientAppliers returns the names of the managers that applied client-side, in the
// order of managedFields: those whose updates own the annotation LastApplied. They are
// what 'kubectl apply --server-side' hands over.
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
