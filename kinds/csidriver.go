package kinds

// csiDriverStrategy is the strategy of storage.k8s.io/v1 CSIDriver.
var csiDriverStrategy = Strategy{
	Group:             "storage.k8s.io",
	Resource:          "csidrivers",
	Name:              subdomainName,
	Generation:        []string{"spec"},
	NoFirstGeneration: true,
	RequireVersion:    true,
	ReturnDeleted:     true,
}

func validateCSIDriver(c *check, object, old field) {
	spec := object.get("spec")
	if attach := spec.getAs("attachRequired", "attachedRequired"); !attach.isSet() {
		c.required(attach, "")
	}
	for _, field := range [...]string{"podInfoOnMount", "storageCapacity", "seLinuxMount"} {
		if n := spec.get(field); !n.isSet() {
			c.required(n, "")
		}
	}
	c.oneOfIfSet(spec.get("fsGroupPolicy"), "File,None,ReadWriteOnceWithFSType")
	validateTokenRequests(c, spec.get("tokenRequests"))
	modes := spec.get("volumeLifecycleModes")
	for i := range modes.items() {
		c.oneOf(modes.hiddenItem(i), "Persistent,Ephemeral")
	}
	if period := spec.get("nodeAllocatableUpdatePeriodSeconds"); period.isSet() && period.number() < 10 {
		c.invalid(period, "must be greater than or equal to 10 seconds")
	}
	requests := spec.get("tokenRequests")
	if secrets := spec.get("serviceAccountTokenInSecrets"); secrets.isSet() && requests.items() == 0 {
		c.invalid(secrets, "serviceAccountTokenInSecrets is set but no tokenRequests are specified")
	}
	if old.isSet() {
		was := old.get("spec")
		c.immutable(spec.getAs("attachRequired", "attachedRequired"), was.get("attachRequired"))
		c.immutable(modes, was.get("volumeLifecycleModes"))
	}
}

// validateTokenRequests requires different audiences and valid expiration times.
func validateTokenRequests(c *check, requests field) {
	var seen seenTexts
	for i := range requests.items() {
		request := requests.item(i)
		audience, seconds := request.get("audience"), request.get("expirationSeconds")
		if seen.add(audience.text()) {
			c.duplicate(audience)
			continue
		}
		if seconds.isSet() && seconds.number() < 600 {
			c.invalid(seconds, "may not specify a duration less than 10 minutes")
		}
		if seconds.number() > 1<<32 {
			c.invalid(seconds, "may not specify a duration larger than 2^32 seconds")
		}
	}
}

// warnCSIDriver warns about requests for tokens when they are added or changed.
func warnCSIDriver(a *advice, object, old field) {
	requests := object.get("spec.tokenRequests")
	if requests.items() == 0 || old.isSet() && a.check.same(requests, old.get("spec.tokenRequests")) {
		return
	}
	if secrets := object.get("spec.serviceAccountTokenInSecrets"); !secrets.isSet() && a.check.kind.Since("1.35") {
		a.say("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes")
	}
}
