package fieldmanager

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// ApplyOptions holds the options of an apply.
type ApplyOptions struct {
	// FieldManager is the name of the manager that applies. It is required.
	FieldManager string
	// Force takes ownership of conflicting fields from other managers.
	Force bool
	// Time is the time of the request for the manager's entry. If it is zero, a new or
	// changed entry has no time.
	Time time.Time
	// Finish replaces Config.Finish unless it is nil.
	Finish func(merged document.Value, at time.Time) (document.Value, error)
}

// Apply merges a configuration into the live object for a manager. live is the zero Object
// if the object does not exist yet. Apply follows these rules, in order:
//
//	request   the manager has a name; the configuration has the Manager's kind
//	          and version, has no managedFields and does not name another
//	          object; the value of the live object has no managedFields (see Split)
//	first     if the live object has no managers, "before-first-apply" becomes
//	          the owner of all its fields
//	merge     own, merge, prune, conflict, transfer and drop, see
//	          doc/ownership.md
//	kubectl   the manager "kubectl" overrides conflicts on fields that still
//	          have the value of its last client-side apply
//	metadata  nobody owns fields that the server sets, such as metadata.uid
//	time      if the object changed, the entry has the time of the request; if
//	          only owners changed, an entry keeps its time and a new one has none
//	finish    a changed object is completed by Config.Finish
//	annotate  for "kubectl", an existing last-applied annotation is updated
//
// An error is a *Conflicts, or wraps ErrRequest, ErrName, ErrType, ErrManagedFields,
// ErrVersion or an error of Config.Finish. The live object is not modified.
func (m *Manager) Apply(live Object, config document.Value, o ApplyOptions) (Object, error) {
	if err := m.checkApply(live, config, o.FieldManager); err != nil {
		return Object{}, err
	}
	value, at := m.orEmpty(live.Value), storedTime(o.Time)
	entries, err := m.beforeApply(live, value, at)
	if err != nil {
		return Object{}, err
	}
	self := m.self(o.FieldManager, structured.OperationApply)
	applied := config
	if config.Get("apiVersion").StringOr("") != m.config.APIVersion { // "/v1"
		applied = config.With("apiVersion", document.NewString(m.config.APIVersion))
	}
	merged, changed, after, err := m.merge(value, applied, entries, self, o.Force)
	if err != nil {
		return Object{}, err
	}
	after = completeApplier(after, entries, &self, changed, at)
	finish := o.Finish
	if finish == nil {
		finish = m.config.Finish
	}
	if changed && finish != nil {
		if merged, err = finish(merged, o.Time); err != nil {
			return Object{}, err
		}
	}
	if err := checkName(live.Value, config); err != nil {
		return Object{}, err
	}
	if o.FieldManager == kubectl {
		merged = annotateLastApplied(merged, config)
	}
	// The entries replace a null that the configuration has in place of managedFields. It is a change
	// only of the merged object, which decides whether the entry has the time of the request.
	return Object{Value: withoutManaged(merged), Managed: newManaged(after, live.Managed.list)}, nil
}

// notSplit returns the error for a live object that still has managedFields. Its owners
// would be lost.
func notSplit() error {
	return &RequestError{Detail: "the live object still has metadata.managedFields; use Split"}
}

func (m *Manager) checkApply(live Object, config document.Value, manager string) error {
	if m.engine == nil {
		return errZeroManager
	}
	if manager == "" {
		return &RequestError{Detail: "a field manager is required for an apply"}
	}
	if live.Value.Lookup("metadata", "managedFields").Exists() {
		return notSplit()
	}
	version, kind := config.Get("apiVersion").StringOr(""), config.Get("kind").StringOr("")
	if schema.CanonicalAPIVersion(version) != m.config.APIVersion || kind != m.config.Kind {
		if !strings.Contains(version, "/") {
			version = "/" + version // the empty group, as the API server prints it
		}
		return &RequestError{Detail: fmt.Sprintf("invalid object type: %s, Kind=%s", version, kind)}
	}
	if list := config.Lookup("metadata", "managedFields"); list.Kind() == document.List && !isUnreadable(list) {
		return &RequestError{"metadata.managedFields must be nil", document.Keys("metadata", "managedFields")}
	}
	return nil
}

