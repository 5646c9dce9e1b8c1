package fieldmanager

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Owners returns the entries whose manager owns the field itself, in the order
// of managedFields. Who owns only something in it is not among them.
func (m Managed) Owners(field document.Path) []Entry {
	var out []Entry
	for _, e := range m.Entries() {
		if e.Fields.Has(field) {
			out = append(out, e)
		}
	}
	return out
}

// Of returns the entries of a manager, in the order of managedFields: what it
// applied, what it updated, on each subresource and in each apiVersion.
func (m Managed) Of(manager string) []Entry {
	var out []Entry
	for _, e := range m.Entries() {
		if e.Manager == manager {
			out = append(out, e)
		}
	}
	return out
}

// A Part is a part of an object and who owns it.
type Part struct {
	// At is where it stands, Path how field sets name it. What stands in a list
	// or an object with one owner has the Path and the owners of the whole.
	At   document.Path
	Path document.Path
	// Value of the part.
	Value document.Value
	// Owners are the positions of the entries that own it, ascending.
	Owners []int
}

// Parts calls f for every part of an object in the order of the document:
// members, items and what is in them. The slices of a Part are used again; clone
// them to keep them.
func (m *Manager) Parts(o Object, f func(Part)) {
	sets := make([]fieldset.Set, o.Managed.Len())
	for i, e := range o.Managed.entries {
		sets[i] = e.Fields
	}
	structured.Visit(m.types.Type, o.Value, sets, func(at, p document.Path, v document.Value, owners []int) {
		f(Part{At: at, Path: p, Value: v, Owners: owners})
	})
}

// Extract returns the configuration that a manager applied, as far as the object
// still has it: apiVersion, kind, name and namespace, and every field that the
// manager owns by an apply. It is what client-go's Extract functions give. ok is
// false where the manager has no such entry. An error is ErrType: the object
// does not fit its type.
func (m *Manager) Extract(o Object, manager string) (config document.Value, ok bool, err error) {
	if m.engine == nil {
		return document.Value{}, false, errZeroManager
	}
	self := m.self(manager, structured.OperationApply)
	i := find(o.Managed.entries, &self)
	if i < 0 {
		return document.Value{}, false, nil
	}
	config, err = m.engine.Extract(&m.types, o.Value, o.Managed.entries[i].Fields.Leaves())
	if err != nil {
		return document.Value{}, false, fmt.Errorf("the configuration of %q cannot be extracted: %w", manager, err)
	}
	config = config.With("apiVersion", document.NewString(m.config.APIVersion)).With("kind", document.NewString(m.config.Kind))
	for _, name := range [...]string{"name", "namespace"} {
		if v := o.Value.Lookup("metadata", name); v.StringOr("") != "" {
			config = config.Set(v, "metadata", name)
		}
	}
	return config, true, nil
}
