package fieldmanager

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Owners returns the entries that own the field itself, in the order of managedFields;
// entries that own only fields below it are not included. The path must name list items as
// in a Set; Manager.FieldPath converts any other path.
func (m Managed) Owners(field document.Path) []Entry {
	var out []Entry
	for _, e := range m.Entries() {
		if e.Fields.Has(field) {
			out = append(out, e)
		}
	}
	return out
}

// Of returns all entries of a manager, in the order of managedFields: of both operations,
// all subresources and all apiVersions.
func (m Managed) Of(manager string) []Entry {
	var out []Entry
	for _, e := range m.Entries() {
		if e.Manager == manager {
			out = append(out, e)
		}
	}
	return out
}

// FieldPath converts the path p of a value in an object to its path in field sets: list
// indices become keys or values, and a path into an atomic list or object is truncated to
// it, because the whole has the owners.
//
// An error wraps ErrField: the object has no value at p, or p refers to the whole object.
func (m *Manager) FieldPath(object document.Value, p document.Path) (document.Path, error) {
	if m.engine == nil {
		return nil, errZeroManager
	}
	t, v := m.types.Type, object
	var field document.Path
	for i, step := range p {
		if structured.Whole(t, v) {
			break
		}
		next := step.In(v)
		if !next.Exists() {
			return nil, missing(p[:i], step)
		}
		if name, ok := step.Name(); ok {
			t = t.Map.Member(name)
		} else {
			element, ok := structured.ItemElement(t.List, next)
			if !ok {
				return nil, fmt.Errorf("%w: the item %s has no key", ErrField, p[:i+1])
			}
			step, t = fieldset.Step(element), t.List.Elem
		}
		field, v = append(field, step), next
	}
	if len(field) == 0 {
		return nil, fmt.Errorf("%w: %s refers to the whole object", ErrField, p)
	}
	return field, nil
}

func missing(in document.Path, step document.Step) error {
	if name, ok := step.Name(); ok {
		return fmt.Errorf("%w: %s has no field %s", ErrField, in, name)
	}
	return fmt.Errorf("%w: %s has no item %s", ErrField, in, step)
}

// Part is a part of an object with its owners.
type Part struct {
	// At is the path of the part in the object. Path is its path in field sets (see
	// Manager.FieldPath). A part of an atomic list or object has the Path and the owners of
	// the whole.
	At   document.Path
	Path document.Path
	// Value is the value of the part.
	Value document.Value
	// Owners holds the indices in managedFields of the entries that own the part,
	// ascending.
	Owners []int
}

// Parts calls f for every part of an object in document order: members, items, and the
// parts below them. The slices of a Part are reused; clone them to keep them. A zero
// Manager has no parts.
func (m *Manager) Parts(o Object, f func(Part)) {
	if m.engine == nil {
		return
	}
	sets := make([]fieldset.Set, o.Managed.Len())
	for i, e := range o.Managed.entries {
		sets[i] = e.Fields
	}
	structured.Visit(m.types.Type, o.Value, sets, func(at, p document.Path, v document.Value, owners []int) {
		f(Part{At: at, Path: p, Value: v, Owners: owners})
	})
}

// Extract returns the configuration that a manager applied, as far as the object still has
// it, like client-go's Extract functions: apiVersion, kind, name and namespace, and every
// field that the manager owns by an apply. ok is false if the manager has no such entry. An
// error is ErrType: the object does not match its type.
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
