// Package podresources computes the total resources of a pod's containers.
package podresources

import (
	"maps"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
)

// Amounts maps resource names to quantities.
type Amounts map[string]quantity.Quantity

// Read returns the amounts of a container's limits or requests. Invalid quantities are
// ignored.
func Read(v document.Value) Amounts {
	a := Amounts{}
	for name, val := range v.Members() {
		if q, err := quantity.Parse(strings.TrimSpace(val.StringOr(val.NumberText()))); err == nil {
			a[name] = q
		}
	}
	return a
}

// Value returns the amounts as an object.
func (a Amounts) Value() document.Value {
	var b document.ObjectBuilder
	for _, name := range slices.Sorted(maps.Keys(a)) {
		b.SetString(name, a[name].String())
	}
	return b.Object()
}

// Equal reports whether both have the same names with equal quantities.
func (a Amounts) Equal(b Amounts) bool {
	return maps.EqualFunc(a, b, func(x, y quantity.Quantity) bool { return x.Cmp(y) == 0 })
}

// Add adds the amounts in b to a.
func (a Amounts) Add(b Amounts) {
	for name, q := range b {
		if sum, ok := a[name]; ok {
			q = sum.Add(q)
		}
		a[name] = q
	}
}

// atLeast raises the amounts in a to those in b.
func (a Amounts) atLeast(b Amounts) {
	for name, q := range b {
		if had, ok := a[name]; !ok || q.Cmp(had) > 0 {
			a[name] = q
		}
	}
}

// OfContainers returns the total "limits" or "requests" of the containers in a pod spec:
// the sum of those that run concurrently, or more if an init container needs more while it
// runs (KEP-753).
func OfContainers(spec document.Value, which string) Amounts {
	all, sidecars, atOnce := Amounts{}, Amounts{}, Amounts{}
	for _, c := range spec.Get("containers").Items() {
		all.Add(Read(c.Lookup("resources", which)))
	}
	for _, c := range spec.Get("initContainers").Items() {
		own := Read(c.Lookup("resources", which))
		if c.Get("restartPolicy").StringOr("") == "Always" {
			all.Add(own)
			sidecars.Add(own)
			own = sidecars
		} else {
			own.Add(sidecars)
		}
		atOnce.atLeast(own)
	}
	all.atLeast(atOnce)
	return all
}

// OfPod returns the total "limits" or "requests" of a pod spec, without its overhead: those of its
// containers, replaced by the amounts of the pod itself for the resources that own reports.
func OfPod(spec document.Value, which string, own func(name string) bool) Amounts {
	total := OfContainers(spec, which)
	for name, amount := range Read(spec.Lookup("resources", which)) {
		if own(name) {
			total[name] = amount
		}
	}
	return total
}

// Requested returns the total requests of a pod spec, with its overhead.
func Requested(spec document.Value) Amounts {
	total := OfPod(spec, "requests", IsPodLevel)
	total.Add(Read(spec.Get("overhead")))
	return total
}
