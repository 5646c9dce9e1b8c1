package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// resourceClaimStrategy is the strategy of resource.k8s.io/v1 ResourceClaim.
var resourceClaimStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "resourceclaims",
	Name:          subdomainName,
	validatedOnce: "1.35",
	metadataAgain: wholeOnce,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"metadata", "spec"},
	InNamespace: func(object, namespace document.Value) []schema.FieldError {
		return adminAccess(object, object.Get("spec"), namespace)
	},
	StatusInNamespace: func(object, live, namespace document.Value) []schema.FieldError {
		results := document.Keys("status", "allocation", "devices", "results")
		if withAdminAccess(live.Follow(results)) >= 0 {
			return nil // the allocation cannot change
		}
		if i := withAdminAccess(object.Follow(results)); i >= 0 {
			return permitAdminAccess(results.Item(i).Child("adminAccess"), object, namespace)
		}
		return nil
	},
}

// resourceClaimTemplateStrategy is the strategy of resource.k8s.io/v1 ResourceClaimTemplate.
var resourceClaimTemplateStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "resourceclaimtemplates",
	Name:          subdomainName,
	validatedOnce: "1.35",
	metadataAgain: wholeOnce,
	ReturnDeleted: true,
	ResetStatus:   []string{"metadata", "spec"},
	InNamespace: func(object, namespace document.Value) []schema.FieldError {
		return adminAccess(object, object.Lookup("spec", "spec"), namespace)
	},
}

func validateResourceClaim(c *check, object, old field) {
	spec := object.get("spec")
	if !old.isSet() || !c.kind.Since("1.35") {
		validateDeviceClaim(c, spec.get("devices"))
	}
	if old.isSet() {
		c.declaredImmutable(spec, old.get("spec"))
	}
}

func validateResourceClaimTemplate(c *check, object, old field) {
	spec := object.get("spec")
	c.templateMetadata(spec.get("metadata"))
	validateDeviceClaim(c, spec.get("spec.devices"))
	if old.isSet() {
		c.metadataAt = len(c.errs)
		c.immutable(spec, old.get("spec"))
	}
}

