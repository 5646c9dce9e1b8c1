package cluster

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// What fields of built-in kinds must hold: keys, numbers, and what may not be
// missing.

// checkValues judges the values of a built-in object.
func checkValues(k *schema.Kind, object document.Value) []Cause {
	c := &check{object: object}
	name := k.Group + "/" + k.Kind
	c.kind(name)
	switch name {
	case "autoscaling/HorizontalPodAutoscaler":
		c.autoscaler()
	}
	return c.causes
}

// autoscaler wants bounds in order.
func (c *check) autoscaler() {
	most, _ := c.at("spec.maxReplicas").Int()
	least, _ := c.at("spec.minReplicas").Int()
	switch {
	case most < 1:
		c.add(invalidValue("spec.maxReplicas", strconv.FormatInt(most, 10), "must be greater than 0"))
	case most < least:
		c.add(invalidValue("spec.maxReplicas", strconv.FormatInt(most, 10), "must be greater than or equal to `minReplicas`"))
	}
}
