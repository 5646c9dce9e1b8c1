package fieldmanager

import (
	"slices"

	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Migrate hands the fields that client-side apply wrote over to a manager that
// applies from now on, as client-go's util/csaupgrade does: without it the fields
// stay owned by the updating manager too, so that leaving one out of a later
// apply does not remove it.
//
// from are the names of the updating managers, such as
// "kubectl-client-side-apply", to is that of the applying one, such as
// "kubectl". Only entries of the subresource count, "" for the object itself.
// For each of from in turn:
//
//  1. the applying manager's entry takes the fields of the updating one, where
//     both are in one apiVersion;
//  2. where there is no entry of the applying manager, the first of the updating
//     one becomes it;
//  3. the updating manager's entries go, in other versions too.
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
