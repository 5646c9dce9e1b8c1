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
	switch {
	case !data.isSet():
		c.required(data, "data is mandatory")
	case data.Kind() != document.Object && c.kind.Since("1.31"):
		c.required(data, "data must be a valid JSON object")
	}
}
