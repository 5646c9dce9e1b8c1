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

// For returns the Manager with kube-apiserver's configuration for the objects of a kind or
// for one of their subresources: the fields that the resource resets, the other versions of
// the kind and the conversion to them, and the completion of merged objects by decoding and
// defaulting. registry has the served kinds; see schema.Builtin and schema.NewRegistry.
//
//	subresource  "" for the object itself, or one of the kind's subresources
//	             status, scale, approval, finalize, ephemeralcontainers, resize, token
//
// For "scale" the objects have kind autoscaling/v1 Scale, for "token" TokenRequest. The Manager does
// not validate objects and does not set metadata such as resourceVersion and generation; package
// cluster does, in the request pipeline.
func For(registry *schema.Registry, kind *schema.Kind, subresource string) (*Manager, error) {
	c, err := ConfigFor(registry, kind, subresource)
	if err != nil {
		return nil, err
	}
	return New(c)
}

// ConfigFor returns the Config that For uses, to be modified and passed to New. Its Convert
// converts custom resources by the strategy None and returns an error for a kind with a
// conversion webhook.
func ConfigFor(registry *schema.Registry, kind *schema.Kind, subresource string) (Config, error) {
	if registry == nil || kind == nil {
		return Config{}, errors.New("fieldmanager: a registry and a kind are required")
	}
	r := resource{registry: registry, kind: kind, body: kind}
	if subresource != "" {
		sub, ok := kind.Subresource(subresource)
		if !ok {
			return Config{}, fmt.Errorf("fieldmanager: %s, Kind=%s has no subresource %q", kind.APIVersion(), kind.Kind, subresource)
		}
		if sub.Kind != kind.GroupVersionKind {
			if r.body, ok = registry.Kind(sub.Kind); !ok {
				return Config{}, fmt.Errorf("fieldmanager: the registry does not have %s/%s, Kind=%s", sub.Kind.Group, sub.Kind.Version, sub.Kind.Kind)
			}
		}
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
	if r.body != kind {
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

// resource is a resource of the API server: its kind, and the kind of request objects,
// which differs for scale.
type resource struct {
	registry   *schema.Registry
	kind, body *schema.Kind
}

// reset returns the fields that a resource resets, by apiVersion. The status subresource of
// a custom resource resets them in all versions that have it, the resource itself only in its
// own (apiextensions-apiserver, getStatusResetFields). The API server's strategies define them
// for ephemeralcontainers and resize, but its endpoints do not use them.
func (r *resource) reset(subresource string) map[string][]string {
	strategy := kinds.For(r.kind)
	var fields []string
	switch subresource {
	case "":
		fields = strategy.Reset
	case "status":
		fields = strategy.ResetStatus
	case "approval":
		fields = []string{"spec", "status.certificate"}
	case "finalize":
		fields = []string{"status"}
	}
	reset := map[string][]string{r.kind.APIVersion(): fields}
	if r.kind.Builtin || subresource == "status" {
		for _, other := range r.registry.Served(r.kind.Group, r.kind.Kind) {
			if other.Builtin || other.Status {
				reset[other.APIVersion()] = fields
			}
		}
	}
	return reset
}

// version returns the kind in another apiVersion of its group. As in the API server, the
// two groups of Events do not share managers.
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
	// Fields that the version does not declare stay: the engine fails for them.
	return object.With("apiVersion", document.NewString(apiVersion)), nil
}

// errCustomScale is the error of an apply to the scale of a custom resource, which the API
// server tries to convert to a version of the resource.
var errCustomScale = errors.New("a Scale cannot be converted to a version of the custom resource; change it by an update or another patch")

// finish decodes an object as the API server has it in memory and defaults it.
func (r *resource) finish(merged document.Value, at time.Time) (document.Value, error) {
	if !r.kind.Builtin {
		if r.body != r.kind {
			return merged, errCustomScale
		}
		return structural.Default(r.kind.Type(), merged)
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

// emptyOf returns an object with only apiVersion and kind.
func emptyOf(apiVersion, kind string) document.Value {
	return document.NewObject().With("apiVersion", document.NewString(apiVersion)).With("kind", document.NewString(kind))
}
