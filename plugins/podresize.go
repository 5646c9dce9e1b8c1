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

// resizedOn returns the name of the node that a pod is bound to, if the write is a resize that changes the pod
// and is checked, which is so from Kubernetes 1.36.
func (c *call) resizedOn() string {
	if !c.does(cluster.OperationUpdate, "", "pods", "resize") || !c.cluster.Kinds().Catalog().Since("1.36") {
		return ""
	}
	generation := func(v document.Value) string { return v.Lookup("metadata", "generation").NumberText() }
	if generation(c.Object) == generation(c.Old) {
		return ""
	}
	return c.Object.Lookup("spec", "nodeName").StringOr("")
}

// node returns a node, or the refusal of a write to a pod that is bound to a node that does not exist.
func (c *call) node(name string) (document.Value, *cluster.Status) {
	node, st := c.get("", "nodes", "", name)
	if st == nil && !node.Exists() {
		st = c.Forbid(fmt.Sprintf("node %q not found", name))
	}
	return node, st
}

// checkNode refuses to resize a pod that is bound to a node with another operating system than Linux, or to
// more than the node can allocate.
func checkNode(c *call) *cluster.Status {
	name := c.resizedOn()
	if name == "" {
		return nil
	}
	node, st := c.node(name)
	if st != nil {
		return st
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
