package kinds

import "github.com/patchlab-dev/patchlab/internal/engine/names"

// storageVersionMigrationStrategy is the strategy of storagemigration.k8s.io StorageVersionMigration
// in v1 and v1beta1.
var storageVersionMigrationStrategy = Strategy{
	Group:          "storagemigration.k8s.io",
	Resource:       "storageversionmigrations",
	Name:           subdomainName,
	RequireVersion: true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"metadata", "spec"},
}

// validateStorageVersionMigration requires a resource, which does not change.
func validateStorageVersionMigration(c *check, object, old field) {
	spec := object.get("spec")
	group, resource := spec.get("resource.group"), spec.get("resource.resource")
	if c.needWith(resource, "resource is required to be set") {
		c.syntaxOnce(resource, names.DNSLabel1035)
	}
	if !group.isEmpty() {
		c.syntaxOnce(group, names.DNSSubdomain)
	}
	if old.isSet() {
		c.immutable(spec, old.get("spec"))
	}
}

// syntaxOnce applies a rule of package names to f and reports all requirements in one error.
func (c *check) syntaxOnce(f field, rule func(string) string) {
	if why := rule(f.text()); why != "" {
		c.invalid(f, joined(why, ","))
	}
}

// validateStorageVersionMigrationStatus requires that the resourceVersion and the outcome of a
// migration do not change once they are known.
func validateStorageVersionMigrationStatus(c *check, object, old field) {
	status, was := object.get("status"), old.get("status")
	version, stored := status.get("resourceVersion"), was.get("resourceVersion")
	if text := version.text(); text != "" && (!allDigits(text) || text[0] == '0') {
		c.invalid(version, "resource version is not well formed: "+text)
	}
	conditions := status.get("conditions")
	c.conditions(conditions)
	if !stored.isEmpty() && stored.text() != version.text() {
		c.invalidChange(version, isImmutable)
	}
	succeeded, failed := hasCondition(status.Value, "Succeeded"), hasCondition(status.Value, "Failed")
	if succeeded && failed {
		c.invalid(conditions, "Both success and failed conditions cannot be true at the same time")
	}
	if hasCondition(was.Value, "Succeeded") && !succeeded {
		c.invalid(conditions, "Success condition cannot be set to false once it is true")
	}
	if hasCondition(was.Value, "Failed") && !failed {
		c.invalid(conditions, "Failed condition cannot be set to false once it is true")
	}
}
