package cluster

import (
	"math"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// validateNew validates a new object: a custom resource by its schema, a built-in one by the
// rules of its kind, and the metadata of both.
func (t *task) validateNew(next fieldmanager.Object) []Cause { return t.once(t.newCauses(next)) }

func (t *task) newCauses(next fieldmanager.Object) []Cause {
	k, object := t.ep.kind, next.Value
	metadata := append(t.metadataCauses(object), schemaCauses(kinds.ValidateManagedFields(invalidManagers(next.Managed)))...)
	if k.Builtin {
		causes, metadataAt := t.builtinCauses(object, document.Value{}, document.Value{})
		if len(causes) == 0 || !t.ep.strategy.MetadataLast {
			causes = inserted(causes, metadataAt, metadata)
		}
		causes = append(t.namespaceCauses(object), causes...)
		if len(causes) == 0 {
			causes = schemaCauses(kinds.ValidatePathSegments(object))
		}
		t.valid = len(causes) == 0
		return t.checkDefinition(causes, object, document.Value{})
	}
	if causes := t.checkKind(object); len(causes) > 0 {
		return causes
	}
	causes := append(metadata, schemaCauses(t.validateSchema(object, document.Value{}))...)
	return t.checkRules(append(causes, t.checkReplicas(object)...), object, document.Value{})
}

// inserted returns the causes with others after the first n.
func inserted(causes []Cause, n int, others []Cause) []Cause {
	return append(append(causes[:n:n], others...), causes[n:]...)
}

// metadataCauses validates the metadata of an object of any kind.
func (t *task) metadataCauses(object document.Value) []Cause {
	k, s := t.ep.kind, t.ep.strategy
	if k.Builtin {
		return schemaCauses(s.ValidateMetadata(t.kinds.Catalog(), object, k.Namespaced))
	}
	return schemaCauses(kinds.ValidateMetadata(t.kinds.Catalog(), object, k.Namespaced, s.Name))
}

// invalidManagers returns the value of managedFields if an entry, which a client can send, may
// be invalid; otherwise absent.
func invalidManagers(managed fieldmanager.Managed) document.Value {
	for _, e := range managed.Entries() {
		if !kinds.IsManager(e.Manager, e.Subresource) {
			return managed.Value()
		}
	}
	return document.Value{}
}

// builtinCauses validates an object of a built-in kind. valid is an object of the kind that is
// known to pass validation, absent if there is none. metadataAt is the number of causes before those
// of the metadata.
func (t *task) builtinCauses(object, live, valid document.Value) (causes []Cause, metadataAt int) {
	written := t.written
	if t.encoded {
		written = document.Value{} // kube-apiserver has decoded the object once more
	}
	sub := t.ep.sub
	if !live.Exists() {
		sub = "" // also an object that is created through its status is validated as a whole
	}
	errs, metadataAt := t.ep.strategy.ValidateWritten(t.ep.kind, sub, object, live, valid, written)
	return schemaCauses(errs), metadataAt
}

// namespaceCauses validates the part of a new object that depends on its Namespace.
func (t *task) namespaceCauses(object document.Value) []Cause {
	if t.ep.strategy.InNamespace == nil || t.readNamespace == nil {
		return nil
	}
	return schemaCauses(t.ep.strategy.InNamespace(object, t.namespaceOf(object)))
}

// namespaceOf returns the Namespace of an object, absent if it cannot be read.
func (t *task) namespaceOf(object document.Value) document.Value {
	namespace, err := t.readNamespace(t.ctx, meta(object, "namespace"))
	if err != nil {
		return document.Value{}
	}
	return namespace
}

// validateUpdate validates the next state of an object.
func (t *task) validateUpdate(live document.Value, object fieldmanager.Object) []Cause {
	return t.once(t.updateCauses(live, object))
}

// once returns causes without repetitions from Kubernetes 1.37 on. Before, a cause that several
// validations find is repeated.
func (t *task) once(causes []Cause) []Cause {
	if t.kinds.Catalog().Since("1.37") && !t.ep.strategy.Repeats {
		causes = distinct(causes)
	}
	return causes
}

// distinct returns the causes without those that repeat the type, field and message of an
// earlier one.
func distinct(causes []Cause) []Cause {
	type shown struct{ cause, field, message string }
	seen := make(map[shown]bool, len(causes))
	kept := causes[:0]
	for _, c := range causes {
		if key := (shown{c.Type, c.Field, c.Message}); !seen[key] {
			seen[key] = true
			kept = append(kept, c)
		}
	}
	return kept
}

func (t *task) updateCauses(live document.Value, object fieldmanager.Object) []Cause {
	k, next := t.ep.kind, object.Value
	first, last := t.ep.strategy.ValidateUpdatedMetadata(t.kinds.Catalog(), k, t.ep.sub, next, live, invalidManagers(object.Managed))
	causes := schemaCauses(first)
	if k.Builtin {
		own, metadataAt := t.builtinCauses(next, live, t.basis.validFor(k))
		causes = append(causes, inserted(own, metadataAt, schemaCauses(last))...)
		if s := t.ep.strategy; t.ep.sub == subStatus && s.StatusInNamespace != nil && t.readNamespace != nil {
			causes = append(causes, schemaCauses(s.StatusInNamespace(next, live, t.namespaceOf(next)))...)
		}
		t.valid = len(causes) == 0 && (t.ep.sub == "" || t.basis.valid) // a subresource validates only its own part
		return t.checkDefinition(causes, next, live)
	}
	causes = append(causes, schemaCauses(last)...)
	if wrong := t.checkKind(next); len(wrong) > 0 {
		return append(causes, wrong...)
	}
	compared := next
	if was := live.Get("status"); t.ep.sub == subStatus && next.Get("status").IsNull() && (!was.Exists() || was.IsNull()) {
		compared = next.Without("status") // status was empty and still is
	}
	causes = append(causes, schemaCauses(t.validateSchema(compared, live))...)
	return t.checkRules(append(causes, t.checkReplicas(next)...), next, live)
}

// validateSchema validates a custom resource by its schema; live is absent for a new one.
func (t *task) validateSchema(object, live document.Value) []schema.FieldError {
	k := t.ep.kind
	o := structural.Options{Old: live, Valid: t.basis.validFor(k), Metadata: t.embeddedMetadata, Catalog: t.kinds.Catalog()}
	if t.ep.sub == subStatus {
		o.Below = subStatus
	}
	errs, clean := structural.ValidateUpdate(k.Type(), object, o)
	t.valid = clean && (t.ep.sub != subStatus || t.basis.validFor(k).Exists()) // the status alone is validated there
	return errs
}

// embeddedMetadata validates the metadata of an object embedded in a custom resource, which
// needs no name and may have any namespace.
func (p *pipeline) embeddedMetadata(metadata document.Value) []schema.FieldError {
	if p.metadata != nil {
		decoded, _, err := defaults.Decode(p.metadata, inMetadata(metadata), defaults.FromTree)
		if err != nil {
			return []schema.FieldError{{Type: schema.ErrorInvalid, BadValue: metadata, Detail: err.Error()}}
		}
		metadata = decoded.Get("metadata")
	}
	object := inMetadata(metadata)
	if meta(object, "name") == "" {
		object = withMeta(object, "name", document.NewString("unnamed"))
	}
	errs := kinds.ValidateMetadata(p.kinds.Catalog(), object, meta(object, "namespace") != "", kinds.PathSegmentName)
	errs = append(errs, kinds.ValidateManagedFields(metadata.Get("managedFields"))...)
	for i := range errs {
		errs[i].Field = strings.TrimPrefix(strings.TrimPrefix(errs[i].Field, "metadata"), ".")
		errs[i].Path = errs[i].Path[1:]
	}
	return errs
}

// maxShown limits the bytes of messages with values. Later messages have none: a list may have an
// error for each of its items that shows the whole list.
const maxShown = 1 << 20

func schemaCauses(errs []schema.FieldError) []Cause {
	causes, size := make([]Cause, 0, len(errs)), 0
	for _, e := range errs {
		if size > maxShown {
			e.BadValue = document.Value{}
		}
		message := e.Body()
		size += len(message)
		causes = append(causes, Cause{Type: string(e.Type), Field: e.Field, Message: message, Path: e.Path, Value: e.BadValue, Hint: e.Hint, immutable: e.Immutable})
	}
	return causes
}

// checkKind refuses a custom resource whose apiVersion or kind differs from the endpoint's.
func (t *task) checkKind(object document.Value) []Cause {
	var causes []Cause
	if got := object.Get("kind").StringOr(""); got != t.ep.kind.Kind {
		causes = append(causes, invalidValue("kind", strconv.Quote(got), "must be "+t.ep.kind.Kind))
	}
	if got := object.Get("apiVersion").StringOr(""); got != t.ep.kind.APIVersion() {
		causes = append(causes, invalidValue("apiVersion", strconv.Quote(got), "must be "+t.ep.kind.APIVersion()))
	}
	return causes
}

// checkReplicas validates the fields that the scale subresource of a custom resource
// reads, as apiextensions-apiserver does (ValidateScaleSpec, ValidateScaleStatus).
func (t *task) checkReplicas(object document.Value) []Cause {
	scale := t.ep.kind.Scale
	if scale == nil {
		return nil
	}
	var causes []Cause
	if t.ep.sub != subStatus { // it validates only what it changes
		causes = checkReplicaCount(object, scale.SpecReplicasPath)
	}
	causes = append(causes, checkReplicaCount(object, scale.StatusReplicasPath)...)
	if path := scale.LabelSelectorPath; path != "" {
		if v, why := scaleField(object, path); why != "" {
			causes = append(causes, invalidValue(path, `""`, why))
		} else if v.Exists() && v.Kind() != document.String {
			causes = append(causes, invalidValue(path, `""`, accessorError(path, v, "string")))
		}
	}
	return causes
}

func checkReplicaCount(object document.Value, path string) []Cause {
	v, why := scaleField(object, path)
	n, ok := v.Int()
	switch {
	case why != "":
	case !v.Exists():
		return nil
	case !ok:
		why = accessorError(path, v, "int64")
	case n < 0:
		why = "should be a non-negative integer"
	case n > math.MaxInt32:
		why = "should be less than or equal to " + strconv.Itoa(math.MaxInt32)
	default:
		return nil
	}
	return []Cause{invalidValue(path, strconv.FormatInt(n, 10), why)}
}

// scaleField returns the value at a path of the scale subresource, absent if there is none.
// why is the reason if the path leads through a value that is not an object.
func scaleField(object document.Value, path string) (v document.Value, why string) {
	v = object
	names := scalePath(path)
	for i, name := range names {
		if !v.Exists() || v.IsNull() {
			return document.Value{}, ""
		}
		if v.Kind() != document.Object {
			return document.Value{}, accessorError("."+strings.Join(names[:i+1], "."), v, "map[string]interface{}")
		}
		v = v.Get(name)
	}
	return v, ""
}

// accessorError returns the message of apimachinery's accessors for unstructured objects
// about a value of a wrong type.
func accessorError(path string, v document.Value, want string) string {
	return path + " accessor error: " + gotext.Of(v) + " is of the type " + gotext.Type(v) + ", expected " + want
}
