package plugins

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// nodeFeatures are the features that a node has to declare in its status before a bound pod may be changed
// so that changes reports true: those of KEP 5328 that an update can need, in the order of their names.
var nodeFeatures = [...]struct {
	name    string
	changes func(old, spec document.Value) bool
}{
	{"InPlacePodLevelResourcesVerticalScaling", podAmountsChange},
	{"InPlacePodVerticalScalingInitContainers", initAmountsChange},
}

// checkFeatures refuses to resize a pod in a way that its node does not declare to support, from Kubernetes 1.36.
func checkFeatures(c *call) *cluster.Status {
	name := c.resizedOn()
	if name == "" {
		return nil
	}
	var needed []string
	for _, f := range nodeFeatures {
		if f.changes(c.Old.Get("spec"), c.Object.Get("spec")) {
			needed = append(needed, f.name)
		}
	}
	if len(needed) == 0 {
		return nil
	}
	node, st := c.node(name)
	if st != nil {
		return st
	}
	declared := node.Lookup("status", "declaredFeatures").Strings()
	missing := slices.DeleteFunc(needed, func(name string) bool { return slices.Contains(declared, name) })
	if len(missing) == 0 {
		return nil
	}
	return c.Forbid(fmt.Sprintf("pod update requires features %s which are not available on node %q", strings.Join(missing, ", "), name))
}

// podAmountsChange reports whether the amounts of the pod itself change.
func podAmountsChange(old, spec document.Value) bool {
	before, after := old.Get("resources"), spec.Get("resources")
	if before.Exists() != after.Exists() {
		return true
	}
	for _, which := range [...]string{"requests", "limits"} {
		if !podresources.Read(before.Get(which)).Equal(podresources.Read(after.Get(which))) {
			return true
		}
	}
	return false
}

// initAmountsChange reports whether the amounts of an init container that is not a sidecar change.
func initAmountsChange(old, spec document.Value) bool {
	after := spec.Get("initContainers")
	for i, container := range old.Get("initContainers").Items() {
		if container.Get("restartPolicy").StringOr("") != "Always" && i < after.Len() &&
			!document.Equal(container.Get("resources"), after.At(i).Get("resources")) {
			return true
		}
	}
	return false
}
