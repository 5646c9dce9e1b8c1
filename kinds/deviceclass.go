package kinds

// notExtended is the detail of the error about an invalid name of an extended resource.
const notExtended = "must be a valid extended resource name"

// deviceClassStrategy is the strategy of resource.k8s.io/v1 DeviceClass.
var deviceClassStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "deviceclasses",
	Name:          finalSubdomainName,
	formerName:    subdomainName,
	renamed:       "1.35",
	validatedOnce: "1.35",
	metadataAgain: wholeOnce,
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
	if extended.isSet() {
		c.extendedName(extended)
	}
}
