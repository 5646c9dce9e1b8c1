package admission

import (
	"context"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
)

// typeConverters returns the types with which mutating policies merge an ApplyConfiguration:
// client-go's for built-in kinds, and those of the OpenAPI document for custom ones.
type typeConverters struct {
	cluster *cluster.Cluster
	mu      sync.Mutex
	builtin managedfields.TypeConverter
	custom  map[apischema.GroupVersionKind]managedfields.TypeConverter
}

// Run implements the plugin's TypeConverterManager. It has nothing to do, because types are
// read on demand.
func (t *typeConverters) Run(context.Context) {}

// GetTypeConverter implements the plugin's TypeConverterManager.
func (t *typeConverters) GetTypeConverter(of apischema.GroupVersionKind) managedfields.TypeConverter {
	kind, ok := t.cluster.Kinds().Kind(schema.GroupVersionKind{Group: of.Group, Version: of.Version, Kind: of.Kind})
	// The options of a connection to a container have a Go type, but are no kind that is served.
	builtin := ok && kind.Builtin || !ok && scheme.Scheme.Recognizes(of)
	if !ok && !builtin {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if builtin {
		if t.builtin == nil {
			t.builtin = applyconfigurations.NewTypeConverter(scheme.Scheme)
		}
		return t.builtin
	}
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
