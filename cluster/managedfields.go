package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// tracked returns next with its managedFields updated for the change from live, which is the
// zero Object for a new object. next may have managedFields that the client sent. An object
// that does not match its schema is stored without managedFields and, from Kubernetes 1.37 on,
// with the live ones, as on the API server.
func (t *task) tracked(live fieldmanager.Object, next document.Value) fieldmanager.Object {
	m, err := t.fieldManager(t.ep)
	if err != nil || !hasType(next, t.ep.body) {
		return fieldmanager.Object{Value: withMeta(next, "managedFields", document.Value{})}
	}
	object, err := t.observed(m).Update(live, next, fieldmanager.UpdateOptions{FieldManager: t.manager(), Time: t.now, Changed: t.countedAsChanged(live.Value, next)})
	if err != nil {
		outcome := patch.Removed
		object.Managed = fieldmanager.Managed{}
		if t.kinds.Catalog().Since("1.37") {
			outcome, object.Managed = patch.Kept, live.Managed
		}
		if t.Notes != nil {
			t.Notes.Managed(fieldmanager.Decision{Rule: fieldmanager.RuleUntracked, Outcome: outcome})
		}
		object.Value = withMeta(object.Value, "managedFields", document.Value{})
	}
	return object
}

// hasType reports whether an object has the apiVersion and kind of k.
func hasType(object document.Value, k *schema.Kind) bool {
	return object.Get("kind").StringOr("") == k.Kind && object.Get("apiVersion").StringOr("") == k.APIVersion()
}

// applied merges an apply configuration into the live object.
func (t *task) applied(live fieldmanager.Object) (fieldmanager.Object, *Status) {
	body, st := t.parsePatch()
	if st != nil {
		return live, st
	}
	config := body.value
	if config.Kind() != document.Object && !config.IsNull() {
		e := t.bodyError("error decoding "+t.configurationText()+": the configuration is "+article(config.Kind())+", expected an object", nil)
		return live, syntaxStatus("", e)
	}
	m, err := t.fieldManager(t.ep)
	if err != nil {
		return live, plainError(err)
	}
	if t.ep.sub == subScale && !t.ep.kind.Builtin && live.Managed.Len() == 0 && hasType(config, t.ep.body) {
		return live, plainError(errors.New("failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: " + scaleVersionText))
	}
	force := t.Force != nil && *t.Force
	next, err := t.observed(m).Apply(live, config, fieldmanager.ApplyOptions{FieldManager: t.manager(), Force: force, Time: t.now, Finish: t.finish})
	otherName := errors.Is(err, fieldmanager.ErrName)
	if err != nil && !otherName {
		return live, t.typeError(config, err)
	}
	if !otherName {
		t.passedBody(StageLastApplied, next.Value)
	}
	strict := t.strictness()
	if len(body.problems) > 0 && strict == validateStrict {
		st := badRequest("error strict decoding " + t.configurationText() + ": error converting YAML to JSON: " + strings.Join(combined(body.problems), "; "))
		st.Err = &StrictError{body.problems}
		return live, st
	}
	if strict == validateWarn {
		t.warnings = append(t.warnings, messages(body.problems)...)
		t.problems = body.problems
	}
	if otherName {
		return live, t.otherName(config, err)
	}
	return next, nil
}

// configurationText is what messages call an apply configuration.
func (t *task) configurationText() string {
	if t.kinds.Catalog().Since("1.37") {
		return "patch"
	}
	return "YAML"
}

// otherName returns the error for an apply configuration whose name differs from the live
// object's.
func (t *task) otherName(config document.Value, err error) *Status {
	if _, st := t.inNamespace(config); st != nil {
		return st
	}
	if st := t.checkName(config); st != nil {
		return st
	}
	return applyStatus(err)
}

// scaleVersionText is why an apply to the Scale of a custom resource fails. The API server
// tries to convert the Scale to the version of the resource.
const scaleVersionText = "request to convert CR to an invalid group/version: autoscaling/v1"

// applyStatus converts the error of an apply to a Status.
func applyStatus(err error) *Status {
	var conflicts *fieldmanager.Conflicts
	var request *fieldmanager.RequestError
	var st *Status
	switch {
	case errors.As(err, &st):
		return st
	case errors.As(err, &conflicts):
		st = &Status{Code: 409, Reason: ReasonConflict, Message: conflicts.Error(), Err: err, Details: &StatusDetails{}}
		st.Details.Causes = conflictCauses(conflicts.List)
		return st
	case errors.As(err, &request):
		st = badRequest(request.Detail)
		st.Err = err
		return st
	case errors.Is(err, fieldmanager.ErrName):
		st = badRequest(err.Error())
		st.Err = err
		return st
	}
	return plainError(err)
}

// conflictCauses returns a cause for each conflict.
func conflictCauses(conflicts []fieldmanager.Conflict) []Cause {
	var causes []Cause
	for i, size := 0, 0; i < len(conflicts) && size <= maxCauses; i++ {
		cause := Cause{Type: CauseConflict, Message: "conflict with " + conflicts[i].Owner.String(), Field: conflicts[i].Field()}
		size += len(cause.Message) + len(cause.Field)
		causes = append(causes, cause)
	}
	return causes
}

// fieldManager returns the field manager of an endpoint.
func (p *pipeline) fieldManager(ep *endpoint) (*fieldmanager.Manager, error) {
	key := managerKey{ep.kind, ep.sub}
	if m, ok := p.managers.Load(key); ok {
		return m.(*fieldmanager.Manager), nil
	}
	m, err := p.newFieldManager(ep)
	if err != nil {
		return nil, err
	}
	return p.managers.LoadOrStore(key, m).(*fieldmanager.Manager), nil
}

