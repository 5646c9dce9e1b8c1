package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// mutatingAdmissionPolicyStrategy is the strategy of admissionregistration.k8s.io/v1 MutatingAdmissionPolicy.
var mutatingAdmissionPolicyStrategy = Strategy{
	Group:          "admissionregistration.k8s.io",
	Resource:       "mutatingadmissionpolicies",
	AnyFinalizer:   true,
	Name:           subdomainName,
	metadataAgain:  repeatsWhole,
	Generation:     []string{"spec"},
	RequireVersion: true,
}

// validatingAdmissionPolicyStrategy is the strategy of admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy.
var validatingAdmissionPolicyStrategy = Strategy{
	Group:             "admissionregistration.k8s.io",
	Resource:          "validatingadmissionpolicies",
	AnyFinalizer:      true,
	Name:              subdomainName,
	metadataAgain:     repeatsWhole,
	partMetadataAgain: repeatsNothing,
	Generation:        []string{"spec"},
	RequireVersion:    true,
	Reset:             []string{"status"},
	ResetStatus:       []string{"metadata", "spec"},

	CreateOnStatusApply: true,
}

// The expressions of policies are compiled by package admission, which links CEL; here they
// are only required to be set.

func validateValidatingAdmissionPolicy(c *check, object, old field) {
	c.notStatic(object, old)
	spec := object.get("spec")
	c.policy(spec, old.get("spec"))
	validations, annotations := spec.get("validations"), spec.get("auditAnnotations")
	if validations.items() == 0 && annotations.items() == 0 {
		const why = "validations or auditAnnotations must contain at least one item"
		c.required(validations, why)
		c.required(annotations, why)
		return
	}
	for i := range validations.items() {
		c.policyValidation(validations.item(i))
	}
	if annotations.items() > maxAuditAnnotations {
		c.invalid(annotations, "must not have more than 20 auditAnnotations")
	}
	seen := seenTexts{}
	for i := range annotations.items() {
		annotation := annotations.item(i)
		c.auditAnnotation(annotation, object.get("metadata.name").text())
		if key := annotation.get("key"); seen.add(key.text()) {
			c.duplicate(key)
		}
	}
}

const (
	maxAuditAnnotations = 20
	// maxAuditExpression is the maximum length of an audit annotation's valueExpression in
	// bytes.
	maxAuditExpression = 5 << 10
)

// policy validates the fields that both kinds of policies have.
func (c *check) policy(spec, old field) {
	c.chosen(spec.get("failurePolicy"), "Fail,Ignore")
	c.paramKind(spec.get("paramKind"))
	if match := spec.get("matchConstraints"); match.isSet() {
		c.matchResources(match)
		c.need(match.get("resourceRules"))
	} else {
		c.required(match, "")
	}
	conditions := spec.get("matchConditions")
	if !old.isSet() || !c.same(conditions, old.get("matchConditions")) || !c.same(spec.get("paramKind"), old.get("paramKind")) {
		c.matchConditions(conditions)
	}
	variables := spec.get("variables")
	for i := range variables.items() {
		name := variables.item(i).get("name")
		if c.needText(name, "name is not specified") && !isExpressionName(name.text()) {
			c.invalid(name, "must be a valid CEL identifier")
		}
		c.needText(variables.item(i).get("expression"), "expression is not specified")
	}
}

// isExpressionName reports whether a text is a CEL identifier.
func isExpressionName(text string) bool {
	const reserved = "true,false,null,in,as,break,const,continue,else,for,function,if,import,let,loop,package,namespace,return,var,void,while"
	for i := range len(text) {
		if b := text[i]; b != '_' && (!names.IsAlphanumeric(b) || i == 0 && b <= '9') {
			return false
		}
	}
	return text != "" && !among(text, reserved)
}

// paramKind validates spec.paramKind; an absent one is valid.
func (c *check) paramKind(kind field) {
	if !kind.isSet() {
		return
	}
	if version := kind.get("apiVersion"); c.need(version) {
		c.paramVersion(version)
	}
	if name := kind.get("kind"); c.need(name) {
		if why := names.DNSLabel1035(strings.ToLower(name.text())); why != "" {
			c.invalid(name, "may have mixed case, but should otherwise match: "+joined(why, ","))
		}
	}
}

