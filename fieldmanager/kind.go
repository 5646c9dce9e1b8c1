package fieldmanager

import (
	"errors"
	"fmt"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// For returns the Manager that kube-apiserver has for the objects of a kind, or
// for one of their subresources: it knows the fields that the resource resets,
// the kind's other versions and how to convert to them, and completes what was
// merged by decoding and by defaults. registry has the kinds that are served;
// see schema.Builtin and schema.NewRegistry.
//
//	subresource  "" for the object itself, else status, scale, approval,
//	             finalize, ephemeralcontainers or resize as far as the kind has it
//
// For "scale" the objects are those of autoscaling/v1, Kind=Scale. The Manager
// does neither check the object otherwise nor set its metadata, as
// resourceVersion and generation: that is the request pipeline of package
// cluster.
func For(registry *schema.Registry, kind *schema.Kind, subresource string) (*Manager, error) {
	c, err := ConfigFor(registry, kind, subresource)
	if err != nil {
		return nil, err
	}
	return New(c)
}

// ConfigFor returns the Config of For, to be changed before it is given to New.
// Its Convert is the conversion of custom resources by strategy None and fails
// for those with a conversion webhook.
func ConfigFor(registry *schema.Registry, kind *schema.Kind, subresource string) (Config, error) {
	if registry == nil || kind == nil {
		return Config{}, errors.New("fieldmanager: a registry and a kind are needed")
	}
	r := resource{registry: registry, kind: kind, body: kind}
	if subresource != "" {
		if _, ok := kind.Subresource(subresource); !ok {
			return Config{}, fmt.Errorf("fieldmanager: %s, Kind=%s has no subresource %q", kind.APIVersion(), kind.Kind, subresource)
		}
	}
	if subresource == "scale" {
		scale, ok := registry.Kind(schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"})
		if !ok {
			return Config{}, errors.New("fieldmanager: the registry does not have autoscaling/v1, Kind=Scale")
		}
		r.body = scale
	}
	c := Config{
		APIVersion:  r.body.APIVersion(),
		Kind:        r.body.Kind,
		Type:        r.body.Type(),
		Custom:      !kind.Builtin,
		Subresource: subresource,
		Finish:      r.finish,
	}
	if r.body.Builtin {
		zero, _, err := defaults.Decode(r.body, emptyOf(c.APIVersion, c.Kind), defaults.FromTree)
		if err != nil {
			return Config{}, err
		}
		c.Empty = zero.With("metadata", document.NewObject())
	}
	if subresource == "scale" {
		return c, nil
	}
	c.Reset = r.reset(subresource)
	c.Other = func(apiVersion string) *schema.Type {
		if other, ok := r.version(apiVersion); ok {
			return other.Type()
		}
		return nil
	}
	c.Convert = r.convert
	return c, nil
}

// resource is a resource of the API server: its kind, and that of the objects
// that are sent, which differs for scale.
type resource struct {
	registry   *schema.Registry
	kind, body *schema.Kind
}

// reset returns the fields that a resource resets, by apiVersion. The status of
// a custom resource resets them in all versions, the resource itself only in its
// own (apiextensions-apiserver, getStatusResetFields). Those of
// ephemeralcontainers and resize are known to the API server's strategies but not
// to its endpoints.
func (r *resource) reset(subresource string) map[string]ResetFields {
	strategy := kinds.For(r.kind)
	var fields ResetFields
	switch subresource {
	case "":
		fields.Except = strategy.Reset
	case "status":
		fields.Except = strategy.ResetStatus
	case "approval":
		fields.Except = []string{"spec", "status.certificate"}
	case "finalize":
		fields.Except = []string{"status"}
	}
	reset := map[string]ResetFields{r.kind.APIVersion(): fields}
	if r.kind.Builtin || subresource == "status" {
		for _, other := range r.registry.Served(r.kind.Group, r.kind.Kind) {
			reset[other.APIVersion()] = fields
		}
	}
	return reset
}

// version finds the kind in another apiVersion of its group. (Events are in two
// groups, but the managers of one mean nothing to the other, as on the API
// server.)
func (r *resource) version(apiVersion string) (*schema.Kind, bool) {
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !ok || group != r.kind.Group {
		return nil, false
	}
	return r.registry.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: r.kind.Kind})
}

func (r *resource) convert(object document.Value, apiVersion string) (document.Value, error) {
	to, ok := r.version(apiVersion)
	switch {
	case !ok:
		return object, fmt.Errorf("%s has no version %s", r.kind.Kind, apiVersion)
	case object.Get("apiVersion").StringOr("") == apiVersion:
		return object, nil
	case to.Builtin:
		return defaults.Convert(object, to), nil
	}
	if crd, ok := r.registry.CRD(to.Resource + "." + to.Group); ok && crd.Conversion == "Webhook" {
		return object, fmt.Errorf("%s is converted to %s by a webhook: set Config.Convert", to.Kind, apiVersion)
	}
	object, _ = structural.Prune(to.Type(), object.With("apiVersion", document.NewString(apiVersion)))
	return object, nil
}

// errCustomScale is the error of an apply to the scale of a custom resource,
// which the API server tries to convert to a version of the resource.
var errCustomScale = errors.New("a Scale cannot be converted to a version of the custom resource; change it by an update or another patch")

// finish decodes an object as the kind is held in memory, and fills in its
// defaults.
func (r *resource) finish(merged document.Value, at time.Time) (document.Value, error) {
	if !r.kind.Builtin {
		if r.body != r.kind {
			return merged, errCustomScale
		}
		return structural.Default(r.kind.Type(), merged), nil
	}
	rules, err := defaults.For(r.registry.Catalog().Version())
	if err != nil {
		return merged, err
	}
	decoded, _, err := defaults.Decode(r.body, merged, defaults.FromTree|defaults.InMemory)
	if err != nil {
		return merged, err
	}
	return rules.Apply(r.body, decoded, defaults.Options{Now: at}), nil
}

// emptyOf returns an object that has only its version and kind.
func emptyOf(apiVersion, kind string) document.Value {
	return document.NewObject().With("apiVersion", document.NewString(apiVersion)).With("kind", document.NewString(kind))
}
