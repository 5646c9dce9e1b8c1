package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// resourceQuotaStrategy is the strategy of v1 ResourceQuota.
var resourceQuotaStrategy = Strategy{
	Resource:      "resourcequotas",
	Name:          subdomainName,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
}

func validateResourceQuota(c *check, object, old field) {
	spec := object.get("spec")
	hard, scopes := spec.get("hard"), spec.get("scopes")
	c.quotaAmounts(hard)
	var seen seenTexts
	for i := range scopes.items() {
		scope := scopes.item(i)
		validateScope(c, scope.text(), hard.Value, scopes, scopes)
		seen.add(scope.text())
	}
	c.conflictingScopes(scopes, scopes, &seen)
	if selector := spec.get("scopeSelector"); selector.isSet() {
		validateScopeSelector(c, selector, hard.Value, scopes)
	}
	if old.isSet() && !sameTexts(scopes.Value, old.Value.Lookup("spec", "scopes")) {
		c.invalidChange(scopes, isImmutable)
	}
}

func validateResourceQuotaStatus(c *check, object, _ field) {
	c.quotaAmounts(object.get("status.hard"))
	c.quotaAmounts(object.get("status.used"))
}

func (c *check) quotaAmounts(amounts field) {
	for i := range amounts.members() {
		amount, resource := amounts.memberAt(i)
		c.quotaResource(amount, resource)
		c.resourceAmount(amount, resource)
	}
}

const quotaScopes = "BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass"

// validateScope requires a known scope that applies to each limited resource. Errors are
// reported for name and all.
func validateScope(c *check, scope string, hard document.Value, name, all field) {
	if !among(scope, quotaScopes) {
		c.invalid(name, "unsupported scope")
	}
	var limited []string
	for resource := range hard.Members() {
		if !strings.Contains(resource, "/") && isQuotaResource(resource) && !scopeApplies(scope, resource) {
			limited = append(limited, resource)
		}
	}
	if c.kind.Since("1.37") && len(limited) > 1 { // one error for all resources
		limited = limited[:1]
	}
	for range limited {
		c.invalid(all, "unsupported scope applied to resource")
	}
}

// scopeApplies reports whether a scope applies to quotas of a resource.
func scopeApplies(scope, resource string) bool {
	const compute = "cpu,memory,limits.cpu,limits.memory,requests.cpu,requests.memory"
	switch scope {
	case "BestEffort":
		return resource == "pods"
	case "Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity":
		return resource == "pods" || among(resource, compute)
	case "VolumeAttributesClass":
		return among(resource, "persistentvolumeclaims,requests.storage")
	}
	return true
}

// conflictingScopes reports the pairs of scopes that exclude each other for f. Their message shows
// the value of scopes, also for those of a selector.
func (c *check) conflictingScopes(f, scopes field, seen *seenTexts) {
	shown := scopes.Value
	if !shown.Exists() {
		shown = document.NewNull()
	}
	for _, pair := range [...][2]string{{"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}} {
		if seen.has(pair[0]) && seen.has(pair[1]) {
			c.invalidValue(f, shown, "conflicting scopes")
		}
	}
}

// validateScopeSelector validates the requirements of a scope selector. Errors are reported
// without the index.
func validateScopeSelector(c *check, selector field, hard document.Value, scopes field) {
	expressions := selector.get("matchExpressions")
	var seen seenTexts
	for i := range expressions.items() {
		expression := expressions.hiddenItem(i)
		name, operator, values := expression.get("scopeName"), expression.get("operator"), expression.get("values")
		validateScope(c, name.text(), hard, name, expressions)
		if among(name.text(), "BestEffort,NotBestEffort,Terminating,NotTerminating,CrossNamespacePodAffinity") && operator.text() != "Exists" {
			c.invalid(operator, "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity")
		}
		switch operator.text() {
		case "In", "NotIn":
			if values.items() == 0 {
				c.required(values, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")
			}
		case "Exists", "DoesNotExist":
			if values.items() > 0 {
				c.invalid(values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")
			}
		default:
			c.invalid(operator, "not a valid selector operator")
		}
		seen.add(name.text())
	}
	c.conflictingScopes(expressions, scopes, &seen)
}

// sameTexts reports whether two lists contain the same strings, in any order.
func sameTexts(a, b document.Value) bool {
	var inA, inB seenTexts
	for _, v := range a.Items() {
		inA.add(v.StringOr(""))
	}
	for _, v := range b.Items() {
		if inB.add(v.StringOr("")); !inA.has(v.StringOr("")) {
			return false
		}
	}
	for _, v := range a.Items() {
		if !inB.has(v.StringOr("")) {
			return false
		}
	}
	return true
}

// warnResourceQuota warns about a new quota that allows more requests than limits.
func warnResourceQuota(a *advice, object, old field) {
	if old.isSet() {
		return
	}
	hard := object.get("spec.hard")
	for _, name := range [...]string{"cpu", "memory", "storage", "ephemeral-storage"} {
		from, to := "requests."+name, "limits."+name
		if !hard.key(from).Exists() && (name == "cpu" || name == "memory") {
			from = name
		}
		request, limit := hard.key(from), hard.key(to)
		if request.isSet() && limit.isSet() && amountOf(request.Value).Cmp(amountOf(limit.Value)) > 0 {
			a.say("ResourceQuota " + from + " (" + request.text() + ") should be less than " + to + " (" + limit.text() + ")")
		}
	}
}
