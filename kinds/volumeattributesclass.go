package kinds

// volumeAttributesClassStrategy is the strategy of storage.k8s.io/v1 VolumeAttributesClass.
var volumeAttributesClassStrategy = Strategy{
	Group:         "storage.k8s.io",
	Resource:      "volumeattributesclasses",
	Name:          subdomainName,
	validatedOnce: "1.35",
	metadataAgain: changeFirst,
	ReturnDeleted: true,
}

func validateVolumeAttributesClass(c *check, object, old field) {
	driver, parameters := object.get("driverName"), object.get("parameters")
	if old.isSet() {
		if !c.same(driver, old.get("driverName")) {
			c.forbidden(driver, "updates to driverName are forbidden.")
		}
		if !c.same(parameters, old.get("parameters")) {
			c.forbidden(parameters, "updates to parameters are forbidden.")
		}
		c.metadataAt = len(c.errs)
	}
	validateProvisioner(c, driver)
	validateParameters(c, parameters)
	if parameters.Len() == 0 {
		c.required(parameters, "must contain at least one key/value pair")
	}
}
