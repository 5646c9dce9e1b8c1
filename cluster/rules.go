package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Rules evaluates the CEL validation rules (x-kubernetes-validations) of
// CustomResourceDefinitions. It must be safe for concurrent use.
type Rules interface {
	// Object returns the rules that a custom resource violates, and warnings for those that
	// are only tolerated because the value is unchanged (ratcheting). old is the live object,
	// absent for a create.
	Object(ctx context.Context, crd *schema.CRD, kind *schema.Kind, object, old document.Value) (causes []Cause, warnings []string)
	// Definition checks the expressions within an object of a built-in kind, such as a
	// CustomResourceDefinition or an admission policy. It returns causes, which are all other
	// validation errors of the object, with those for expressions that do not compile, have a wrong
	// type or exceed the cost limit, in the order of kube-apiserver. old is the live object, absent
	// for a create.
	Definition(ctx context.Context, kind *schema.Kind, object, old document.Value, causes []Cause) []Cause
}

// Conversion converts custom resources whose definition has a conversion webhook. It must be
// safe for concurrent use.
type Conversion interface {
	// Convert returns the object converted to apiVersion. The text of an error becomes the
	// message of the response unchanged.
	Convert(ctx context.Context, crd *schema.CRD, object document.Value, apiVersion string) (document.Value, error)
}

// checkRules evaluates the CEL validation rules of a custom resource and appends their errors
// to causes. Some schema errors block all rules, which rely on the declared types and sizes
// (apiextensions-apiserver, hasBlockingErr); a further cause reports that, even if rules are
// not evaluated here.
func (t *task) checkRules(causes []Cause, object, live document.Value) []Cause {
	if t.ep.kind.Rules == 0 {
		return causes
	}
	for _, c := range causes {
		switch c.Type {
		case causeNotSupported, causeRequired, causeTooLong, string(schema.ErrorTooMany), string(schema.ErrorTypeInvalid):
			return append(causes, invalidValue("<nil>", "null",
				"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
		}
	}
	crd := t.crdOf(t.ep.kind)
	if t.config.Rules == nil || crd == nil {
		return causes
	}
	broken, warnings := t.config.Rules.Object(t.ctx, crd, t.ep.kind, object, live)
	for _, text := range warnings {
		t.warn(text)
	}
	return append(causes, broken...)
}

// checkDefinition adds the errors in the expressions of a built-in object to causes.
func (t *task) checkDefinition(causes []Cause, object, live document.Value) []Cause {
	if t.config.Rules == nil || t.ep.sub != "" {
		return causes
	}
	return t.config.Rules.Definition(t.ctx, t.ep.kind, object, live, causes)
}
