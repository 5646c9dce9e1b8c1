package admission

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	apiadmission "k8s.io/apiserver/pkg/admission"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
)

// objects creates, defaults and converts objects for the plugins. All objects are
// unstructured; those of built-in kinds are decoded into their type when they are defaulted.
type objects struct {
	write *cluster.Attributes
	// object is the new object, nil for a deletion.
	object runtime.Object
	// version is the apiVersion in which plugins have the object now.
	version string
	// changed reports whether a plugin replaced the content of object.
	changed bool
	// err reports that the result of a mutation is not an object of its kind.
	err error
}

var (
	_ apiadmission.ObjectInterfaces    = (*objects)(nil)
	_ runtime.ObjectCreater            = (*objects)(nil)
	_ runtime.ObjectTyper              = (*objects)(nil)
	_ runtime.ObjectDefaulter          = (*objects)(nil)
	_ runtime.ObjectConvertor          = (*objects)(nil)
	_ runtime.EquivalentResourceMapper = (*objects)(nil)
)

func (o *objects) GetObjectCreater() runtime.ObjectCreater     { return o }
func (o *objects) GetObjectTyper() runtime.ObjectTyper         { return o }
func (o *objects) GetObjectDefaulter() runtime.ObjectDefaulter { return o }
func (o *objects) GetObjectConvertor() runtime.ObjectConvertor { return o }
func (o *objects) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper {
	return o
}

// New returns an empty object of a kind.
func (o *objects) New(kind apischema.GroupVersionKind) (runtime.Object, error) {
	out := new(unstructured.Unstructured)
	out.SetGroupVersionKind(kind)
	return out, nil
}

// ObjectKinds reports that an object has no Go type, so that it is decoded as
// unstructured.
func (o *objects) ObjectKinds(object runtime.Object) ([]apischema.GroupVersionKind, bool, error) {
	return nil, false, runtime.NewNotRegisteredErrForKind("patchlab", object.GetObjectKind().GroupVersionKind())
}

// Recognizes reports whether a kind has a Go type, which is always false here.
func (o *objects) Recognizes(apischema.GroupVersionKind) bool { return false }

// Default completes the result of a mutation: an object of a built-in kind is decoded into its
// type, and defaults are set. Its signature has no error, so the first one is stored and ends
// the chain.
func (o *objects) Default(in runtime.Object) {
	object, ok := in.(*unstructured.Unstructured)
	if !ok || o.err != nil {
		return
	}
	kind, ok := o.kind(o.typed(object).GroupVersionKind())
	if !ok || kind.Builtin && kind.Kind != o.write.Kind.Kind {
		if o.write.Kind.Builtin {
			o.err = apierrors.NewInternalError(fmt.Errorf("admission changed the object to a %s, which cannot be handled as a %s",
				object.GroupVersionKind(), o.write.Kind.GroupVersionKind))
		}
		return
	}
	value, err := govalue.From(object.Object)
	if err == nil {
		if kind.Builtin {
			value, err = o.write.Decode(kind, value)
		} else {
			value, err = o.write.Default(kind, value)
		}
	}
	if err != nil {
		o.err = apierrors.NewInternalError(err)
		return
	}
	object.Object = govalue.Of(value).(map[string]any)
}

// typed returns an object with the apiVersion that its type has: an object of a built-in kind is decoded even if a mutation
// has removed it, and further webhooks do not see it either.
func (o *objects) typed(object *unstructured.Unstructured) *unstructured.Unstructured {
	if !o.write.Kind.Builtin || object.GetAPIVersion() != "" {
		return object
	}
	object = object.DeepCopy()
	object.SetAPIVersion(o.version)
	return object
}

