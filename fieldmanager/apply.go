package fieldmanager

import (
	"errors"
	"fmt"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
)

// Apply merges a configuration into the live object for a manager. Rules, in
// order:
//
//	kind      the configuration is of the manager's kind and version and names
//	          no managedFields
//	first     where nobody manages the live object, all that it has belongs to
//	          "before-first-apply" from now on
//	merge     own, merge, prune, conflict, transfer and drop: see
//	          structured.Merger.Apply
//	kubectl   the manager "kubectl" gets past conflicts on fields that still
//	          have the value of its last client-side apply (allowedByLastApplied)
//	metadata  what the server fills in is nobody's (serverFields)
//	time      the entry's time is now where the object changed; where only
//	          owners did it keeps its time, and a new one has none
//	finish    a changed object goes through Config.Finish
//	annotate  for "kubectl", an annotation of a last client-side apply is
//	          rewritten (annotateLastApplied)
//
// An error is a Conflicts, or wraps ErrType, ErrManagedFields, ErrRequest,
// ErrVersion or what Config.Finish returned; nothing is changed then.
func (m *Manager) Apply(live Object, config document.Value, manager string, force bool, now time.Time) (Object, error) {
	if err := m.checkConfig(config); err != nil {
		return Object{}, err
	}
	value := m.orEmpty(live.Value)
	entries := live.Managed.entries
	var first Set
	if len(entries) == 0 {
		var err error
		if entries, err = m.Observed(nil).update(m.config.Empty, value, nil, firstApply, now); err != nil {
			return Object{}, fmt.Errorf("the fields that the object has cannot be tracked: %w", err)
		}
		for i := range entries {
			m.note(RuleFirst, patch.Added, firstApply)
			first = entries[i].Fields
			entries[i].Fields = first.Reread()
		}
	}
	self := m.self(manager, OperationApply)
	types, watcher := m.watch(false)
	merged, changed, after, err := m.engine.Apply(types, value, config, entries, self, force)
	var conflicts structured.Conflicts
	if errors.As(err, &conflicts) {
		if conflicts = m.withoutLastApplied(conflicts, value, manager); len(conflicts) > 0 {
			watcher.tellConflicts(conflicts, value, config)
			return Object{}, m.describe(conflicts, value, config, live.Managed.Len() == 0)
		}
		m.note(RuleKubectl, patch.TakenOver, manager)
		types, watcher = m.watch(false)
		merged, changed, after, err = m.engine.Apply(types, value, config, entries, self, true)
	}
	if err != nil {
		return Object{}, err
	}
	watcher.tell(value, merged)
	for i := range after {
		if after[i].Manager == firstApply && !first.Empty() {
			after[i].Fields = after[i].Fields.Written(first)
		}
	}
	after = settleApplier(after, entries, &self, changed, now)
	if changed && m.config.Finish != nil {
		if merged, err = m.config.Finish(merged); err != nil {
			return Object{}, err
		}
	}
	if manager == kubectl {
		merged = annotateLastApplied(merged, config)
	}
	return Object{Value: merged, Managed: newManaged(after, live.Managed.list)}, nil
}

func (m *Manager) checkConfig(config document.Value) error {
	version, kind := config.Get("apiVersion").StringOr(""), config.Get("kind").StringOr("")
	if version != m.config.APIVersion || kind != m.config.Kind {
		return fmt.Errorf("%w: invalid object type: %s, Kind=%s is applied to %s, Kind=%s", ErrRequest, version, kind, m.config.APIVersion, m.config.Kind)
	}
	if config.Lookup("metadata", "managedFields").Kind() == document.List {
		return fmt.Errorf("%w: metadata.managedFields must be nil", ErrRequest)
	}
	return nil
}

// settleApplier takes what is the server's from the entry of an apply and gives
// it its time. Where the entry's fields are as before, it keeps them as they were
// written.
func settleApplier(after, before []Entry, self *Entry, changed bool, now time.Time) []Entry {
	at := find(after, self)
	if at < 0 {
		return after
	}
	e := &after[at]
	e.Fields = e.Fields.Minus(serverFields())
	if e.Fields.Empty() {
		return append(after[:at], after[at+1:]...)
	}
	if old := find(before, self); old >= 0 {
		e.Time = before[old].Time
		e.Source = before[old].Source
		if e.Fields.Equal(before[old].Fields) {
			e.Fields = before[old].Fields
		}
	}
	if changed {
		e.Time = now
	}
	return after
}

// describe makes the error of an apply that conflicts. fresh says that the
// entries were made by this request.
func (m *Manager) describe(found structured.Conflicts, live, config document.Value, fresh bool) Conflicts {
	var out Conflicts
	for _, c := range found {
		e := c.Entry
		t, a, b := m.types.Type, live, config
		if e.APIVersion != m.types.Version {
			if other, _ := m.other(e.APIVersion); other != nil {
				t, a, b = other, m.converted(a, e.APIVersion), m.converted(b, e.APIVersion)
			}
		}
		structured.Locate(t, c.Fields, []document.Value{a, b}, func(p Path, at []document.Value, _ []document.Path) {
			out = append(out, Conflict{
				Manager: e.Manager, Operation: e.Operation, APIVersion: e.APIVersion, Subresource: e.Subresource, Time: e.Time,
				Path: p, Live: at[0], Wanted: at[1], fresh: fresh,
			})
		})
	}
	return out.sorted()
}

// converted returns a value in another version for a message, or as it is where
// it cannot be converted.
func (m *Manager) converted(v document.Value, version string) document.Value {
	if m.config.Convert != nil {
		if c, err := m.config.Convert(v, version); err == nil {
			return c
		}
	}
	return v
}
