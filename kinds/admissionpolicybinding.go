package kinds

import "github.com/patchlab-dev/patchlab/internal/engine/names"

// mutatingAdmissionPolicyBindingStrategy is the strategy of admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding.
var mutatingAdmissionPolicyBindingStrategy = Strategy{
	Group:          "admissionregistration.k8s.io",
	Resource:       "mutatingadmissionpolicybindings",
	AnyFinalizer:   true,
	Name:           subdomainName,
	metadataAgain:  repeatsWhole,
	Generation:     []string{"spec"},
	RequireVersion: true,
}

// validatingAdmissionPolicyBindingStrategy is the strategy of admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding.
var validatingAdmissionPolicyBindingStrategy = Strategy{
	Group:          "admissionregistration.k8s.io",
	Resource:       "validatingadmissionpolicybindings",
	AnyFinalizer:   true,
	Name:           subdomainName,
	metadataAgain:  repeatsWhole,
	Generation:     []string{"spec"},
	RequireVersion: true,
}

func validateValidatingAdmissionPolicyBinding(c *check, object, old field) {
	c.notStatic(object, old)
	spec := object.get("spec")
	c.policyBinding(spec)
	actions, seen := spec.get("validationActions"), seenTexts{}
	for i := range actions.items() {
		action := actions.item(i)
		c.oneOf(action, "Audit,Deny,Warn")
		if seen.add(action.text()) {
			c.duplicate(action)
		}
	}
	if seen.has("Deny") && seen.has("Warn") {
		c.invalid(actions, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)")
	}
	if actions.items() == 0 {
		c.required(actions, c.undeclared("at least one validation action is required"))
	}
}

func validateMutatingAdmissionPolicyBinding(c *check, object, old field) {
	c.notStatic(object, old)
	spec := object.get("spec")
	c.policyBinding(spec)
	c.mutableOperations(spec.get("matchResources"))
}

// policyBinding validates the fields that both kinds of bindings have. Until Kubernetes 1.31, the
// paths of errors lack a letter.
func (c *check) policyBinding(spec field) {
	c.needSyntax(spec.get("policyName"), names.DNSSubdomain)
	c.paramRef(spec.get("paramRef"))
	match := spec.get("matchResources")
	if !c.kind.Since("1.32") {
		match = spec.getAs("matchResources", "matchResouces")
	}
	c.matchResources(match)
}

// paramRef validates a reference to parameters, by name or by selector; an absent one is
// valid.
func (c *check) paramRef(ref field) {
	if !ref.isSet() {
		return
	}
	const why = "name and selector are mutually exclusive"
	name, selector := ref.get("name"), ref.get("selector")
	named, selected := !name.isEmpty(), selector.isSet()
	if named {
		c.syntax(name, names.PathSegment)
		if selected {
			c.forbidden(name, why)
		}
	}
	c.labelSelector(selector)
	switch {
	case named && selected:
		c.forbidden(selector, why)
	case !named && !selected:
		c.required(ref, "one of name or selector must be specified")
	}
	c.needOneOf(ref.get("parameterNotFoundAction"), "Deny,Allow")
}
