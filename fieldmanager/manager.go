package fieldmanager

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

const (
	// firstApply is the manager of the fields that an object without managers had before
	// its first apply.
	firstApply = "before-first-apply"
	// nameless is the manager of an update without a field manager.
	nameless = "unknown"
)

// errZeroManager is the error of the methods of a zero Manager.
var errZeroManager = errors.New("fieldmanager: the Manager was not created by New")

// New returns the Manager for a Config. An error names the missing field of the Config.
func New(c Config) (*Manager, error) {
	switch {
	case c.APIVersion == "" || c.Kind == "":
		return nil, errors.New("fieldmanager: Config requires APIVersion and Kind")
	case c.Type == nil:
		return nil, errors.New("fieldmanager: Config requires the Type of " + c.APIVersion + ", Kind=" + c.Kind)
	}
	m := &Manager{config: c, engine: c.Engine}
	if m.engine == nil {
		m.engine = structured.Merger{}
	}
	if !m.config.Empty.Exists() {
		m.config.Empty = emptyOf(c.APIVersion, c.Kind)
	}
	m.types = structured.Types{
		Version: c.APIVersion,
		Type:    c.Type,
		Other:   m.other,
		Convert: c.Convert,
	}
	if len(c.Reset) > 0 {
		m.types.Ignore = newResetter(c.Reset).ignore
	}
	return m, nil
}

// other returns the type of another version. If a version does not serve a built-in kind,
// it is nil, because the API server drops the entry; for a custom resource it is an error.
func (m *Manager) other(apiVersion string) (*schema.Type, error) {
	if m.config.Other != nil {
		if t := m.config.Other(apiVersion); t != nil {
			return t, nil
		}
	}
	if _, _, ok := schema.SplitAPIVersion(apiVersion); !ok || m.config.Custom {
		return nil, fmt.Errorf("%w: %s", ErrVersion, apiVersion)
	}
	return nil, nil
}

// UpdateOptions holds the options of a request other than an apply.
type UpdateOptions struct {
	// FieldManager is the name of the manager, "unknown" if empty. (If a request has no
	// fieldManager, the API server uses the User-Agent up to its first slash.)
	FieldManager string
	// Time is the time of the request for the manager's entry.
	Time time.Time
	// Changed holds atomic lists that are equal in both objects, and nevertheless count as changed:
	// the API server compares them as Go values.
	Changed []document.Path
}

// Update tracks field ownership for a request other than an apply. next is the complete
// object that will be stored in place of live, including the metadata.managedFields from
// the request; the result contains it. Update follows these rules, in order:
//
//	managers  the managedFields in next are used, so that a client can edit
//	          them; if they are missing or invalid, and always for a
//	          subresource, those of live are used; [{}], and [] for built-in
//	          kinds, removes all managers
//	quiet     an existing object without managers is not tracked
//	track     the manager owns the fields that it changed, besides those that it
//	          owned; its entry has the time of the request if it owns new fields
//	metadata  nobody owns fields that the server sets, such as metadata.uid
//	cap       beyond ten update entries, the oldest are merged into
//	          "ancient-changes"
//
// An error does not fail the request: the API server then stores the object without
// managedFields, as in the result, or from Kubernetes 1.37 on with those of live, and the
// error is the reason.
func (m *Manager) Update(live Object, next document.Value, o UpdateOptions) (Object, error) {
	if m.engine == nil {
		return Object{Value: withoutManaged(next)}, errZeroManager
	}
	if live.Value.Lookup("metadata", "managedFields").Exists() {
		return Object{Value: withoutManaged(next)}, notSplit()
	}
	managed := m.requested(live, next)
	next = withoutManaged(next)
	if managed.Len() == 0 && live.Value.Exists() {
		self := m.self(o.FieldManager, structured.OperationUpdate)
		m.note(RuleQuiet, patch.Ignored, ownerOf(&self))
		return Object{Value: next}, nil
	}
	entries, err := m.update(m.orEmpty(live.Value), next, managed.entries, o)
	if err != nil {
		return Object{Value: next}, err
	}
	return Object{Value: next, Managed: newManaged(entries, managed.list)}, nil
}

// requested returns the managers before an update (rule "managers").
func (m *Manager) requested(live Object, next document.Value) Managed {
	list := next.Lookup("metadata", "managedFields")
	if m.config.Subresource != "" || !list.Exists() || document.SameNode(list, live.Managed.list) {
		return live.Managed
	}
	if isReset(list, m.config.Custom) {
		m.note(RuleReset, patch.Removed, Owner{})
		return Managed{}
	}
	if document.Identical(list, live.Managed.list) {
		return live.Managed
	}
	managed, err := DecodeManaged(list)
	if err != nil || managed.Len() == 0 {
		return live.Managed
	}
	return managed
}

func (m *Manager) orEmpty(v document.Value) document.Value {
	if v.Exists() {
		return v
	}
	return m.config.Empty
}

// update tracks the changes of an updating manager.
func (m *Manager) update(live, next document.Value, entries []entry, o UpdateOptions) ([]entry, error) {
	self := m.self(o.FieldManager, structured.OperationUpdate)
	types, recorder := m.record(ownerOf(&self), true)
	after, taken, err := m.engine.Update(types, live, next, entries)
	if err != nil {
		return nil, err
	}
	if len(o.Changed) > 0 {
		after, taken = m.take(types, o.Changed, after, taken)
	}
	recorder.publish(live, next)
	if taken = taken.Minus(serverFields()); !taken.Empty() {
		self.Time = storedTime(o.Time)
		if at := find(after, &self); at >= 0 {
			self.Source = after[at].Source
			self.Fields = after[at].Fields.Add(taken)
			after[at] = self
		} else {
			self.Fields = taken
			after = append(after, self)
		}
	}
	capped := capUpdates(after)
	if len(capped) < len(after) {
		m.note(RuleCap, patch.Merged, Owner{Manager: ancient, Operation: OperationUpdate, APIVersion: m.config.APIVersion})
	}
	return capped, nil
}

// storedTime returns a time in whole seconds, as entries store it.
func storedTime(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// self returns an entry without fields for the manager of a request.
func (m *Manager) self(manager string, op structured.Operation) entry {
	if manager == "" {
		manager = nameless
	}
	return entry{Manager: manager, Operation: op, APIVersion: m.config.APIVersion, Subresource: m.config.Subresource}
}

// serverFields are the fields that the API server sets and managers never own
// (apimachinery, managedfields/internal/stripmeta.go).
var serverFields = sync.OnceValue(func() fieldset.Set {
	fields := []document.Path{document.Keys("apiVersion"), document.Keys("kind"), document.Keys("metadata")}
	for _, name := range [...]string{"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"} {
		fields = append(fields, document.Keys("metadata", name))
	}
	return fieldset.Of(fields...)
})
