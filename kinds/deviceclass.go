package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// deviceClassStrategy is the strategy of resource.k8s.io/v1 DeviceClass.
var deviceClassStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "deviceclasses",
	Name:          finalSubdomainName,
	formerName:    subdomainName,
	renamed:       "1.35",
	metadataAgain: wholeFirst,
	Generation:    []string{"spec"},
	ReturnDeleted: true,
	ResetStatus:   []string{"metadata", "spec"},
}

func validateDeviceClass(c *check, object, _ field) {
	spec := object.get("spec")
	validateDeviceSelectors(c, spec.get("selectors"))
	configs, extended := spec.get("config"), spec.get("extendedResourceName")
	if c.itemsWithin(configs, maxDeviceConfigs) {
		for i := range configs.items() {
			validateDeviceConfig(c, configs.item(i))
		}
	}
	switch {
	case !extended.isSet():
	case c.kind.Since("1.37"):
		c.declaredExtendedName(extended)
	case !podresources.IsExtended(extended.text()):
		c.invalid(extended, "must be a valid extended resource name")
	}
}

// declaredExtendedName requires the name of an extended resource, as its type declares from
// Kubernetes 1.37 on.
func (c *check) declaredExtendedName(f field) {
	const native, requests = "kubernetes.io/", "requests."
	switch name := f.text(); {
	case !strings.Contains(name, "/"):
		c.invalid(f, "a name must be a domain-prefixed path, such as 'example.com/my-prop'")
	case strings.Contains(name, native):
		c.invalid(f, `must not have "`+native+`" domain`)
	}
	if strings.HasPrefix(f.text(), requests) {
		c.invalid(f, `must not have "`+requests+`" prefix`)
	}
	if why := names.QualifiedName(requests + f.text()); why != "" {
		c.unmet(f, why)
	}
}
