package plugins

import "github.com/patchlab-dev/patchlab/cluster"

// topologyLabels are the labels of a node that its pods get.
var topologyLabels = [...]string{"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}

// setTopology copies the zone and the region of a node to a pod that is bound to it, from Kubernetes 1.35,
// in which the plugin is on by default.
func setTopology(c *call) *cluster.Status {
	var name string
	switch {
	case !c.cluster.Kinds().Catalog().Since("1.35"):
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
