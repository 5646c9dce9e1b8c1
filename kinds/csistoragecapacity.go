package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// csiStorageCapacityStrategy is the strategy of storage.k8s.io/v1 CSIStorageCapacity.
var csiStorageCapacityStrategy = Strategy{
	Group:          "storage.k8s.io",
	Resource:       "csistoragecapacities",
	Name:           subdomainName,
	metadataAgain:  wholeFirst,
	RequireVersion: true,
}

func validateCSIStorageCapacity(c *check, object, old field) {
	topology, class := object.get("nodeTopology"), object.get("storageClassName")
	c.labelSelector(topology)
	c.syntax(class, names.DNSSubdomain)
	c.notNegative(object.get("capacity"))
	if old.isSet() {
		c.metadataAt = len(c.errs)
		c.immutable(topology, old.get("nodeTopology"))
		c.immutable(class, old.get("storageClassName"))
	}
}

func warnCSIStorageCapacity(a *advice, object, _ field) {
	topology := object.get("nodeTopology")
	a.labelKeys(topology.get("matchExpressions"))
	labels := topology.get("matchLabels")
	for i := range labels.members() {
		key := labels.Value.Key(i)
		if why := a.deprecatedLabel(key); why != "" {
			a.say("nodeTopology.matchLabels." + key + ": " + why)
		}
	}
}
