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

// Admission mutates and validates writes before they are stored, like the admission chain of
// kube-apiserver. Its methods are called concurrently, without any lock of the cluster or its
// store held. When a write is retried after a resourceVersion conflict in the store, the
// methods are called again.
type Admission interface {
	// Active reports whether any policy or webhook is configured. If it returns false, Mutate
	// and Validate are not called.
	Active() bool
	// Mutate returns the object to use instead of a.Object. It is called after field
	// management and before the strategy and the validation of the kind. For a deletion, which
	// has no object, the returned value is ignored. A non-nil Status denies the request.
	Mutate(ctx context.Context, a *Attributes) (document.Value, *Status)
	// Validate denies the request by returning a non-nil Status. It is called after Mutate and
	// the validation of the kind.
	Validate(ctx context.Context, a *Attributes) *Status
	// Changed is called after an object of the resource was stored or deleted and before the
	// request is answered, so that changed policies and webhook configurations apply from the
	// next request on.
	Changed(resource *schema.Kind)
}

// Operation is the operation of a write in admission: AdmissionReview's request.operation.
type Operation string

// The operations that admission handles. OperationConnect opens a stream to a container; its object is
// the options, such as a PodExecOptions.
const (
	OperationCreate  Operation = "CREATE"
	OperationUpdate  Operation = "UPDATE"
	OperationDelete  Operation = "DELETE"
	OperationConnect Operation = "CONNECT"
)

// Attributes describe a write to [Admission].
type Attributes struct {
	// Request is the request as it was received.
	Request   *Request
	Operation Operation
	// Resource is the kind that the requested resource has, and Kind is the kind of Object and
	// Old. They differ for a subresource with a kind of its own, such as scale.
	Resource, Kind *schema.Kind
	// Namespace and Name are those of the object. Name is empty for a create with generateName
	// whose name has not been generated yet. The namespace of a Namespace is its own name.
	Namespace, Name string
	// Object is the new object, absent for a deletion. Old is the existing object, absent for
	// a creation. Both include managedFields.
	Object, Old document.Value
	// Written is Object as it was sent if decoding has dropped empty lists or maps, which the Go types of kube-apiserver
	// keep until the object is encoded; otherwise absent.
	Written document.Value
	// Deletion holds the DeleteOptions, nil for other operations.
	Deletion *Deletion
	DryRun   bool
	// Repeat, if it is not nil, runs the admission that has run before this one once more. Mutate
	// calls it with the object that it has changed, before it invokes its own plugins a second time.
	Repeat func(context.Context, document.Value) (document.Value, *Status)

	pipeline *pipeline
	warn     func(string)
	encoded  *bool
}

// Encoded records that Mutate has changed an encoding of the object, as webhooks and policies do:
// empty lists and maps that decoding the request dropped are no longer known to validation.
func (a *Attributes) Encoded() {
	if a.encoded != nil { // absent for what is not stored, such as the options of a deletion
		*a.encoded = true
	}
}

// Warn adds a warning to the response, whether the request succeeds or not. It must not be
// called concurrently.
func (a *Attributes) Warn(text string) { a.warn(text) }

// Forbid returns the refusal of the write by an admission plugin: 403, with the reason in the
// words of the plugin. An object whose name is not generated yet has its generateName.
func (a *Attributes) Forbid(why string) *Status {
	return refused(groupResource{group: a.Resource.Group, resource: a.Resource.Resource}, admittedName(a.Name, a.Object), why)
}

// Decode decodes an object of a built-in kind in the way a request body is decoded: unknown
// fields are dropped and defaults are set. The error names the value that has a wrong type.
func (a *Attributes) Decode(kind *schema.Kind, v document.Value) (document.Value, error) {
	v, _, err := a.pipeline.decode(kind, v, defaults.FromJSON)
	if err != nil {
		return v, err
	}
	return a.pipeline.fill(kind, v)
}

// Encoding returns an object as it is encoded for webhooks and policies. One of a built-in kind has the form that its type
// has in JSON: without empty lists and maps that the type omits, and with quantities in their canonical form.
func (a *Attributes) Encoding(v document.Value) document.Value {
	if !a.Kind.Builtin {
		return v
	}
	if encoded, _, err := defaults.Decode(a.Kind, v, defaults.FromTree|defaults.InMemory|defaults.Encoded); err == nil {
		return encoded
	}
	return v
}

// Default sets the defaults that the schema of a custom resource declares. It fails if they are too long.
func (a *Attributes) Default(kind *schema.Kind, v document.Value) (document.Value, error) {
	return a.pipeline.fill(kind, v)
}

// GenerateName returns a prefix, which must be short, with the suffix of a generated name.
func (a *Attributes) GenerateName(prefix string) string { return prefix + a.pipeline.config.Suffix() }

