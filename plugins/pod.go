package plugins

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

const (
	notReady    = "node.kubernetes.io/not-ready"
	unreachable = "node.kubernetes.io/unreachable"
	// tolerationSeconds is the default of the flags --default-not-ready-toleration-seconds and
	// --default-unreachable-toleration-seconds of kube-apiserver.
	tolerationSeconds = 300
)

// setTolerations adds tolerations to a pod, with which it stays for five minutes on a node that is
// not ready or unreachable.
func setTolerations(c *call) *cluster.Status {
	if !c.creates("", "pods") && !c.updates("", "pods") {
		return nil
	}
	for _, key := range [...]string{notReady, unreachable} {
		tolerations := c.Object.Lookup("spec", "tolerations")
		if !tolerates(tolerations, key) {
			c.set(appended(tolerations, document.NewObject().
				With("effect", document.NewString("NoExecute")).
				With("key", document.NewString(key)).
				With("operator", document.NewString("Exists")).
				With("tolerationSeconds", document.NewInt(tolerationSeconds))), "spec", "tolerations")
		}
	}
	return nil
}

// tolerates reports whether tolerations cover the effect NoExecute of a taint with the given key.
func tolerates(tolerations document.Value, key string) bool {
	for _, t := range tolerations.Items() {
		tolerated, effect := t.Get("key").StringOr(""), t.Get("effect").StringOr("")
		if (tolerated == key || tolerated == "") && (effect == "NoExecute" || effect == "") {
			return true
		}
	}
	return false
}

// taintNode adds the taint of a node that is not ready to a new node, so that no pods are scheduled
// to it before its state is known.
func taintNode(c *call) *cluster.Status {
	if !c.creates("", "nodes") {
		return nil
	}
	taints := c.Object.Lookup("spec", "taints")
	for _, t := range taints.Items() {
		if t.Get("key").StringOr("") == notReady && t.Get("effect").StringOr("") == "NoSchedule" {
			return nil
		}
	}
	c.set(appended(taints, document.NewObject().
		With("effect", document.NewString("NoSchedule")).
		With("key", document.NewString(notReady))), "spec", "taints")
	return nil
}

// appended returns a list with another item. A value that is not a list counts as an empty one.
func appended(list, item document.Value) document.Value {
	if list.Kind() != document.List {
		return document.NewList(item)
	}
	return list.Splice(list.Len(), 0, item)
}

// setPriority sets the priority and the preemption policy of a pod's priority class, or of the
// default one. An update that leaves them out keeps them.
func setPriority(c *call) *cluster.Status {
	if c.updates("", "pods") {
		for _, field := range [...]string{"priority", "preemptionPolicy"} {
			if old := c.Old.Lookup("spec", field); old.Exists() && !c.Object.Lookup("spec", field).Exists() {
				c.set(old, "spec", field)
			}
		}
		return nil
	}
	if !c.creates("", "pods") {
		return nil
	}
	class, st := c.priorityClass(c.Object.Lookup("spec", "priorityClassName").StringOr(""))
	if st != nil {
		return st
	}
	priority, policy := int64(0), document.NewString("PreemptLowerPriority")
	if class.Exists() {
		priority, _ = class.Get("value").Int()
		policy = class.Get("preemptionPolicy")
		c.set(class.Lookup("metadata", "name"), "spec", "priorityClassName")
	}
	if given, ok := c.Object.Lookup("spec", "priority").Int(); ok && given != priority {
		return c.Forbid(fmt.Sprintf("the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", given, priority))
	}
	c.set(document.NewInt(priority), "spec", "priority")
	if !policy.Exists() {
		return nil
	}
	if given := c.Object.Lookup("spec", "preemptionPolicy"); given.Exists() && !document.Equal(given, policy) {
		return c.Forbid(fmt.Sprintf("the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller computed %s from the given PriorityClass name", given.StringOr(""), policy.StringOr("")))
	}
	c.set(policy, "spec", "preemptionPolicy")
	return nil
}

// priorityClass returns a priority class, which must exist, or the default one if name is empty;
// absent if there is none.
func (c *call) priorityClass(name string) (document.Value, *cluster.Status) {
	if name == "" {
		return c.defaultPriorityClass()
	}
	class, st := c.get("scheduling.k8s.io", "priorityclasses", "", name)
	if st == nil && !class.Exists() {
		st = c.Forbid("no PriorityClass with name " + name + " was found")
	}
	return class, st
}

// defaultPriorityClass returns the default priority class, absent if there is none. If there are
// several, it is the one with the lowest value.
func (c *call) defaultPriorityClass() (document.Value, *cluster.Status) {
	classes, st := c.list("scheduling.k8s.io", "priorityclasses", "")
	var lowest document.Value
	for _, class := range classes {
		if is, _ := class.Get("globalDefault").Bool(); !is {
			continue
		}
		value, _ := class.Get("value").Int()
		if least, ok := lowest.Get("value").Int(); !ok || value < least {
			lowest = class
		}
	}
	return lowest, st
}

// checkPriorityClass refuses a second default priority class.
func checkPriorityClass(c *call) *cluster.Status {
	const group, resource = "scheduling.k8s.io", "priorityclasses"
	if is, _ := c.Object.Get("globalDefault").Bool(); !is || !c.creates(group, resource) && !c.updates(group, resource) {
		return nil
	}
	class, st := c.defaultPriorityClass()
	if st != nil || !class.Exists() {
		return st
	}
	name := class.Lookup("metadata", "name")
	if c.Operation == cluster.OperationUpdate && document.Equal(name, c.Object.Lookup("metadata", "name")) {
		return nil
	}
	return c.Forbid("PriorityClass " + name.StringOr("") + " is already marked as default. Only one default can exist")
}