// Convert converts in to the version that out has, and stores the result in out.
func (o *objects) Convert(in, out, _ any) error {
	from, ok := in.(*unstructured.Unstructured)
	to, fits := out.(*unstructured.Unstructured)
	if !ok || !fits {
		return fmt.Errorf("a %T cannot be converted to a %T", in, out)
	}
	if runtime.Object(to) == o.object {
		o.changed = true
	}
	converted, err := o.inVersion(o.typed(from), to.GroupVersionKind().GroupVersion())
	o.version = to.GetAPIVersion()
	if err == nil {
		to.SetUnstructuredContent(converted.Object)
	}
	return err
}

// ConvertToVersion returns an object in another version of its kind.
func (o *objects) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	from, ok := in.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("a %T cannot be converted", in)
	}
	kind, ok := target.KindForGroupVersionKinds([]apischema.GroupVersionKind{from.GroupVersionKind()})
	if !ok {
		return nil, fmt.Errorf("%s cannot be converted to %v", from.GroupVersionKind(), target)
	}
	return o.inVersion(from, kind.GroupVersion())
}

func (o *objects) inVersion(from *unstructured.Unstructured, version apischema.GroupVersion) (*unstructured.Unstructured, error) {
	if from.GroupVersionKind().GroupVersion() == version {
		return from.DeepCopy(), nil
	}
	kind, ok := o.kind(version.WithKind(from.GetKind()))
	if !ok {
		return from.DeepCopy(), nil // validation refuses it later
	}
	value, err := govalue.From(from.Object)
	if err == nil {
		value, err = o.write.Convert(value, kind)
	}
	if err != nil {
		return nil, err
	}
	return unstructuredOf(value), nil
}

// ConvertFieldLabel returns the label and the value unchanged; admission does not use it.
func (o *objects) ConvertFieldLabel(_ apischema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (o *objects) kind(kind apischema.GroupVersionKind) (*schema.Kind, bool) {
	if k := o.write.Kind; kind == kindOf(k) {
		return k, true
	}
	for _, k := range o.declared(kind.Group) {
		if kindOf(k) == kind {
			return k, true
		}
	}
	return o.write.Kinds().Kind(schema.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind})
}

// declared returns the versions of the written custom resource, in the order of its definition, if it is of a group. A version
// that is not served has rules of webhooks, too.
func (o *objects) declared(group string) []*schema.Kind {
	if k, ok := o.write.Kinds().Resource(o.write.Resource.Group, o.write.Resource.Version, o.write.Resource.Resource); ok && k.Definition != nil && k.Group == group {
		return k.Definition.Declared
	}
	return nil
}

// EquivalentResourcesFor returns the resources that serve the same objects: the other versions
// of a resource, and the other group for Events.
func (o *objects) EquivalentResourcesFor(resource apischema.GroupVersionResource, sub string) []apischema.GroupVersionResource {
	groups := []string{resource.Group}
	if resource.Resource == "events" && (resource.Group == "" || resource.Group == "events.k8s.io") {
		groups = []string{"", "events.k8s.io"}
	}
	var out []apischema.GroupVersionResource
	for _, group := range groups {
		versions := o.declared(group)
		if versions == nil {
			versions = o.write.Kinds().Served(group, o.write.Resource.Kind)
		}
		for _, k := range versions {
			if _, ok := k.Subresource(sub); k.Resource == resource.Resource && (sub == "" || ok) {
				out = append(out, apischema.GroupVersionResource{Group: group, Version: k.Version, Resource: k.Resource})
			}
		}
	}
	return out
}

// KindFor returns the kind of the objects that a resource or subresource takes.
func (o *objects) KindFor(resource apischema.GroupVersionResource, sub string) apischema.GroupVersionKind {
	k, ok := o.write.Kinds().Resource(resource.Group, resource.Version, resource.Resource)
	for _, other := range o.declared(resource.Group) {
		if other.Version == resource.Version && other.Resource == resource.Resource {
			k, ok = other, true
		}
	}
	if !ok {
		return apischema.GroupVersionKind{}
	}
	if s, ok := k.Subresource(sub); ok {
		return apischema.GroupVersionKind{Group: s.Kind.Group, Version: s.Kind.Version, Kind: s.Kind.Kind}
	}
	return kindOf(k)
}
