package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// standardResources are the resource names without a domain that quotas, limits and containers
// may have (pkg/apis/core/helper of Kubernetes 1.36).
const standardResources = "configmaps,cpu,ephemeral-storage,limits.cpu,limits.ephemeral-storage,limits.memory,memory," +
	"persistentvolumeclaims,pods,replicationcontrollers,requests.cpu,requests.ephemeral-storage,requests.memory,requests.storage," +
	"resourcequotas,secrets,services,services.loadbalancers,services.nodeports,storage"

// containerResource requires the name of a resource that a container can request: a standard
// one, huge pages, or one with a domain. Errors are reported for f.
func (c *check) containerResource(f field, name string) {
	c.resourceName(f, name)
	switch {
	case !strings.Contains(name, "/"):
		if !among(name, "cpu,memory,ephemeral-storage") && !podresources.IsHugePages(name) {
			c.invalidText(f, name, "must be a standard resource for containers")
		}
	case !podresources.IsNative(name) && !podresources.IsExtended(name):
		c.invalidText(f, name, "doesn't follow extended resource name standard")
	}
}

// quotaResource requires the name of a resource that a quota can limit.
func (c *check) quotaResource(f field, name string) {
	c.resourceName(f, name)
	if !strings.Contains(name, "/") && !isQuotaResource(name) {
		c.invalidText(f, name, "must be a standard resource for quota")
	}
}

// isQuotaResource reports whether a resource name without a domain is valid in quotas.
func isQuotaResource(name string) bool {
	return name != "storage" && among(name, standardResources) || isQuotaHugePages(name)
}

func isQuotaHugePages(name string) bool {
	return podresources.IsHugePages(name) || strings.HasPrefix(name, "requests.hugepages-")
}

// resourceName requires a qualified name which, without a domain, is a standard one. It
// reports whether the name is valid.
func (c *check) resourceName(f field, name string) bool {
	if why := names.QualifiedName(name); why != "" {
		c.unmetText(f, name, why)
		return false
	}
	if !strings.Contains(name, "/") && !among(name, standardResources) && !isQuotaHugePages(name) {
		c.invalidText(f, name, "must be a standard resource type or fully qualified")
		return false
	}
	return true
}

// resourceAmount requires an amount that is not negative and, for a countable resource, an
// integer.
func (c *check) resourceAmount(f field, name string) {
	c.notNegative(f)
	if isCounted(name) && !isWhole(f) {
		c.invalidAmount(f, f.Value, "must be an integer")
	}
}

// invalidAmount adds an error "Invalid value" for f that shows a quantity in its canonical form,
// however the request spells it.
func (c *check) invalidAmount(f field, shown document.Value, detail string) {
	c.invalidText(f, amountOf(shown).String(), detail)
}

// isCounted reports whether amounts of the resource are integers.
func isCounted(name string) bool {
	return among(name, "pods,services,replicationcontrollers,resourcequotas,secrets,configmaps,persistentvolumeclaims,services.loadbalancers,services.nodeports") ||
		podresources.IsExtended(name)
}

// isWhole reports whether an amount, rounded up to thousandths, is an integer. The number of
// thousandths of a great amount, such as 10Pi, loses its upper bits in kube-apiserver.
func isWhole(f field) bool { return amountOf(f.Value).Wrapped(-3)%1000 == 0 }
