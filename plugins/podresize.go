package plugins

import (
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// The types of the causes with which a resize is refused.
const (
	causeCapacity = "NodeCapacity"
	causePlatform = "UnsupportedPlatform"
)

// checkNode refuses to resize a pod that is bound to a node with another operating system than Linux, or to
// more than the node can allocate, from Kubernetes 1.36. A resize that changes nothing is allowed.
func checkNode(c *call) *cluster.Status {
	if !c.does(cluster.OperationUpdate, "", "pods", "resize") || !c.cluster.Kinds().Catalog().Since("1.36") {
		return nil
	}
	generation := func(v document.Value) string { return v.Lookup("metadata", "generation").NumberText() }
	name := c.Object.Lookup("spec", "nodeName").StringOr("")
	if name == "" || generation(c.Object) == generation(c.Old) {
		return nil
	}
	node, st := c.get("", "nodes", "", name)
	if st != nil {
		return st
	}
	if !node.Exists() {
		return c.Forbid(fmt.Sprintf("node %q not found", name))
	}
	if system := node.Lookup("metadata", "labels", "kubernetes.io/os").StringOr("linux"); system != "linux" {
		return c.infeasible(causePlatform, fmt.Sprintf("pod resize is only supported on linux nodes, node %q is %q", name, system))
	}
	requests, allocatable := podresources.Requested(c.Object.Get("spec")), podresources.Read(node.Lookup("status", "allocatable"))
	var exceeded []string
	for _, of := range [...]struct {
		name string
		unit int32 // the exponent of the unit in the message
	}{{"cpu", -3}, {"memory", 0}} {
		if asked, most := requests[of.name], allocatable[of.name]; asked.Cmp(most) > 0 {
			exceeded = append(exceeded, fmt.Sprintf("%s, requested: %d, allocatable: %d", of.name, asked.Wrapped(of.unit), most.Wrapped(of.unit)))
		}
	}
	if len(exceeded) == 0 {
		return nil
	}
	return c.infeasible(causeCapacity, "node didn't have enough allocatable resources: "+strings.Join(exceeded, "; "))
}

// infeasible returns the refusal of a resize that the node of the pod cannot make.
func (c *call) infeasible(cause, why string) *cluster.Status {
	st := c.Forbid(why)
	st.Details.Causes = append(st.Details.Causes, cluster.Cause{Type: cause})
	return st
}