// Convert converts an object to another version of its kind. A custom resource keeps fields that this version does not
// have; it is pruned when it is stored.
func (a *Attributes) Convert(v document.Value, to *schema.Kind) (document.Value, error) {
	if to.Builtin || v.Get("apiVersion").StringOr("") == to.APIVersion() {
		return a.pipeline.convert(v, to)
	}
	return a.pipeline.convertUnpruned(v, to)
}

// Kinds returns the kinds that the cluster serves.
func (a *Attributes) Kinds() *schema.Registry { return a.pipeline.kinds }

// attributes returns the write's attributes for admission; live is the zero Object for a
// creation.
func (t *task) attributes(object, live fieldmanager.Object) *Attributes {
	a := &Attributes{
		Request: t.Request, Operation: OperationUpdate, Resource: t.ep.kind, Kind: t.ep.body,
		Namespace: t.Namespace, Name: t.Name, Object: object.Join(), Old: live.Join(),
		DryRun: t.dryRun(), pipeline: t.pipeline, warn: t.warn, encoded: &t.encoded,
	}
	if !live.Value.Exists() {
		a.Operation, a.Old = OperationCreate, document.Value{}
	}
	if !t.encoded {
		a.Written = t.written
	}
	if a.Name == "" {
		a.Name = meta(t.body, "name")
	}
	a.ownNamespace()
	return a
}

// ownNamespace sets the namespace of a Namespace to its own name, as admission in
// kube-apiserver has it.
func (a *Attributes) ownNamespace() {
	if a.Resource.Builtin && a.Resource.Group == "" && a.Resource.Resource == "namespaces" {
		a.Namespace = a.Name
	}
}

// admits reports whether an admission chain is configured and active.
func (p *pipeline) admits() bool { return p.admission != nil && p.admission.Active() }

// mutate checks the namespace and runs mutating admission. Fields that it changes get no owner,
// because managedFields were computed before.
func (t *task) mutate(object, live fieldmanager.Object) (fieldmanager.Object, *Status) {
	if st := t.checkNamespace(live); st != nil {
		return object, st
	}
	if !t.admits() {
		return object, nil
	}
	t.mutated, t.encoded = false, false
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
	mutated.Value = t.withoutDuplicateOwners(mutated.Value, afterMutation)
	return mutated, nil
}

// admit runs validating admission on the object as it is about to be stored. Fields that
// mutating admission added to a custom resource and that its schema does not have are pruned
// only here, as kube-apiserver prunes them when it encodes the object for storage.
func (t *task) admit(object, live fieldmanager.Object) (fieldmanager.Object, *Status) {
	if t.admits() {
		a := t.attributes(object, live)
		if a.Name == "" {
			a.Name = meta(object.Value, "name") // the name may have been generated
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

// warn adds a warning to the response. Duplicates, and texts that an HTTP header cannot hold,
// are dropped (apiserver, endpoints/filters).
func (t *task) warn(text string) { t.warnings = withWarning(t.warnings, text) }

// warn adds a warning to the response of a deletion.
func (d *deletion) warn(text string) { d.warnings = withWarning(d.warnings, text) }

func withWarning(warnings []string, text string) []string {
	control := func(r rune) bool { return r < 0x20 || r == 0x7f }
	if text == "" || strings.ContainsFunc(text, control) || slices.Contains(warnings, text) {
		return warnings
	}
	return append(warnings, text)
}

// admit runs admission for the deletion of an object. It sees the options with the grace period
// that the object gets, nil for the asked one, and with the uid that a namespace or a definition has
// to have; a deletecollection has options of its own for each object, which admission does not see.
func (d *deletion) admit(ctx context.Context, live fieldmanager.Object, period *int64) *Status {
	if d.admitted || !d.admits() {
		return nil
	}
	options := d.options
	a := &Attributes{
		Request: d.Request, Operation: OperationDelete, Resource: d.ep.kind, Kind: d.ep.body,
		Namespace: meta(live.Value, "namespace"), Old: live.Join(), Deletion: &options, DryRun: d.dry,
		pipeline: d.pipeline, warn: d.warn,
	}
	if d.named() {
		a.Name = meta(live.Value, "name")
		a.ownNamespace()
		if options.GracePeriodSeconds = period; period == nil {
			options.GracePeriodSeconds = d.options.askedGrace()
		}
		if uid := meta(live.Value, "uid"); options.UID == nil && d.hasOwnPreconditions() {
			options.UID = &uid
		}
	}
	if _, st := d.admission.Mutate(ctx, a); st != nil {
		return st
	}
	return d.admission.Validate(ctx, a)
}
