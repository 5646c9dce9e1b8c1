package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// ingressClassStrategy is the strategy of networking.k8s.io/v1 IngressClass.
var ingressClassStrategy = Strategy{
	Group:         "networking.k8s.io",
	Resource:      "ingressclasses",
	Name:          subdomainName,
	metadataAgain: changeFirst,
	Generation:    []string{"spec"},
}

func validateIngressClass(c *check, object, old field) {
	const maxController = 250
	controller, parameters := object.get("spec.controller"), object.get("spec.parameters")
	if old.isSet() {
		c.immutable(controller, old.get("spec.controller"))
		c.metadataAt = len(c.errs)
	}
	c.maxBytes(controller, maxController)
	c.domainPrefixedPath(controller)
	if !parameters.isSet() {
		return
	}
	validateTypedReference(c, parameters)
	scope, namespace := parameters.get("scope"), parameters.get("namespace")
	switch {
	case !scope.isSet():
		c.required(scope, "")
	case scope.text() == "Namespace" && !namespace.isSet():
		c.required(namespace, "`parameters.scope` is set to 'Namespace'")
	case scope.text() == "Namespace":
		c.syntax(namespace, names.DNSLabel)
	case scope.text() == "Cluster" && namespace.isSet():
		c.forbidden(namespace, "`parameters.scope` is set to 'Cluster'")
	default:
		c.oneOf(scope, "Cluster,Namespace")
	}
}
