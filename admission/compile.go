package admission

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

// The compilation of policies follows the plugins of kube-apiserver, which do not export it.
// An expression that does not compile causes an error when it is evaluated.

// policyCompiler compiles the expressions of one policy in an environment that has
// the policy's variables.
type policyCompiler struct {
	*cel.CompositedCompiler
	declared cel.OptionalVariableDeclarations
}

func newPolicyCompiler(paramKind *admissionv1.ParamKind, variables []admissionv1.Variable) (*policyCompiler, error) {
	c, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return nil, err
	}
	if err := checkGrowth(variables); err != nil {
		return nil, err
	}
	p := &policyCompiler{c, cel.OptionalVariableDeclarations{HasParams: paramKind != nil, HasAuthorizer: true}}
	named := make([]cel.NamedExpressionAccessor, len(variables))
	for i, v := range variables {
		named[i] = &validating.Variable{Name: v.Name, Expression: v.Expression}
	}
	p.CompileAndStoreVariables(named, p.declared, environment.StoredExpressions)
	return p, nil
}

func (p *policyCompiler) conditions(list []cel.ExpressionAccessor, declared cel.OptionalVariableDeclarations) cel.ConditionEvaluator {
	return p.CompileCondition(list, declared, environment.StoredExpressions)
}

// matcher compiles match conditions; it returns nil if there are none.
func (p *policyCompiler) matcher(list []admissionv1.MatchCondition, failure *admissionv1.FailurePolicyType, name string) matchconditions.Matcher {
	if len(list) == 0 {
		return nil
	}
	expressions := make([]cel.ExpressionAccessor, len(list))
	for i := range list {
		expressions[i] = (*matchconditions.MatchCondition)(&list[i])
	}
	return matchconditions.NewMatcher(p.conditions(expressions, p.declared), failure, "policy", "validate", name)
}

func compileValidating(policy *validating.Policy) validating.PolicyEvaluator {
	spec := &policy.Spec
	p, err := newPolicyCompiler(spec.ParamKind, spec.Variables)
	if err != nil {
		return validating.NewValidator(nil, nil, nil, nil, spec.FailurePolicy, err)
	}
	rules := make([]cel.ExpressionAccessor, len(spec.Validations))
	messages := make([]cel.ExpressionAccessor, len(spec.Validations))
	for i, v := range spec.Validations {
		rules[i] = &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason}
		if v.MessageExpression != "" {
			messages[i] = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
	}
	annotations := make([]cel.ExpressionAccessor, len(spec.AuditAnnotations))
	for i, a := range spec.AuditAnnotations {
		annotations[i] = &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression}
	}
	withoutAuthorizer := p.declared
	withoutAuthorizer.HasAuthorizer = false
	return validating.NewValidator(p.conditions(rules, p.declared), p.matcher(spec.MatchConditions, spec.FailurePolicy, policy.Name),
		p.conditions(annotations, p.declared), p.conditions(messages, withoutAuthorizer), spec.FailurePolicy, nil)
}

func compileMutating(policy *mutating.Policy) mutating.PolicyEvaluator {
	spec := &policy.Spec
	p, err := newPolicyCompiler(spec.ParamKind, spec.Variables)
	if err != nil {
		return mutating.PolicyEvaluator{Error: err}
	}
	out := mutating.PolicyEvaluator{CompositedCompiler: p.CompositedCompiler, Matcher: p.matcher(spec.MatchConditions, spec.FailurePolicy, policy.Name)}
	patching := p.declared
	patching.HasPatchTypes = true
	for _, m := range spec.Mutations {
		switch {
		case m.PatchType == admissionv1.PatchTypeJSONPatch && m.JSONPatch != nil:
			expression := &patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}
			out.Mutators = append(out.Mutators, typedPatcher{patch.NewJSONPatcher(p.CompileMutatingEvaluator(expression, patching, environment.StoredExpressions)), true})
		case m.PatchType == admissionv1.PatchTypeApplyConfiguration && m.ApplyConfiguration != nil:
			expression := &patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression}
			out.Mutators = append(out.Mutators, typedPatcher{patch.NewApplyConfigurationPatcher(p.CompileMutatingEvaluator(expression, patching, environment.StoredExpressions)), false})
		}
	}
	return out
}
