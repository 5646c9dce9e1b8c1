package cluster

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/kinds"
)

// scaleVersion is the apiVersion of the Scale object that the scale subresource serves.
const scaleVersion = "autoscaling/v1"

// replicasUnset is the replica count in the Scale of a custom resource whose replicas are not
// set: the smallest int32, as in apiextensions-apiserver.
const replicasUnset = math.MinInt32

// scalePath splits a path such as ".spec.replicas" into its fields.
func scalePath(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

// scaleOf returns an object's Scale. found reports whether the object's replicas are set.
func (ep *endpoint) scaleOf(object document.Value) (scale document.Value, found bool, st *Status) {
	paths := ep.kind.Scale
	wanted, found, st := ep.replicas(object, paths.SpecReplicasPath)
	if st != nil {
		return scale, false, st
	}
	actual, _, st := ep.replicas(object, paths.StatusReplicasPath)
	if st != nil {
		return scale, false, st
	}
	var metadata, spec, status, b document.ObjectBuilder
	for _, key := range [...]string{"creationTimestamp", "name", "namespace", "resourceVersion", "uid"} {
		metadata.Set(key, object.Get("metadata").Get(key))
	}
	if wanted != 0 {
		spec.Set("replicas", document.NewInt(wanted))
	}
	status.Set("replicas", document.NewInt(actual))
	selector, st := ep.scaleSelector(object)
	if st != nil {
		return scale, false, st
	}
	status.SetNonEmpty("selector", selector)
	b.Set("apiVersion", document.NewString(scaleVersion))
	b.Set("kind", document.NewString("Scale"))
	b.Set("metadata", metadata.Object())
	b.Set("spec", spec.Object())
	b.Set("status", status.Object())
	return b.Object(), found, nil
}

// replicas returns the replicas at a path of an object.
func (ep *endpoint) replicas(object document.Value, path string) (int64, bool, *Status) {
	v, why := scaleField(object, path)
	if !v.Exists() && why == "" || v.IsNull() && ep.kind.Builtin {
		return 0, false, nil
	}
	n, ok := v.Int()
	if !ok && why == "" {
		why = accessorError(path, v, "int64")
	}
	if why != "" {
		return 0, false, plainError(errors.New(why))
	}
	return n, true, nil
}

// scaleSelector returns an object's selector in the syntax of the labelSelector parameter.
func (ep *endpoint) scaleSelector(object document.Value) (string, *Status) {
	path := ep.kind.Scale.LabelSelectorPath
	if path == "" {
		return "", nil
	}
	v, why := scaleField(object, path)
	text, ok := v.Text()
	switch {
	case ok || !v.Exists() && why == "":
		return text, nil
	case !ep.kind.Builtin:
		if why == "" {
			why = accessorError(path, v, "string")
		}
		return "", plainError(errors.New(why))
	case !v.Get("matchLabels").Exists() && !v.Get("matchExpressions").Exists():
		return selectorText(v, document.Value{}), nil // the map of a ReplicationController
	}
	return selectorText(v.Get("matchLabels"), v.Get("matchExpressions")), nil
}

// changeScale applies a write to an object's Scale and copies its replicas to the object.
func (t *task) changeScale(live fieldmanager.Object) (outcome, *Status) {
	old, found, st := t.ep.scaleOf(live.Value)
	if st != nil {
		return outcome{}, st
	}
	custom := !t.ep.kind.Builtin
	if !found && custom {
		old = old.Set(document.NewInt(replicasUnset), "spec", "replicas")
	}
	managed, err := t.scaleManagers(live.Managed)
	if err != nil {
		return outcome{}, plainError(err)
	}
	next, st := t.next(fieldmanager.Object{Value: old, Managed: managed})
	if st != nil {
		return outcome{}, st
	}
	if st := t.checkScale(next.Value, live.Value); st != nil {
		return outcome{}, st
	}
	if custom && t.unversioned { // kube-apiserver cannot track the fields of a Scale without its version
		next.Managed = fieldmanager.Managed{}
	}
	replicas, _ := next.Value.Lookup("spec", "replicas").Int()
	object := live
	object.Value = object.Value.Set(document.NewInt(replicas), scalePath(t.ep.kind.Scale.SpecReplicasPath)...)
	if version := meta(next.Value, "resourceVersion"); version != "" || !custom {
		object.Value = withMetaText(object.Value, "resourceVersion", version)
	}
	if object.Managed, err = t.scaledManagers(live.Managed, next.Managed); err != nil {
		return outcome{}, plainError(err)
	}
	t.passed(StageScaled, object.Value)
	return t.finishChange(live, object)
}

// checkScale validates a changed Scale.
func (t *task) checkScale(scale, live document.Value) *Status {
	replicas, _ := scale.Lookup("spec", "replicas").Int()
	if !t.ep.kind.Builtin {
		if replicas == replicasUnset {
			return badRequest("the spec replicas field " + strconv.Quote(t.ep.kind.Scale.SpecReplicasPath) + " cannot be empty")
		}
		return nil
	}
	var causes []Cause
	if replicas < 0 {
		causes = append(causes, invalidValue("spec.replicas", strconv.FormatInt(replicas, 10), "must be greater than or equal to 0"))
	}
	if !t.kinds.Catalog().Since("1.37") { // from which on nothing of the metadata is kept or validated
		causes = append(schemaCauses(kinds.ValidateMetadata(t.kinds.Catalog(), scale, true, kinds.SubdomainName)), causes...)
	}
	if len(causes) > 0 {
		return invalid(groupResource{"autoscaling", "Scale"}, t.Name, causes)
	}
	if wanted, found := meta(scale, "uid"), meta(live, "uid"); wanted != "" && wanted != found {
		return conflict(groupResource{t.ep.kind.Group, t.ep.kind.Resource + "/scale"}, t.Name,
			"Precondition failed: UID in precondition: "+wanted+", UID in object meta: "+found)
	}
	return nil
}

// scaleManagers returns the managedFields of an object's Scale: the owners of the object's
// replicas own spec.replicas of the Scale (KEP-2527).
func (t *task) scaleManagers(m fieldmanager.Managed) (fieldmanager.Managed, error) {
	var list document.ListBuilder
	for _, e := range m.Entries() {
		path, known := t.replicasPath(e.APIVersion)
		if known && path != nil && e.Fields.Has(path) {
			list.Append(e.Value().
				With("apiVersion", document.NewString(scaleVersion)).
				With("fieldsV1", fieldset.Of(replicasInScale()).JSON()))
		}
	}
	return fieldmanager.DecodeManaged(list.List())
}

// replicasInScale returns the path of the replicas in a Scale.
func replicasInScale() document.Path { return document.Keys("spec", "replicas") }

// scaledManagers returns the object's managedFields after a write to its Scale: managers that
// no longer own spec.replicas of the Scale lose the object's replicas, and new owners get
// them. An Update entry of the Scale has the Scale's apiVersion, so it never equals the
// object's entry for the same manager. A write that changes nothing therefore leaves two
// entries of the same manager; the next write that decodes them keeps the later one.
// kube-apiserver does the same.
func (t *task) scaledManagers(parent, scale fieldmanager.Managed) (fieldmanager.Managed, error) {
	there := map[fieldmanager.Owner]bool{}
	for _, e := range scale.Entries() {
		there[scaleOwner(e.Owner)] = true
	}
	var list document.ListBuilder
	for _, e := range parent.Entries() {
		entry := e.Value()
		path, known := t.replicasPath(e.APIVersion)
		if !known {
			continue
		}
		switch id := scaleOwner(e.Owner); {
		case path == nil || !e.Fields.Has(path):
			list.Append(entry)
		case there[id]:
			delete(there, id)
			list.Append(entry)
		default:
			if rest := e.Fields.Remove(path); !rest.Empty() {
				list.Append(entry.With("fieldsV1", rest.FieldsV1()))
			}
		}
	}
	path, _ := t.replicasPath(t.ep.kind.APIVersion())
	for _, e := range scale.Entries() {
		if there[scaleOwner(e.Owner)] && e.Fields.Has(replicasInScale()) {
			list.Append(e.Value().
				With("apiVersion", document.NewString(t.ep.kind.APIVersion())).
				With("fieldsV1", fieldset.Of(path).JSON()).
				Without("time"))
		}
	}
	return fieldmanager.DecodeStored(list.List())
}

// scaleOwner returns the owner without the apiVersion of an apply, which does not distinguish
// owners.
func scaleOwner(o fieldmanager.Owner) fieldmanager.Owner {
	if o.Operation == fieldmanager.OperationApply {
		o.APIVersion = ""
	}
	return o
}

// replicasPath returns the path of the replicas in an apiVersion of the object's kind, nil if
// that version has no scale subresource; known is false for versions that the kind does not have.
// A version that is not served counts.
func (t *task) replicasPath(apiVersion string) (path document.Path, known bool) {
	k, ok := t.declared(t.ep.kind, apiVersion)
	if !ok {
		return nil, false
	}
	if k.Scale == nil {
		return nil, true
	}
	return document.Keys(scalePath(k.Scale.SpecReplicasPath)...), true
}
