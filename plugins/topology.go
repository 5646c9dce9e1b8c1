package plugins

import (
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
)

// topologyLabels are the labels of a node that its pods get.
var topologyLabels = [...]string{"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}

// withoutTopology are the supported versions before the plugin was on by default.
var withoutTopology = []string{"1.30", "1.31", "1.32", "1.33", "1.34"}

// setTopology copies the zone and the region of a node to a pod that is bound to it.
func setTopology(c *call) *cluster.Status {
	var name string
	switch {
	case slices.Contains(withoutTopology, c.cluster.Kinds().Catalog().Version()):
	case c.creates("", "pods"):
		name = c.Object.Lookup("spec", "nodeName").StringOr("")
	case c.does(cluster.OperationCreate, "", "pods", "binding"):
		if target := c.Object.Get("target"); target.Get("kind").StringOr("") == "Node" {
			name = target.Get("name").StringOr("")
		}
	}
	if name == "" {
		return nil
	}
	node, st := c.get("", "nodes", "", name)
	for _, key := range topologyLabels {
		if value := node.Lookup("metadata", "labels", key); value.Exists() {
			c.set(value, "metadata", "labels", key)
		}
	}
	return st
}
