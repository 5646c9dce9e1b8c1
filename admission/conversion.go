package admission

import (
	"context"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/attached"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
)

// Conversion calls the conversion webhooks of CustomResourceDefinitions. It is
// safe for concurrent use.
type Conversion struct {
	factory *conversion.CRConverterFactory
	// converters has that of each definition in use: a changed definition is another schema.CRD.
	converters attached.Values[schema.CRD, converter]
}

var _ cluster.Conversion = (*Conversion)(nil)

// converter converts the objects of a definition, unless it could not be created.
type converter struct {
	runtime.ObjectConvertor
	err error
}

// NewConversion returns a Conversion. It uses only o.Service.
func NewConversion(o Options) (*Conversion, error) { return newConversion(o.services(nil)) }

func newConversion(resolve webhookutil.ServiceResolver) (*Conversion, error) {
	factory, err := conversion.NewCRConverterFactory(resolve, briefConnections)
	if err != nil {
		return nil, err
	}
	return &Conversion{factory: factory}, nil
}

// Convert implements [cluster.Conversion]. The timeout of a call is 30 seconds, as in
// kube-apiserver.
func (c *Conversion) Convert(_ context.Context, crd *schema.CRD, object document.Value, apiVersion string) (document.Value, error) {
	known := c.converters.Of(crd, func() converter { return c.create(crd.Object) })
	if known.err != nil {
		return object, known.err
	}
	version, err := apischema.ParseGroupVersion(apiVersion)
	if err != nil {
		return object, err
	}
	out, err := known.ConvertToVersion(unstructuredOf(object), version)
	if err != nil {
		return object, err
	}
	return govalue.From(out.(*unstructured.Unstructured).Object)
}

// create creates the converter of a definition.
func (c *Conversion) create(crd document.Value) converter {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := convert.Typed(crd, &definition); err != nil {
		return converter{err: err}
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(&definition)
	safe, _, err := c.factory.NewConverter(&definition)
	return converter{safe, err}
}
