package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Rules evaluates the validation rules in CEL (x-kubernetes-validations) of
// CustomResourceDefinitions. It is safe for concurrent use.
type Rules interface {
	// Object returns the rules that an object of a kind breaks, and warnings for
	// those that an unchanged value may go on breaking (ratcheting). old is the
	// live object, absent for a new one.
	Object(ctx context.Context, crd *schema.CRD, kind *schema.Kind, object, old document.Value) (causes []Cause, warnings []string)
	// Definition returns what is wrong with the expressions of an object of a
	// built-in kind that has some, such as a CustomResourceDefinition or an admission
	// policy: those that do not compile, have a wrong type, cost too much. old is the
	// live object, absent for a new one. With complete the causes are everything that
	// is wrong with the object.
	Definition(ctx context.Context, kind *schema.Kind, object, old document.Value) (causes []Cause, complete bool)
}

// Conversion converts custom resources whose definition asks for a conversion
// webhook. It is safe for concurrent use.
type Conversion interface {
	// Convert returns an object in another version of its kind. An error is
	// answered with its text as it is.
	Convert(ctx context.Context, crd *schema.CRD, object document.Value, apiVersion string) (document.Value, error)
}

// checkRules evaluates the validation rules (CEL) of a custom resource and adds their
// errors to causes. Some causes block all rules, because rules rely on the types and
// sizes that the schema declares (apiextensions-apiserver, hasBlockingErr); a further
// cause then says so, even if rules are not evaluated here.
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

// checkDefinition adds what is wrong with the expressions of a built-in object.
func (t *task) checkDefinition(causes []Cause, object, live document.Value) []Cause {
	if t.config.Rules == nil || t.ep.sub != "" {
		return causes
	}
	found, complete := t.config.Rules.Definition(t.ctx, t.ep.kind, object, live)
	if complete && len(found) > 0 {
		return found
	}
	return append(causes, found...)
}
