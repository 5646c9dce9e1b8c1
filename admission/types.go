package admission

import (
	"context"
	"fmt"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/parseable"
	"github.com/patchlab-dev/patchlab/schema"
)

// typeConverters returns the types with which mutating policies merge an ApplyConfiguration: those
// that the OpenAPI document of the object's group and version has.
type typeConverters struct {
	cluster *cluster.Cluster
	mu      sync.Mutex
	builtin parseable.Types
	custom  map[apischema.GroupVersionKind]managedfields.TypeConverter
}

// Run implements the plugin's TypeConverterManager. It has nothing to do, because types are
// read on demand.
func (t *typeConverters) Run(context.Context) {}

// GetTypeConverter implements the plugin's TypeConverterManager.
func (t *typeConverters) GetTypeConverter(of apischema.GroupVersionKind) managedfields.TypeConverter {
	kind, ok := t.kind(of)
	// The options of a connection to a container have a Go type, but are no kind that is served.
	if ok && kind.Builtin || !ok && scheme.Scheme.Recognizes(of) {
		return builtinTypes{t}
	}
	if !ok {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.custom[of]; known != nil {
		return known
	}
	converter := t.customType(kind)
	if converter != nil {
		if t.custom == nil {
			t.custom = map[apischema.GroupVersionKind]managedfields.TypeConverter{}
		}
		t.custom[of] = converter
	}
	return converter
}

func (t *typeConverters) kind(of apischema.GroupVersionKind) (*schema.Kind, bool) {
	return t.cluster.Kinds().Kind(schema.GroupVersionKind{Group: of.Group, Version: of.Version, Kind: of.Kind})
}

// builtinTypes are the types of built-in kinds.
type builtinTypes struct{ *typeConverters }

// ObjectToTyped implements managedfields.TypeConverter. A kind that only subresources of other
// groups and versions use, like Scale, is not in the document of its own.
func (b builtinTypes) ObjectToTyped(o runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	of := o.GetObjectKind().GroupVersionKind()
	kind, ok := b.kind(of)
	if !ok || kind.Resource == "" {
		return nil, fmt.Errorf("no corresponding type for %v", of)
	}
	t := b.builtin.Of(kind.Type())
	if u, ok := o.(*unstructured.Unstructured); ok {
		return t.FromUnstructured(u.Object, options...)
	}
	return t.FromStructured(o, options...)
}

// TypedToObject implements managedfields.TypeConverter.
func (builtinTypes) TypedToObject(v *typed.TypedValue) (runtime.Object, error) {
	return managedfields.NewDeducedTypeConverter().TypedToObject(v)
}

func (t *typeConverters) customType(kind *schema.Kind) managedfields.TypeConverter {
	crd, ok := t.cluster.Kinds().CRD(kind.Resource + "." + kind.Group)
	if !ok {
		return nil
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := convert.Typed(crd.Object, &definition); err != nil {
		return nil
	}
	document, err := builder.BuildOpenAPIV3(&definition, kind.Version, builder.Options{V2: false})
	if err != nil {
		return nil
	}
	converter, err := managedfields.NewTypeConverter(document.Components.Schemas, false)
	if err != nil {
		return nil
	}
	return converter
}

func (t *typeConverters) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.custom = nil
}
