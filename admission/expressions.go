package admission

import (
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/patchlab-dev/patchlab/admission/internal/convert"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// expressionCauses returns the errors in the expressions of a webhook configuration, a
// policy, or a selector of devices. Empty expressions are ignored.
func expressionCauses(kind string, object, old document.Value) []cluster.Cause {
	c := &expressionChecker{known: map[string]bool{}}
	collectExpressions(old, c.known)
	spec := object.Get("spec")
	switch kind {
	case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
		for i, hook := range object.Get("webhooks").Items() {
			c.matchConditions(hook, field.NewPath("webhooks").Index(i))
		}
	case "ValidatingAdmissionPolicy":
		c.policy(spec, c.validations)
	case "MutatingAdmissionPolicy":
		c.policy(spec, c.mutations)
	case "DeviceClass":
		c.deviceClass(spec)
	case "ResourceClaim", "ResourceClaimTemplate":
		switch at := field.NewPath("spec"); {
		case kind == "ResourceClaimTemplate": // validated in updates as well, although it is immutable
			c.deviceClaim(spec.Get("spec"), at.Child("spec"))
		case !old.Exists(): // the spec is immutable, and an update of it is refused for that alone
			c.deviceClaim(spec, at)
		}
	}
	return convert.Causes(c.errs, object)
}

func baseEnvironment() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
}

// collectExpressions adds every string within v to into. An expression that the live object
// contains is compiled in the environment for stored expressions, which permits more than the
// one for new expressions.
func collectExpressions(v document.Value, into map[string]bool) {
	switch v.Kind() {
	case document.String:
		text, _ := v.Text()
		into[text], into[strings.TrimSpace(text)] = true, true
	case document.List, document.Object:
		for i := range v.Len() {
			collectExpressions(v.At(i), into)
		}
	}
}

// expressionChecker compiles the expressions of one object.
type expressionChecker struct {
	known    map[string]bool
	declared cel.OptionalVariableDeclarations
	errs     field.ErrorList
	// plainCompiler is what plain returns, once it has been called.
	plainCompiler cel.Compiler
}

// plain returns a compiler that knows no variables. Its environments take a millisecond to build.
func (c *expressionChecker) plain() cel.Compiler {
	if c.plainCompiler == nil {
		c.plainCompiler = cel.NewCompiler(baseEnvironment())
	}
	return c.plainCompiler
}

// expression compiles the expression at a path, unless it is blank, which package kinds refuses.
func (c *expressionChecker) expression(at *field.Path, text string, compile func(environment.Type) *apiservercel.Error) {
	if strings.TrimSpace(text) != "" {
		c.compile(at, text, compile)
	}
}

// compile compiles the expression at a path.
func (c *expressionChecker) compile(at *field.Path, text string, compile func(environment.Type) *apiservercel.Error) {
	mode := environment.NewExpressions
	if c.known[text] {
		mode = environment.StoredExpressions
	}
	switch err := compile(mode); {
	case err == nil:
	case err.Type == apiservercel.ErrorTypeRequired:
		c.errs = append(c.errs, field.Required(at, err.Detail))
	case err.Type == apiservercel.ErrorTypeInternal:
		c.errs = append(c.errs, field.InternalError(at, err))
	default:
		c.errs = append(c.errs, field.Invalid(at, text, err.Detail))
	}
}

func (c *expressionChecker) with(compiler cel.Compiler, accessor cel.ExpressionAccessor, declared cel.OptionalVariableDeclarations) func(environment.Type) *apiservercel.Error {
	return func(mode environment.Type) *apiservercel.Error {
		return compiler.CompileCELExpression(accessor, declared, mode).Error
	}
}

// matchConditions checks match conditions, which have the object and the request but no
// variables.
func (c *expressionChecker) matchConditions(owner document.Value, at *field.Path) {
	declared := c.declared
	declared.HasAuthorizer = true
	for i, condition := range owner.Get("matchConditions").Items() {
		text := strings.TrimSpace(condition.Get("expression").StringOr(""))
		accessor := &matchconditions.MatchCondition{Name: condition.Get("name").StringOr(""), Expression: text}
		c.expression(at.Child("matchConditions").Index(i).Child("expression"), text, c.with(c.plain(), accessor, declared))
	}
}

// policy checks the fields that both kinds of policies have, then calls rest with a compiler
// that has the policy's variables.
func (c *expressionChecker) policy(spec document.Value, rest func(spec document.Value, compiler cel.Compiler)) {
	at := field.NewPath("spec")
	c.declared.HasParams = spec.Get("paramKind").Kind() == document.Object
	composited, err := cel.NewCompositedCompiler(baseEnvironment())
	if err != nil {
		c.errs = append(c.errs, field.InternalError(at, err))
		return
	}
	withAuthorizer := c.declared
	withAuthorizer.HasAuthorizer = true
	for i, v := range spec.Get("variables").Items() {
		name, text := v.Get("name").StringOr(""), v.Get("expression").StringOr("")
		c.expression(at.Child("variables").Index(i).Child("expression"), text, func(mode environment.Type) *apiservercel.Error {
			return composited.CompileAndStoreVariable(&validating.Variable{Name: name, Expression: text}, withAuthorizer, mode).Error
		})
	}
	c.matchConditions(spec, at)
	rest(spec, composited.Compiler)
}

func (c *expressionChecker) validations(spec document.Value, compiler cel.Compiler) {
	if spec.Get("variables").Len() == 0 {
		compiler = c.plain() // which does not know the name variables
	}
	withAuthorizer := c.declared
	withAuthorizer.HasAuthorizer = true
	for i, v := range spec.Get("validations").Items() {
		at := field.NewPath("spec").Child("validations").Index(i)
		text, message := v.Get("expression").StringOr(""), v.Get("messageExpression").StringOr("")
		c.expression(at.Child("expression"), text, c.with(compiler, &validating.ValidationCondition{Expression: text}, withAuthorizer))
		c.expression(at.Child("messageExpression"), message, c.with(compiler, &validating.MessageExpressionCondition{MessageExpression: message}, c.declared))
	}
	for i, a := range spec.Get("auditAnnotations").Items() {
		at := field.NewPath("spec").Child("auditAnnotations").Index(i).Child("valueExpression")
		text := a.Get("valueExpression").StringOr("")
		c.expression(at, text, c.with(compiler, &validating.AuditAnnotationCondition{ValueExpression: strings.TrimSpace(text)}, withAuthorizer))
	}
}

func (c *expressionChecker) mutations(spec document.Value, compiler cel.Compiler) {
	declared := c.declared
	declared.HasAuthorizer, declared.HasPatchTypes = true, true
	for i, m := range spec.Get("mutations").Items() {
		at := field.NewPath("spec").Child("mutations").Index(i)
		apply, jsonPatch := m.Get("applyConfiguration"), m.Get("jsonPatch")
		switch admissionv1.PatchType(m.Get("patchType").StringOr("")) {
		case admissionv1.PatchTypeApplyConfiguration:
			text := strings.TrimSpace(apply.Get("expression").StringOr(""))
			c.expression(at.Child("applyConfiguration").Child("expression"), text,
				c.with(compiler, &patch.ApplyConfigurationCondition{Expression: text}, declared))
		case admissionv1.PatchTypeJSONPatch:
			text := strings.TrimSpace(jsonPatch.Get("expression").StringOr(""))
			c.expression(at.Child("jsonPatch").Child("expression"), text,
				c.with(compiler, &patch.JSONPatchCondition{Expression: text}, declared))
		}
	}
}