func validateResourceClaimStatus(c *check, object, old field) {
	const maxReserved = 256
	status, was := object.get("status"), old.get("status")
	reserved, devices, allocation := status.get("reservedFor"), status.get("devices"), status.get("allocation")
	known := requestNames(object.Value.Lookup("spec", "devices", "requests"))
	if c.itemsWithin(reserved, maxReserved) {
		var seen seenTexts
		for i := range reserved.items() {
			consumer := reserved.item(i)
			c.need(consumer.get("resource"))
			c.need(consumer.get("name"))
			uid := consumer.get("uid")
			c.need(uid)
			c.distinctItem(consumer, "uid", &seen)
		}
	}
	validateDeviceStatuses(c, devices, allocation.Value)
	if reserved.items() > 0 {
		if !allocation.isSet() {
			c.forbidden(reserved, "may not be specified when `allocated` is not set")
		} else if object.Value.Lookup("metadata", "deletionTimestamp").Exists() && addsItems(reserved.Value, was.Value.Get("reservedFor")) {
			c.forbidden(reserved, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set")
		}
	}
	switch stored := was.get("allocation"); {
	case allocation.isSet() && stored.isSet():
		c.immutable(allocation, stored)
	case allocation.isSet():
		validateAllocation(c, allocation, known)
	}
}

// addsItems reports whether a list has an item that the old list does not have.
func addsItems(list, old document.Value) bool {
	var known seenTexts
	for _, item := range old.Items() {
		known.add(item.String())
	}
	for _, item := range list.Items() {
		if !known.has(item.String()) {
			return true
		}
	}
	return false
}

// deviceID identifies a device, or a share of one, in the form in which messages show it.
func deviceID(device document.Value) document.Value {
	id := document.NewObject()
	for _, name := range [...]string{"driver", "pool", "device", "shareID"} {
		id = id.With(strings.ToUpper(name[:1])+name[1:], document.NewString(device.Get(name).StringOr("")))
	}
	return id
}

func validateDeviceStatuses(c *check, devices field, allocation document.Value) {
	const maxConditions, maxInterface, maxHardware, maxIPs = 8, 256, 128, 16
	var allocated, seen seenTexts
	for _, result := range allocation.Lookup("devices", "results").Items() {
		allocated.add(deviceID(result).String())
	}
	for i := range devices.items() {
		device := devices.item(i)
		conditions, data, network := device.get("conditions"), device.get("data"), device.get("networkData")
		c.csiDriverName(device.get("driver"))
		c.poolName(device.get("pool"), false)
		c.syntax(device.get("device"), names.DNSLabel)
		c.shareID(device.get("shareID"))
		id := deviceID(device.Value)
		if !allocated.has(id.String()) {
			c.invalidValue(device, id, "must be an allocated device in the claim")
		}
		c.maxItems(conditions, maxConditions)
		c.conditions(conditions)
		if data.isSet() {
			c.rawObject(data, maxRawBytes)
		}
		c.maxBytes(network.get("interfaceName"), maxInterface)
		c.maxBytes(network.get("hardwareAddress"), maxHardware)
		if ips := network.get("ips"); c.itemsWithin(ips, maxIPs) {
			var addresses seenTexts
			for j := range ips.items() {
				ip := ips.item(j)
				c.interfaceAddress(ip)
				c.distinct(ip, ip.text(), &addresses)
			}
		}
		if seen.add(id.String()) {
			c.duplicateValue(device, id)
		}
	}
}

func validateAllocation(c *check, allocation field, known map[string]bool) {
	results, configs, selector := allocation.get("devices.results"), allocation.get("devices.config"), allocation.get("nodeSelector")
	if c.itemsWithin(results, maxDeviceRequests) {
		for i := range results.items() {
			result := results.item(i)
			validateRequestRef(c, result.get("request"), known)
			c.declaredDriverName(result.get("driver"))
			c.poolName(result.get("pool"), c.kind.Since("1.37"))
			c.syntax(result.get("device"), names.DNSLabel)
			c.bindingConditions(result)
			c.shareID(result.get("shareID"))
			if tolerations := result.get("tolerations"); c.kind.Since("1.37") {
				for j := range tolerations.items() {
					validateDeviceToleration(c, tolerations.item(j))
				}
			}
		}
	}
	if c.itemsWithin(configs, 2*maxDeviceConfigs) {
		for i := range configs.items() {
			config := configs.item(i)
			c.needOneOf(config.get("source"), "FromClaim,FromClass")
			validateRequestRefs(c, config.get("requests"), known)
			validateDeviceConfig(c, config)
		}
	}
	if selector.isSet() {
		validateNodeSelector(c, selector)
	}
}

// adminAccessLabel is the namespace label that allows administrative access to devices.
const adminAccessLabel = "resource.kubernetes.io/admin-access"

// adminAccess forbids administrative access in a namespace without its label. The reported
// path is that of a claim, for templates as well.
func adminAccess(object, spec, namespace document.Value) []schema.FieldError {
	for i, request := range spec.Lookup("devices", "requests").Items() {
		if wanted, _ := request.Lookup("exactly", "adminAccess").Bool(); wanted {
			return permitAdminAccess(document.Keys("spec", "devices", "requests").Item(i).Child("adminAccess"), object, namespace)
		}
	}
	return nil
}

// withAdminAccess returns the index of the first allocated device with administrative access,
// -1 if there is none.
func withAdminAccess(results document.Value) int {
	for i, result := range results.Items() {
		if granted, _ := result.Get("adminAccess").Bool(); granted {
			return i
		}
	}
	return -1
}

// permitAdminAccess requires the label for administrative access, which an object requests at a
// path, of the object's namespace.
func permitAdminAccess(at document.Path, object, namespace document.Value) []schema.FieldError {
	e := schema.FieldError{Path: at, Field: schema.FieldText(at)}
	switch {
	case !namespace.Exists():
		e.Type, e.Detail = schema.ErrorInternal, "could not retrieve namespace to verify admin access: namespaces "+strconv.Quote(object.Lookup("metadata", "namespace").StringOr(""))+" not found"
	case namespace.Lookup("metadata", "labels", adminAccessLabel).StringOr("") != "true":
		e.Type, e.Detail = schema.ErrorForbidden, "admin access to devices requires the `"+adminAccessLabel+": true` label on the containing namespace"
	default:
		return nil
	}
	return []schema.FieldError{e}
}
