package admission

import (
	"context"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/admission/rules"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Rules evaluates the CEL validation rules of CustomResourceDefinitions and validates
// definitions, policies and webhook configurations. It is safe for concurrent use.
type Rules struct{ *rules.Rules }

var _ cluster.Rules = (*Rules)(nil)

// NewRules returns a Rules without compiled rules.
func NewRules() *Rules { return &Rules{rules.New()} }

// Definition implements [cluster.Rules]. CustomResourceDefinitions are validated completely,
// with kube-apiserver's own code. Its validation of webhook configurations and policies is not
// available as a library, so only their expressions are compiled.
func (r *Rules) Definition(ctx context.Context, kind *schema.Kind, object, old document.Value) (causes []cluster.Cause, complete bool) {
	switch {
	case kind.Group == "apiextensions.k8s.io" && kind.Kind == "CustomResourceDefinition":
		return customDefinition(ctx, object, old)
	case kind.Group == configGroup, kind.Group == resourceGroup:
		return expressionCauses(kind.Kind, object, old), false
	}
	return nil, false
}

// customDefinition validates a CustomResourceDefinition. It is not complete for definitions
// for which kube-apiserver's code panics, such as one with selectable fields and a schema that
// is not structural; kube-apiserver closes the connection then.
func customDefinition(ctx context.Context, object, old document.Value) (causes []cluster.Cause, complete bool) {
	next, err := definitionOf(object)
	if err != nil {
		return []cluster.Cause{{Type: string(schema.ErrorInvalid), Field: "<nil>", Message: err.Error()}}, true
	}
	defer func() {
		if recover() != nil {
			causes, complete = nil, false
		}
	}()
	var errs field.ErrorList
	if before, err := definitionOf(old); old.Exists() && err == nil {
		errs = validation.ValidateCustomResourceDefinitionUpdate(ctx, next, before)
	} else {
		errs = validation.ValidateCustomResourceDefinition(ctx, next)
	}
	return convert.Causes(errs, object), true
}

// definitionOf decodes a CustomResourceDefinition into the internal type, for validation.
func definitionOf(v document.Value) (*apiextensions.CustomResourceDefinition, error) {
	var external apiextensionsv1.CustomResourceDefinition
	if err := convert.Typed(v, &external); err != nil {
		return nil, err
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(&external)
	internal := new(apiextensions.CustomResourceDefinition)
	err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&external, internal, nil)
	return internal, err
}
