package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// clusterRoleBindingStrategy is the strategy of rbac.authorization.k8s.io/v1 ClusterRoleBinding.
var clusterRoleBindingStrategy = Strategy{
	Group:          "rbac.authorization.k8s.io",
	Resource:       "clusterrolebindings",
	Name:           wholeSegmentName,
	validatedOnce:  "1.35",
	metadataAgain:  wholeFirst,
	CreateOnUpdate: true,
}

// roleBindingStrategy is the strategy of rbac.authorization.k8s.io/v1 RoleBinding.
var roleBindingStrategy = Strategy{
	Group:          "rbac.authorization.k8s.io",
	Resource:       "rolebindings",
	Name:           wholeSegmentName,
	validatedOnce:  "1.35",
	metadataAgain:  wholeFirst,
	CreateOnUpdate: true,
}

func validateRoleBinding(c *check, object, old field) {
	validateBinding(c, object, old, "Role,ClusterRole", true)
}

func validateClusterRoleBinding(c *check, object, old field) {
	validateBinding(c, object, old, "ClusterRole", false)
}

func validateBinding(c *check, object, old field, kinds string, namespaced bool) {
	ref, subjects := object.get("roleRef"), object.get("subjects")
	c.oneOf(ref.get("apiGroup"), rbacGroup)
	c.oneOf(ref.get("kind"), kinds)
	c.needSyntax(ref.get("name"), names.PathSegment)
	for i := range subjects.items() {
		validateSubject(c, subjects.item(i), namespaced)
	}
	if !old.isSet() {
		return
	}
	c.metadataAt = len(c.errs)
	if !c.same(ref, old.get("roleRef")) {
		why := "cannot change roleRef"
		if c.kind.Since("1.37") {
			why = isImmutable
		}
		c.invalid(ref, why)
	}
}

func validateSubject(c *check, n field, namespaced bool) {
	kind, group, name, namespace := n.get("kind"), n.get("apiGroup"), n.get("name"), n.get("namespace")
	c.need(name)
	switch kind.text() {
	case "ServiceAccount":
		c.syntaxIfSet(name, names.DNSSubdomain)
		if !group.isEmpty() {
			c.notSupported(group, "")
		}
		if !namespaced && namespace.isEmpty() {
			c.required(namespace, "")
		}
	case "User", "Group":
		c.oneOf(group, rbacGroup)
	default:
		c.notSupported(kind, "ServiceAccount,User,Group")
	}
}
