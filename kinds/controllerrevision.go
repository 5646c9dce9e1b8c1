package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
)

// controllerRevisionStrategy is the strategy of apps/v1 ControllerRevision.
var controllerRevisionStrategy = Strategy{
	Group:         "apps",
	Resource:      "controllerrevisions",
	metadataAgain: changeFirst,
	Name:          subdomainName,
}

func validateControllerRevision(c *check, object, old field) {
	c.minimum(object.get("revision"), 0)
	data := object.get("data")
	if old.isSet() {
		c.immutable(data, old.get("data"))
		return
	}
	switch data.Kind() {
	case document.Object:
	case document.Absent, document.Null:
		c.required(data, "data is mandatory")
	default:
		c.required(data, "data must be a valid JSON object")
	}
}