func (c *check) paramVersion(f field) {
	text := f.text()
	group, version, slash := strings.Cut(text, "/")
	switch {
	case strings.Contains(version, "/"):
		c.invalid(f, "unexpected GroupVersion string: "+text)
		return
	case !slash:
		group, version = "", text
	}
	if group != "" {
		if why := names.DNSSubdomain(group); why != "" {
			c.invalidText(f, group, joined(why, ","))
		}
	}
	if version == "" {
		c.invalid(f, "version must be specified")
	} else if why := names.DNSLabel1035(version); why != "" {
		c.invalidText(f, version, joined(why, ","))
	}
}

func (c *check) policyValidation(v field) {
	c.needText(v.get("expression"), "expression is not specified")
	c.notBlank(v.get("messageExpression"))
	message := v.get("message")
	if c.notBlank(message) && strings.ContainsAny(strings.TrimSpace(message.text()), "\r\n") {
		c.invalid(message, "must not contain line breaks")
	}
	c.oneOfIfSet(v.get("reason"), "Forbidden,Invalid,RequestEntityTooLarge")
}

// notBlank requires that a string, if set, does not consist of white space only.
func (c *check) notBlank(f field) bool {
	if f.text() != "" && strings.TrimSpace(f.text()) == "" {
		c.invalid(f, "must be non-empty if specified")
		return false
	}
	return true
}

// auditAnnotation validates an audit annotation. Its key is reported together with the
// policy's name.
func (c *check) auditAnnotation(annotation field, policy string) {
	key := annotation.get("key")
	if policy == "" {
		c.invalid(key, "requires metadata.name be non-empty")
	} else {
		if full := policy + "/" + key.text(); names.QualifiedName(full) != "" {
			c.unmetText(key, full, names.QualifiedName(full))
		}
	}
	if value := annotation.get("valueExpression"); !c.needText(value, "valueExpression is not specified") {
		return
	} else if len(strings.TrimSpace(value.text())) > maxAuditExpression {
		c.required(value, "must not exceed 5120 bytes in length")
	}
}

func validateValidatingAdmissionPolicyStatus(c *check, object, _ field) {
	status := object.get("status")
	warnings := status.get("typeChecking.expressionWarnings")
	for i := range warnings.items() {
		c.need(warnings.item(i).get("warning"))
		if ref := warnings.item(i).get("fieldRef"); c.needText(ref, "") {
			c.jsonPathNumber(ref)
		}
	}
	c.conditions(status.get("conditions"))
}

// jsonPathNumber requires that a number at the beginning of a JSONPath is one. It is the only mistake that is found
// without a parser for JSONPaths.
func (c *check) jsonPathNumber(f field) {
	text := strings.TrimSpace(f.text())
	if text == "" || !strings.Contains("+-0123456789", text[:1]) {
		return
	}
	number := text[:len(text)-len(strings.TrimLeft(text[1:], "0123456789."))]
	if _, err := strconv.ParseFloat(number, 64); err != nil {
		c.invalidText(f, text, "invalid JSONPath: cannot parse number "+number)
	}
}

func validateMutatingAdmissionPolicy(c *check, object, old field) {
	c.notStatic(object, old)
	spec := object.get("spec")
	c.policy(spec, old.get("spec"))
	c.mutableOperations(spec.get("matchConstraints"))
	mutations := spec.get("mutations")
	if mutations.items() == 0 {
		c.required(mutations, "mutations must contain at least one item")
	}
	for i := range mutations.items() {
		c.mutation(mutations.item(i))
	}
	c.chosen(spec.get("reinvocationPolicy"), "IfNeeded,Never")
}

func (c *check) mutation(m field) {
	kind := m.get("patchType")
	if !c.need(kind) {
		return
	}
	switch kind.text() {
	case "JSONPatch":
		c.onePatch(m, kind.text(), "jsonPatch", "applyConfiguration")
	case "ApplyConfiguration":
		c.onePatch(m, kind.text(), "applyConfiguration", "jsonPatch")
	default:
		c.notSupported(kind, "ApplyConfiguration,JSONPatch")
	}
}

// onePatch requires the field of a mutation that matches its type, and forbids the other.
func (c *check) onePatch(m field, kind, wanted, other string) {
	if part := m.get(wanted); part.isSet() {
		c.needText(part.get("expression"), "")
	} else {
		c.required(part, "must be specified when patchType is "+kind)
	}
	if part := m.get(other); part.isSet() {
		c.invalidText(part, "{"+other+"}", "must not be specified when patchType is "+kind)
	}
}
