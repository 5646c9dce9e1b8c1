package admission

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

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
type Rules struct {
	*rules.Rules
	checked atomic.Pointer[checkedDefinition]
}

// checkedDefinition is a CustomResourceDefinition with what its validation found, without what each
// write changes in metadata. Patches of several types with the same result are compared, and the
// validation of a large definition takes longer than all else that they need.
type checkedDefinition struct {
	object, old document.Value
	causes      []cluster.Cause
	ok          bool
}

var _ cluster.Rules = (*Rules)(nil)

// NewRules returns a Rules without compiled rules.
func NewRules() *Rules { return &Rules{Rules: rules.New()} }

// Definition implements [cluster.Rules]. CustomResourceDefinitions are validated completely,
// with kube-apiserver's own code. Its validation of webhook configurations and policies is not
// available as a library, so only their expressions are compiled.
func (r *Rules) Definition(ctx context.Context, kind *schema.Kind, object, old document.Value, causes []cluster.Cause) []cluster.Cause {
	switch {
	case kind.Group == "apiextensions.k8s.io" && kind.Kind == "CustomResourceDefinition":
		found, ok := r.customDefinition(ctx, object, old)
		if !ok {
			return causes
		}
		// Errors in metadata are also found before the validation of the kind, so that causes has
		// them as often as kube-apiserver reports them.
		inMetadata := func(c cluster.Cause) bool { return strings.HasPrefix(c.Field, "metadata") }
		return append(slices.DeleteFunc(causes, func(c cluster.Cause) bool { return !inMetadata(c) }), slices.DeleteFunc(found, inMetadata)...)
	case kind.Group == configGroup, kind.Group == resourceGroup:
		return merged(causes, expressionCauses(kind.Kind, object, old))
	}
	return causes
}

// customDefinition returns the validation errors of a CustomResourceDefinition, as the function of
// this name. Those of the definition that was validated last are known.
func (r *Rules) customDefinition(ctx context.Context, object, old document.Value) ([]cluster.Cause, bool) {
	now := &checkedDefinition{object: withoutWrites(object), old: withoutWrites(old)}
	if last := r.checked.Load(); last != nil && document.Equal(last.object, now.object) && document.Equal(last.old, now.old) {
		return slices.Clone(last.causes), last.ok
	}
	now.causes, now.ok = customDefinition(ctx, object, old)
	r.checked.Store(now)
	return slices.Clone(now.causes), now.ok
}

// withoutWrites returns a definition without the fields of metadata that each write changes. Errors
// in metadata are not those of this validation.
func withoutWrites(v document.Value) document.Value {
	for _, name := range [...]string{"managedFields", "resourceVersion", "generation"} {
		v = v.Remove("metadata", name)
	}
	return v
}

// customDefinition returns all validation errors of a CustomResourceDefinition. ok is false for
// definitions for which kube-apiserver's code panics, such as one with selectable fields and a schema
// that is not structural; kube-apiserver closes the connection then.
func customDefinition(ctx context.Context, object, old document.Value) (causes []cluster.Cause, ok bool) {
	next, err := definitionOf(object)
	if err != nil {
		return []cluster.Cause{{Type: string(schema.ErrorInvalid), Field: "<nil>", Message: err.Error()}}, true
	}
	defer func() {
		if recover() != nil {
			causes, ok = nil, false
		}
	}()
	var errs field.ErrorList
	if before, err := definitionOf(old); old.Exists() && err == nil {
		errs = validation.ValidateCustomResourceDefinitionUpdate(ctx, next, before)
	} else {
		errs = validation.ValidateCustomResourceDefinition(ctx, next)
	}
	causes = convert.Causes(errs, object)
	for i := range causes {
		if field := inVersion(causes[i].Field); field != causes[i].Field {
			causes[i].Path = convert.Path(field, object)
			causes[i].Value = object.Follow(causes[i].Path)
		}
	}
	return causes, true
}

// inVersion returns where a definition in v1 has a field of the internal type, to which the causes refer: what all
// versions have in common is a field of the spec there, as it was in v1beta1.
func inVersion(field string) string {
	const first = "spec.versions[0]."
	if rest, ok := strings.CutPrefix(field, "spec.validation."); ok {
		return first + "schema." + rest
	}
	for _, name := range [...]string{"subresources", "additionalPrinterColumns", "selectableFields"} {
		if strings.HasPrefix(field, "spec."+name) {
			return first + strings.TrimPrefix(field, "spec.")
		}
	}
	return field
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