// newFieldManager returns fieldmanager.For with the engine and the converters of this cluster.
func (p *pipeline) newFieldManager(ep *endpoint) (*fieldmanager.Manager, error) {
	c, err := fieldmanager.ConfigFor(p.kinds, ep.kind, ep.sub)
	if err != nil {
		return nil, err
	}
	c.Engine = p.config.Engine
	if c.Other != nil {
		// managedFields may have entries of a version that is no longer served.
		c.Other = func(apiVersion string) *schema.Type {
			if other, ok := p.declared(ep.kind, apiVersion); ok {
				return other.Type()
			}
			return nil
		}
	}
	if c.Convert != nil {
		c.Convert = func(object document.Value, apiVersion string) (document.Value, error) {
			other, ok := p.declared(ep.kind, apiVersion)
			if !ok {
				return object, fmt.Errorf("%s has no version %s", ep.kind.Kind, apiVersion)
			}
			if !other.Builtin {
				return p.convertUnpruned(object, other)
			}
			return p.convert(object, other)
		}
	}
	return fieldmanager.New(c)
}

// convertUnpruned converts a custom resource and keeps the fields that the version does
// not declare. Reading prunes them; field management fails for them, because the object
// does not fit the type of the version in which a manager's fields are written.
func (p *pipeline) convertUnpruned(object document.Value, to *schema.Kind) (document.Value, error) {
	converted, err := p.convertCustom(object, to)
	if err != nil {
		return object, err
	}
	return converted.With("apiVersion", document.NewString(to.APIVersion())), nil
}

// asksWebhook reports whether the kind's CRD has a conversion webhook.
func (p *pipeline) asksWebhook(k *schema.Kind) bool {
	crd := p.crdOf(k)
	return crd != nil && crd.Conversion == "Webhook" && p.config.Converters[k.Resource+"."+k.Group] == nil
}

// version returns the kind in another apiVersion of its group. (Events are in two groups, but
// the API server does not convert managedFields between them.)
func (p *pipeline) version(k *schema.Kind, apiVersion string) (*schema.Kind, bool) {
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !ok || group != k.Group {
		return nil, false
	}
	return p.kinds.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: k.Kind})
}

// finish decodes a merged object as the API server holds it in memory, and sets its defaults.
func (t *task) finish(merged document.Value, _ time.Time) (document.Value, error) {
	if t.ep.sub == subScale && !t.ep.kind.Builtin {
		return merged, errors.New("failed to convert new object" + t.about(t.patch.value) + " to proper version: " + scaleVersionText)
	}
	k := t.ep.body
	t.passedBody(StageSent, merged)
	if !k.Builtin {
		return t.fillNext(k, t.withoutWrongMetadata(merged))
	}
	out, _, err := t.decodeNext(k, merged, t.basis.decodedFor(k), defaults.FromTree)
	if err != nil {
		return merged, err
	}
	t.passedBody(StageDecoded, out)
	return t.fillNext(k, out)
}

// withoutWrongMetadata removes from a merged custom resource the metadata that the
// configuration sets to values of a wrong type and that the API server ignores: it reads times
// and numbers of an unstructured object as absent if it cannot convert them.
func (t *task) withoutWrongMetadata(merged document.Value) document.Value {
	sent := t.patch.value.Get("metadata")
	for _, name := range [...]string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"} {
		v := sent.Get(name)
		if !v.Exists() || t.metadata == nil {
			continue
		}
		if _, _, err := defaults.Decode(t.metadata, inMetadata(document.NewObject().With(name, v)), defaults.FromTree); err != nil {
			merged = withMeta(merged, name, document.Value{})
		}
	}
	return merged
}

// convert converts an object to another version of its kind. Without a converter only the
// apiVersion changes, and what the version does not have is pruned: fields, nulls, and unknown
// metadata of embedded objects. Defaults of the version are not set.
func (p *pipeline) convert(object document.Value, to *schema.Kind) (document.Value, error) {
	if object.Get("apiVersion").StringOr("") == to.APIVersion() {
		return object, nil
	}
	if to.Builtin {
		return defaults.Convert(object, to), nil
	}
	converted, err := p.convertUnpruned(object, to)
	if err != nil {
		return object, err
	}
	converted, _, err = p.coerce(to, to.Type(), converted, document.Value{}, defaults.FromTree)
	return converted, err
}

// errWebhook is the error for reading an object of a CRD with a conversion webhook in another
// version than the stored one, if webhooks are not called.
var errWebhook = errors.New("its CustomResourceDefinition uses a conversion webhook, and webhooks are not called here: configure a converter, or set spec.conversion.strategy to None")

// convertCustom converts a custom resource by its CRD's conversion strategy.
func (p *pipeline) convertCustom(object document.Value, to *schema.Kind) (document.Value, error) {
	failed := func(err error) error {
		return fmt.Errorf("conversion of %s %s to %s failed: %w", to.Kind, meta(object, "name"), to.APIVersion(), err)
	}
	if convert := p.config.Converters[to.Resource+"."+to.Group]; convert != nil {
		converted, err := convert(object, to.APIVersion())
		if err != nil {
			return object, failed(err)
		}
		return converted.With("metadata", object.Get("metadata")).With("kind", object.Get("kind")), nil
	}
	if !p.asksWebhook(to) {
		return object, nil
	}
	if p.config.Conversion == nil {
		return object, failed(errWebhook)
	}
	return p.config.Conversion.Convert(context.Background(), p.crdOf(to), object, to.APIVersion())
}
