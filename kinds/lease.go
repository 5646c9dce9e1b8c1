package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// leaseStrategy is the strategy of coordination.k8s.io/v1 Lease.
var leaseStrategy = Strategy{
	Group:          "coordination.k8s.io",
	Resource:       "leases",
	AnyFinalizer:   true,
	Name:           subdomainName,
	CreateOnUpdate: true,
	RequireVersion: true,
}

// validateLease follows pkg/apis/coordination/validation of Kubernetes 1.36.
func validateLease(c *check, object, _ field) {
	spec := object.get("spec")
	strategy, holder := spec.get("strategy"), spec.get("preferredHolder")
	if seconds := spec.get("leaseDurationSeconds"); seconds.isSet() && seconds.number() <= 0 {
		c.invalid(seconds, "must be greater than 0")
	}
	c.minimum(spec.get("leaseTransitions"), 0)
	if strategy.isSet() {
		c.leaseStrategy(strategy)
	}
	if !holder.isEmpty() && strategy.isEmpty() {
		c.forbidden(holder, "may only be specified if `strategy` is defined")
	}
}

// leaseStrategy requires a known strategy or a qualified name. The field is in the message
// twice, as in kube-apiserver.
func (c *check) leaseStrategy(n field) {
	field := n.getAs("", "strategy")
	field.Value = n.Value
	if !strings.Contains(n.text(), "/") {
		c.oneOf(field, "OldestEmulationVersion")
		return
	}
	c.syntax(field, names.QualifiedName)
}
