package kinds

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// apiServiceStrategy is the strategy of apiregistration.k8s.io/v1 APIService.
var apiServiceStrategy = Strategy{
	Group:          "apiregistration.k8s.io",
	Resource:       "apiservices",
	AnyFinalizer:   true,
	Storage:        "apiregistration.k8s.io/apiservices",
	Name:           wholeSegmentName,
	metadataAgain:  changeFirst,
	RequireVersion: true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"metadata", "spec"},
	Repeats:        true,
	Registers:      true,
}

// validateAPIService follows kube-aggregator/pkg/apis/apiregistration/validation of Kubernetes
// 1.36.
func validateAPIService(c *check, object, _ field) {
	spec := object.get("spec")
	group, version := spec.get("group"), spec.get("version")
	wanted := version.text() + "." + group.text()
	for _, field := range [...]string{"metadata.generateName", "metadata.name"} {
		if name := object.get(field); name.text() != "" && name.text() != wanted && names.PathSegment(name.text()) == "" {
			c.invalid(name, "must be `spec.version+\".\"+spec.group`: "+strconv.Quote(wanted))
		}
	}
	c.metadataAt = len(c.errs)
	if group.isEmpty() && version.text() != "v1" {
		c.required(group, "only v1 may have an empty group and it better be legacy kube")
	}
	c.syntaxIfSet(group, names.DNSSubdomain)
	c.syntax(version, names.DNSLabel1035)
	groupPriority, versionPriority := spec.get("groupPriorityMinimum"), spec.get("versionPriority")
	if n := groupPriority.number(); n <= 0 || n > 20000 {
		c.invalid(groupPriority, "must be positive and less than 20000")
	}
	if n := versionPriority.number(); n <= 0 || n > 1000 {
		c.invalid(versionPriority, "must be positive and less than 1000")
	}
	service, insecure, bundle := spec.get("service"), spec.get("insecureSkipTLSVerify"), spec.get("caBundle")
	if !service.isSet() {
		if !bundle.isEmpty() {
			c.invalidText(bundle, strconv.Itoa(DecodedLen(bundle.text()))+" bytes", "local APIServices may not have a caBundle")
		}
		if insecure.isTrue() {
			c.invalid(insecure, "local APIServices may not have insecureSkipTLSVerify")
		}
		return
	}
	c.need(service.get("namespace"))
	c.need(service.get("name"))
	c.servicePort(service.get("port"))
	if insecure.isTrue() && !bundle.isEmpty() {
		c.invalid(insecure, "may not be true if caBundle is present")
	}
}

func validateAPIServiceStatus(c *check, object, _ field) {
	conditions := object.get("status.conditions")
	for i := range conditions.items() {
		c.oneOf(conditions.item(i).get("status"), "True,False,Unknown")
	}
}
