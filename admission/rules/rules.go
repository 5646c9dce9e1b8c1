// Package rules evaluates the CEL validation rules (x-kubernetes-validations) of
// CustomResourceDefinitions with kube-apiserver's own packages. It is the part of admission
// that needs neither client-go nor a cluster, so that programs that only predict changes,
// such as the playground's engine, can link it alone.
package rules

import (
	"context"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/attached"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
)

// Rules evaluates the CEL validation rules of CustomResourceDefinitions. It compiles the rules
// of a version when the first object of that version is written, and again after the
// definition has changed. It is safe for concurrent use.
//
// Compiled rules take about a hundred kilobytes, and are kept as long as the [schema.Kind]
// that they belong to: those of a definition that was changed or deleted are collected with it.
type Rules struct {
	compiled attached.Values[schema.Kind, *versionRules]
}

var _ cluster.Rules = (*Rules)(nil)

// New returns a Rules without compiled rules.
func New() *Rules { return &Rules{} }

// versionRules are the compiled rules of one version of a CustomResourceDefinition. They must not
// refer to its kind, which otherwise would never be collected.
type versionRules struct {
	structural *structuralschema.Structural
	validator  *cel.Validator // nil if there are no rules
	err        error
}

// Definition implements [cluster.Rules]. It checks nothing: a rule that does not compile
// refuses the objects that it applies to, with the error of the compiler.
func (r *Rules) Definition(_ context.Context, _ *schema.Kind, _, _ document.Value, causes []cluster.Cause) []cluster.Cause {
	return causes
}

// Object implements [cluster.Rules]. The cost limits are kube-apiserver's: 1 million for a
// rule, 10 million for all rules of an object.
func (r *Rules) Object(ctx context.Context, crd *schema.CRD, kind *schema.Kind, object, old document.Value) ([]cluster.Cause, []string) {
	v := r.compiled.Of(kind, func() *versionRules { return compile(crd.Object, kind.Version) })
	if v.err != nil {
		return []cluster.Cause{{Type: string(schema.ErrorInvalid), Field: "<nil>", Message: "failed to compile the validation rules of the CustomResourceDefinition: " + v.err.Error()}}, nil
	}
	if v.validator == nil {
		return nil, nil
	}
	var warnings convert.Warnings
	ctx = warning.WithWarningRecorder(ctx, &warnings)
	next := govalue.Of(object)
	var errs field.ErrorList
	if old.Exists() {
		before := govalue.Of(old)
		correlated := common.NewCorrelatedObject(next, before, &model.Structural{Structural: v.structural})
		errs, _ = v.validator.Validate(ctx, nil, v.structural, next, before, celconfig.RuntimeCELCostBudget, cel.WithRatcheting(correlated))
	} else {
		errs, _ = v.validator.Validate(ctx, nil, v.structural, next, nil, celconfig.RuntimeCELCostBudget)
	}
	return convert.Causes(errs, object), warnings.Texts()
}

// compile compiles the rules of a version of a CustomResourceDefinition.
func compile(crd document.Value, name string) *versionRules {
	var v versionRules
	var definition apiextensionsv1.CustomResourceDefinition
	if v.err = convert.Typed(crd, &definition); v.err != nil {
		return &v
	}
	at := slices.IndexFunc(definition.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	if at < 0 || definition.Spec.Versions[at].Schema == nil {
		return &v
	}
	var props apiextensions.JSONSchemaProps
	if v.err = apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(definition.Spec.Versions[at].Schema.OpenAPIV3Schema, &props, nil); v.err != nil {
		return &v
	}
	if v.structural, v.err = structuralschema.NewStructural(&props); v.err == nil {
		v.validator = cel.NewValidator(v.structural, true, celconfig.PerCallLimit)
	}
	return &v
}