// isUnreadable reports whether the API server cannot read managedFields of a configuration, which it
// then takes for none: an entry is null, or has a value of a wrong type or a time that is none. Values
// of wrong types are refused when the configuration is merged.
func isUnreadable(managedFields document.Value) bool {
	for _, entry := range managedFields.Items() {
		if entry.Kind() != document.Object {
			return true
		}
		for _, name := range [...]string{"manager", "operation", "apiVersion", "fieldsType", "subresource", "time"} {
			v := entry.Get(name)
			text, isText := v.Text()
			if !isText && v.Exists() && !v.IsNull() {
				return true
			}
			if _, err := time.Parse(time.RFC3339, text); name == "time" && isText && err != nil {
				return true
			}
		}
	}
	return false
}

// checkName refuses a configuration with another name or namespace than the live object.
// The API server does so after conflicts and defaulting.
func checkName(live, config document.Value) error {
	for _, field := range [...]string{"namespace", "name"} {
		is, wanted := live.Lookup("metadata", field).StringOr(""), config.Lookup("metadata", field).StringOr("")
		if is != "" && wanted != "" && is != wanted {
			return fmt.Errorf("%w: metadata.%s is %q in the configuration but %q in the live object", ErrName, field, wanted, is)
		}
	}
	return nil
}

// beforeApply returns the entries before an apply: those of the live object, or a single
// "before-first-apply" entry if it has none.
func (m *Manager) beforeApply(live Object, value document.Value, now time.Time) ([]entry, error) {
	if live.Managed.Len() > 0 {
		return live.Managed.entries, nil
	}
	entries, err := m.Observed(nil).update(m.config.Empty, value, nil, UpdateOptions{FieldManager: firstApply, Time: now})
	if err != nil {
		return nil, fmt.Errorf("the object's fields cannot be tracked: %w", err)
	}
	for i := range entries {
		m.note(RuleFirst, patch.Added, ownerOf(&entries[i]))
		entries[i].Fields = entries[i].Fields.Reread()
	}
	return entries, nil
}

// merge applies a configuration with the engine, and again with force if kubectl may
// override the conflicts.
func (m *Manager) merge(live, config document.Value, entries []entry, self entry, force bool) (document.Value, bool, []entry, error) {
	types, recorder := m.record(ownerOf(&self), false)
	merged, changed, after, err := m.engine.Apply(types, live, config, entries, self, force)
	var conflicts structured.Conflicts
	if errors.As(err, &conflicts) {
		if conflicts = m.withoutLastApplied(conflicts, live, self.Manager); len(conflicts) > 0 {
			recorder.publishConflicts(conflicts, live, config)
			return live, false, nil, m.describe(conflicts, live, config)
		}
		m.note(RuleKubectl, patch.TakenOver, ownerOf(&self))
		types, recorder = m.record(ownerOf(&self), false)
		merged, changed, after, err = m.engine.Apply(types, live, config, entries, self, true)
	}
	if err == nil {
		recorder.publish(live, merged)
	}
	return merged, changed, after, err
}

// completeApplier removes the server's fields from the applier's entry and sets its time.
// An entry whose fields did not change keeps its decoded source, so that it is not encoded
// again.
func completeApplier(after, before []entry, self *entry, changed bool, now time.Time) []entry {
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

// describe returns the error for an apply with conflicts.
func (m *Manager) describe(found structured.Conflicts, live, config document.Value) *Conflicts {
	var list []Conflict
	fields, steps := 0, 0
	for _, c := range found {
		fields += c.Fields.Size()
		owner, since := ownerOf(&c.Entry), c.Entry.Time
		t, a, b := m.types.Type, live, config
		if owner.APIVersion != m.types.Version {
			if other, _ := m.other(owner.APIVersion); other != nil {
				t, a, b = other, m.converted(a, owner.APIVersion), m.converted(b, owner.APIVersion)
			}
		}
		structured.Locate(t, c.Fields, []document.Value{a, b}, func(p document.Path, at []document.Value, _ []document.Path) bool {
			if steps += len(p); steps > maxConflictSteps && len(list) > 0 {
				return false
			}
			list = append(list, Conflict{Owner: owner, Time: since, Path: p, Live: at[0], Wanted: at[1]})
			return true
		})
	}
	return newConflicts(list, fields-len(list))
}

// converted returns a value in another version for a message, or unchanged if it cannot be
// converted.
func (m *Manager) converted(v document.Value, version string) document.Value {
	if m.config.Convert != nil {
		if c, err := m.config.Convert(v, version); err == nil {
			return c
		}
	}
	return v
}
