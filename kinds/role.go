package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
)

// clusterRoleStrategy is the strategy of rbac.authorization.k8s.io/v1 ClusterRole.
var clusterRoleStrategy = Strategy{
	Group:          "rbac.authorization.k8s.io",
	Resource:       "clusterroles",
	Name:           wholeSegmentName,
	validatedOnce:  "1.35",
	metadataAgain:  wholeFirst,
	CreateOnUpdate: true,
}

// roleStrategy is the strategy of rbac.authorization.k8s.io/v1 Role.
var roleStrategy = Strategy{
	Group:          "rbac.authorization.k8s.io",
	Resource:       "roles",
	Name:           wholeSegmentName,
	validatedOnce:  "1.35",
	metadataAgain:  wholeFirst,
	CreateOnUpdate: true,
}

const rbacGroup = "rbac.authorization.k8s.io"

func validateRole(c *check, object, old field) {
	validatePolicyRules(c, object.get("rules"), true)
	if old.isSet() {
		c.metadataAt = len(c.errs)
	}
}

func validateClusterRole(c *check, object, old field) {
	validatePolicyRules(c, object.get("rules"), false)
	aggregation := object.get("aggregationRule")
	selectors := aggregation.get("clusterRoleSelectors")
	if aggregation.isSet() && selectors.items() == 0 {
		c.required(selectors, "at least one clusterRoleSelector required if aggregationRule is non-nil")
	}
	for i := range selectors.items() {
		selector := selectors.item(i)
		mark := len(c.errs)
		c.labelSelector(selector)
		if c.failed(mark) && !isSelector(selector.Value) {
			c.invalidValue(selector, document.NewNull(), "invalid label selector.")
		}
	}
	if old.isSet() {
		c.metadataAt = len(c.errs)
	}
}

func validatePolicyRules(c *check, rules field, namespaced bool) {
	for i := range rules.items() {
		rule := rules.item(i)
		verbs, urls, groups, resources, resourceNames := rule.get("verbs"), rule.get("nonResourceURLs"), rule.get("apiGroups"), rule.get("resources"), rule.get("resourceNames")
		if verbs.items() == 0 {
			c.required(verbs, c.undeclared("verbs must contain at least one value"))
		}
		if urls.items() > 0 {
			if namespaced {
				c.invalid(urls, "namespaced rules cannot apply to non-resource URLs")
			}
			if groups.items() > 0 || resources.items() > 0 || resourceNames.items() > 0 {
				c.invalid(urls, "rules cannot apply to both regular resources and non-resource URLs")
			}
			continue
		}
		if groups.items() == 0 {
			c.required(groups, "resource rules must supply at least one api group")
		}
		if resources.items() == 0 {
			c.required(resources, "resource rules must supply at least one resource")
		}
	}
}
