package admission

import (
	"context"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
)

// Conversion calls the conversion webhooks of CustomResourceDefinitions. It is
// safe for concurrent use.
type Conversion struct {
	factory *conversion.CRConverterFactory

	mu         sync.Mutex
	converters map[string]*converter // by the name of the definition
}

var _ cluster.Conversion = (*Conversion)(nil)

// converter converts the objects of one version of a definition.
type converter struct {
	crd     *schema.CRD
	convert runtime.ObjectConvertor
}

// NewConversion returns a Conversion. It uses only o.Service.
func NewConversion(o Options) (*Conversion, error) { return newConversion(o.services(nil)) }

func newConversion(resolve webhookutil.ServiceResolver) (*Conversion, error) {
	factory, err := conversion.NewCRConverterFactory(resolve, briefConnections)
	if err != nil {
		return nil, err
	}
	return &Conversion{factory: factory, converters: map[string]*converter{}}, nil
}

// Convert implements [cluster.Conversion]. The timeout of a call is 30 seconds, as in
// kube-apiserver.
func (c *Conversion) Convert(_ context.Context, crd *schema.CRD, object document.Value, apiVersion string) (document.Value, error) {
	convert, err := c.converter(crd)
	if err != nil {
		return object, err
	}
	version, err := apischema.ParseGroupVersion(apiVersion)
	if err != nil {
		return object, err
	}
	out, err := convert.ConvertToVersion(unstructuredOf(object), version)
	if err != nil {
		return object, err
	}
	return govalue.From(out.(*unstructured.Unstructured).Object)
}

func (c *Conversion) converter(crd *schema.CRD) (runtime.ObjectConvertor, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.converters[crd.Name]; known != nil && known.crd == crd {
		return known.convert, nil
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := convert.Typed(crd.Object, &definition); err != nil {
		return nil, err
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(&definition)
	safe, _, err := c.factory.NewConverter(&definition)
	if err != nil {
		return nil, err
	}
	c.converters[crd.Name] = &converter{crd, safe}
	return safe, nil
}
