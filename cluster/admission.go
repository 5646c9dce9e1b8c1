package cluster

import (
	"context"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Admission changes or refuses writes before they are stored, as the admission
// chain of kube-apiserver does. Its methods are called by many goroutines at
// once, and no lock of the cluster or its store is held meanwhile. A write that
// has to start over because another came first calls them again.
type Admission interface {
	// Active reports whether anything is configured. If not, writes skip the
	// other two methods.
	Active() bool
	// Mutate returns the object that takes the place of a.Object. It is called
	// after field management and before the strategy and validation of the kind.
	// For a deletion, which has no object, the value that it returns is ignored.
	Mutate(ctx context.Context, a *Attributes) (document.Value, *Status)
	// Validate refuses a write that Mutate and validation let through.
	Validate(ctx context.Context, a *Attributes) *Status
	// Changed is called after an object was stored or deleted and before the
	// request is answered, so that configuration counts from the next request on.
	Changed(resource *schema.Kind)
}

// Operation is the effect of a write as admission names it.
type Operation string

// The operations that admission sees.
const (
	OperationCreate Operation = "CREATE"
	OperationUpdate Operation = "UPDATE"
	OperationDelete Operation = "DELETE"
)

// Attributes describe a write to [Admission].
type Attributes struct {
	// Request is the request as it was received.
	Request   *Request
	Operation Operation
	// Resource is the kind of the resource that the request names, Kind that of
	// Object and Old: they differ for a subresource such as scale.
	Resource, Kind *schema.Kind
	// Namespace and Name are those of the object. Name is empty while a generated
	// name is still to be chosen, and for each object of a deleted collection.
	// The namespace of a Namespace is itself.
	Namespace, Name string
	// Object is the new state, absent for a deletion; Old is the live one, absent
	// for a creation. Both have their managedFields.
	Object, Old document.Value
	// Deletion holds the options of a deletion, else it is nil.
	Deletion *Deletion
	DryRun   bool

	pipeline *pipeline
	warn     func(string)
}

// Warn adds a warning to the answer, whether the request succeeds or not. It may
// be called by one goroutine at a time.
func (a *Attributes) Warn(text string) { a.warn(text) }

// Decode reads an object of a built-in kind as the request's body is read: fields
// that the kind does not have are dropped, defaults are filled in. An error says
// which value has a wrong type.
func (a *Attributes) Decode(kind *schema.Kind, v document.Value) (document.Value, error) {
	v, _, err := a.pipeline.decode(kind, v, defaults.FromJSON)
	if err != nil {
		return v, err
	}
	return a.pipeline.fill(kind, v), nil
}

// Default fills in the defaults of an object of a custom kind.
func (a *Attributes) Default(kind *schema.Kind, v document.Value) document.Value {
	return a.pipeline.fill(kind, v)
}

// Convert returns an object in another version of its kind.
func (a *Attributes) Convert(v document.Value, to *schema.Kind) (document.Value, error) {
	return a.pipeline.convert(v, to)
}

// Kinds returns the kinds that the cluster serves.
func (a *Attributes) Kinds() *schema.Registry { return a.pipeline.kinds }

// attributes describe the write to admission; live is the zero Object for a
// creation.
func (t *task) attributes(object, live fieldmanager.Object) *Attributes {
	a := &Attributes{
		Request: t.Request, Operation: OperationUpdate, Resource: t.ep.kind, Kind: t.ep.body,
		Namespace: t.Namespace, Name: t.Name, Object: object.Join(), Old: live.Join(),
		DryRun: t.dryRun(), pipeline: t.pipeline, warn: t.warn,
	}
	if !live.Value.Exists() {
		a.Operation, a.Old = OperationCreate, document.Value{}
	}
	if a.Name == "" {
		a.Name = meta(t.body, "name")
	}
	a.ownNamespace()
	return a
}

// ownNamespace makes a Namespace its own namespace, as admission sees it.
func (a *Attributes) ownNamespace() {
	if a.Resource.Builtin && a.Resource.Group == "" && a.Resource.Resource == "namespaces" {
		a.Namespace = a.Name
	}
}

// admits reports whether writes have to ask admission.
func (p *pipeline) admits() bool { return p.admission != nil && p.admission.Active() }

// mutate gives admission the object to change. What it changes belongs to nobody:
// the managers of the object are those that were found before.
func (t *task) mutate(object, live fieldmanager.Object) (fieldmanager.Object, *Status) {
	if !t.admits() {
		return object, nil
	}
	t.mutated = false
	a := t.attributes(object, live)
	value, st := t.admission.Mutate(t.ctx, a)
	if st != nil || document.SameNode(value, a.Object) {
		return object, st
	}
	mutated, err := fieldmanager.Split(value)
	if err != nil {
		t.warn(".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: " + err.Error())
		mutated = fieldmanager.Object{Value: withMeta(value, "managedFields", document.Value{}), Managed: object.Managed}
	}
	t.mutated = true
	var warnings []string
	mutated.Value, warnings = oneOwnerEach(mutated.Value, afterMutation)
	for _, text := range warnings {
		t.warn(text)
	}
	return mutated, nil
}

// admit lets admission refuse the object as it is about to be stored. What a
// custom resource got from a mutation is pruned only now, as its encoding for
// storage does it.
func (t *task) admit(object, live fieldmanager.Object) (fieldmanager.Object, *Status) {
	if t.admits() {
		a := t.attributes(object, live)
		if a.Name == "" {
			a.Name = meta(object.Value, "name") // a generated one
		}
		if t.ep.sub == subScale {
			if a.Object, _, _ = t.ep.scaleOf(object.Value); live.Value.Exists() {
				a.Old, _, _ = t.ep.scaleOf(live.Value)
			}
		}
		if st := t.admission.Validate(t.ctx, a); st != nil {
			return object, st
		}
	}
	if t.mutated && !t.ep.kind.Builtin {
		if value, _, err := t.decodeCustom(t.ep.kind, object.Value, document.Value{}, defaults.FromTree); err == nil {
			object.Value = value
		}
	}
	return object, nil
}

// warn adds a warning to the answer: each text once, and none that a header
// cannot hold (apiserver, endpoints/filters).
func (t *task) warn(text string) {
	control := func(r rune) bool { return r < 0x20 || r == 0x7f }
	if text != "" && !strings.ContainsFunc(text, control) && !slices.Contains(t.warnings, text) {
		t.warnings = append(t.warnings, text)
	}
}

// admit asks admission about the deletion of a live object. named is false for
// the deletion of a collection.
func (d *deletion) admit(ctx context.Context, live fieldmanager.Object, named bool) *Status {
	if !d.admits() {
		return nil
	}
	a := &Attributes{
		Request: d.Request, Operation: OperationDelete, Resource: d.ep.kind, Kind: d.ep.body,
		Namespace: meta(live.Value, "namespace"), Old: live.Join(), Deletion: &d.options, DryRun: d.dry,
		pipeline: d.pipeline, warn: func(text string) { d.warnings = append(d.warnings, text) },
	}
	if named {
		a.Name = meta(live.Value, "name")
		a.ownNamespace()
	}
	if _, st := d.admission.Mutate(ctx, a); st != nil {
		return st
	}
	return d.admission.Validate(ctx, a)
}
