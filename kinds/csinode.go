package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// csiNodeStrategy is the strategy of storage.k8s.io/v1 CSINode.
var csiNodeStrategy = Strategy{
	Group:          "storage.k8s.io",
	Resource:       "csinodes",
	Name:           subdomainName,
	validatedOnce:  "1.36",
	metadataAgain:  repeatsWhole,
	RequireVersion: true,
	ReturnDeleted:  true,
	// Since 1.37; before, there is no status.
	Reset:       []string{"status"},
	ResetStatus: []string{"metadata", "spec"},
}

func validateCSINode(c *check, object, old field) {
	drivers := object.get("spec.drivers")
	var seen seenTexts
	for i := range drivers.items() {
		driver := drivers.item(i)
		name, id := driver.get("name"), driver.get("nodeID")
		c.csiDriverName(name)
		c.need(id)
		if len(id.text()) > 256 {
			c.invalid(id, "must be 256 characters or less")
		}
		c.minimum(driver.get("allocatable.count"), 0)
		if seen.add(name.text()) {
			c.duplicate(name)
		}
		validateTopologyKeys(c, driver)
	}
	if old.isSet() {
		validateCSINodeUpdate(c, object, old)
	}
}

// validateTopologyKeys validates the topology keys of a driver. Errors are reported for the
// driver.
func validateTopologyKeys(c *check, driver field) {
	keys := driver.get("topologyKeys")
	var seen seenTexts
	for i := range keys.items() {
		key := keys.item(i)
		if key.isEmpty() {
			c.required(driver, "")
		}
		if seen.add(key.text()) {
			c.addValue(schema.ErrorDuplicate, driver, key.text(), "")
		}
		if why := names.QualifiedName(key.text()); why != "" {
			c.unmetText(driver, key.text(), why)
		}
	}
}

// validateCSINodeUpdate requires that existing drivers do not change, except for allocatable from
// Kubernetes 1.35 on (the feature MutableCSINodeAllocatableCount).
func validateCSINodeUpdate(c *check, object, old field) {
	drivers, stored := object.get("spec.drivers"), old.get("spec.drivers")
	positions := map[string]int{}
	for i := range stored.items() {
		driver := stored.item(i)
		name := driver.get("name")
		positions[name.text()] = i
	}
	for i := range drivers.items() {
		driver := drivers.item(i)
		name := driver.get("name")
		at, ok := positions[name.text()]
		if !ok {
			continue
		}
		was := stored.item(at)
		if c.kind.Since("1.35") {
			was.Value, driver.Value = was.Value.Without("allocatable"), driver.Value.Without("allocatable")
		}
		if !c.same(driver, was) {
			if !c.kind.Since("1.33") {
				drivers = object.getAs("spec.drivers", "CSINodeDriver")
			}
			c.invalidChange(drivers, isImmutable)
		}
	}
}
