package plugins

import (
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/semantic"
)

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

// useRuntimeClass sets the overhead, node selector and tolerations that the runtime class of a new
// pod defines.
func useRuntimeClass(c *call) *cluster.Status {
	class, st := c.runtimeClass()
	if st != nil || !class.Exists() {
		return st
	}
	if fixed, overhead := class.Get("overhead"), c.Object.Lookup("spec", "overhead"); fixed.Exists() {
		fixed = fixed.Get("podFixed")
		if overhead.Len() > 0 && !sameAmounts(fixed, overhead) {
			return c.Forbid(otherOverhead)
		}
		c.set(fixed, "spec", "overhead")
	}
	scheduling := class.Get("scheduling")
	if !scheduling.Exists() {
		return nil
	}
	for key, value := range scheduling.Get("nodeSelector").Members() {
		if has := c.Object.Lookup("spec", "nodeSelector", key); has.Exists() && !document.Equal(has, value) {
			return c.Forbid(fmt.Sprintf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s",
				key, value.StringOr(""), key, has.StringOr("")))
		}
		c.set(value, "spec", "nodeSelector", key)
	}
	if merged := mergeTolerations(c.Object.Lookup("spec", "tolerations"), scheduling.Get("tolerations")); merged.Len() > 0 {
		c.set(merged, "spec", "tolerations")
	}
	return nil
}

// checkOverhead refuses a new pod with another overhead than that of its runtime class. An empty overhead is
// one too.
func checkOverhead(c *call) *cluster.Status {
	if !c.creates("", "pods") {
		return nil
	}
	class, st := c.runtimeClass()
	if st != nil {
		return st
	}
	overhead := c.Object.Lookup("spec", "overhead")
	switch fixed := class.Get("overhead"); {
	case fixed.Exists() && !sameAmounts(fixed.Get("podFixed"), overhead):
		return c.Forbid(otherOverhead)
	case !fixed.Exists() && (overhead.Exists() || c.Written.Lookup("spec", "overhead").Kind() == document.Object):
		return c.Forbid("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
	}
	return nil
}

// runtimeClass returns the runtime class of a new pod, which must exist; absent if it names none and
// for other writes.
func (c *call) runtimeClass() (document.Value, *cluster.Status) {
	if !c.creates("", "pods") {
		return document.Value{}, nil
	}
	name, ok := c.Object.Lookup("spec", "runtimeClassName").Text()
	if !ok {
		return document.Value{}, nil
	}
	if name == "" { // which kube-apiserver does not validate before it asks for the class
		return document.Value{}, &cluster.Status{Code: 500, Message: "resource name may not be empty"}
	}
	class, st := c.get("node.k8s.io", "runtimeclasses", "", name)
	if st == nil && !class.Exists() {
		st = c.Forbid(fmt.Sprintf("pod rejected: RuntimeClass %q not found", name))
	}
	return class, st
}

// sameAmounts compares lists of resources by amount.
func sameAmounts(a, b document.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for name, amount := range a.Members() {
		if other := b.Get(name); !other.Exists() || !semantic.EqualAmount(amount, other) {
			return false
		}
	}
	return true
}

// mergeTolerations returns the tolerations of both lists without those that another one covers
// (k8s.io/kubernetes/pkg/util/tolerations).
func mergeTolerations(first, second document.Value) document.Value {
	var all []document.Value
	for _, list := range [...]document.Value{first, second} {
		for _, t := range list.Items() {
			all = append(all, t)
		}
	}
	var merged []document.Value
	for i, t := range all {
		covered := slices.ContainsFunc(merged, func(m document.Value) bool { return covers(m, t) }) ||
			slices.ContainsFunc(all[i+1:], func(m document.Value) bool { return !document.Equal(m, t) && covers(m, t) })
		if !covered {
			merged = append(merged, t)
		}
	}
	return document.NewList(merged...)
}

// covers reports whether every taint that a toleration tolerates is tolerated by another one, wide.
func covers(wide, t document.Value) bool {
	if document.Equal(wide, t) {
		return true
	}
	text := func(v document.Value, key string) string { return v.Get(key).StringOr("") }
	operator := text(wide, "operator")
	if text(t, "key") != text(wide, "key") && (text(wide, "key") != "" || operator != "Exists") {
		return false
	}
	effect := text(wide, "effect")
	if effect != "" && text(t, "effect") != effect {
		return false
	}
	if most, limited := wide.Get("tolerationSeconds").Int(); limited && effect == "NoExecute" {
		if seconds, ok := t.Get("tolerationSeconds").Int(); !ok || seconds > most {
			return false
		}
	}
	switch operator {
	case "Exists":
		return true
	case "Equal", "":
		return text(t, "operator") == "Equal" && text(t, "value") == text(wide, "value")
	}
	return false
}
