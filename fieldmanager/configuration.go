package fieldmanager

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Configuration returns the configuration that a manager must apply to change the live
// object to wanted: the fields that it applied before and wanted still has, and the fields
// that are new or changed in wanted. It includes apiVersion, kind, name and namespace. A
// field that wanted lacks is omitted, so that the apply removes it if no other manager owns
// it. An error is ErrType: an object does not match its type.
func (m *Manager) Configuration(live Object, wanted document.Value, manager string) (document.Value, error) {
	if m.engine == nil {
		return document.Value{}, errZeroManager
	}
	tracked, err := m.Observed(nil).update(live.Value, wanted, nil, UpdateOptions{FieldManager: manager})
	if err != nil {
		return document.Value{}, err
	}
	self := m.self(manager, structured.OperationApply)
	if len(tracked) > 0 { // the manager's entry, if anything changes
		self.Fields = tracked[0].Fields.Leaves()
	}
	if i := find(live.Managed.entries, &self); i >= 0 { // skips paths of another version that wanted lacks
		self.Fields = self.Fields.Union(live.Managed.entries[i].Fields)
	}
	self.Fields = self.Fields.Union(keysOf(self.Fields))
	config, _, err := m.Extract(Object{Value: wanted, Managed: newManaged([]entry{self}, document.Value{})}, manager)
	return config, err
}

// keysOf returns the key fields of the list items on the paths of fields. A configuration
// must contain them even if only other fields of the item are in the set.
func keysOf(fields fieldset.Set) fieldset.Set {
	var keys []document.Path
	fields.Walk(func(p document.Path) {
		for i, step := range p {
			if step.Kind() != document.StepKey {
				continue
			}
			for name := range step.Value().Members() {
				keys = append(keys, slices.Clone(p[:i+1]).Child(name))
			}
		}
	})
	return fieldset.Of(keys...)
}
