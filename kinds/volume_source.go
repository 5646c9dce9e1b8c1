package kinds

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// volumeSource validates a source whose rules are the same in pods and in PersistentVolumes. It reports
// whether the kind of source has such rules.
func (c *check) volumeSource(kind string, source field) bool {
	switch kind {
	case "hostPath":
		validateHostPath(c, source)
	case "gcePersistentDisk":
		diskWithPartition(c, source, "pdName")
	case "awsElasticBlockStore":
		diskWithPartition(c, source, "volumeID")
	case "nfs":
		validateNFS(c, source)
	case "flocker":
		validateFlocker(c, source)
	case "quobyte":
		validateQuobyte(c, source)
	case "fc":
		validateFibreChannel(c, source)
	case "flexVolume":
		validateFlexOptions(c, source)
	case "azureDisk":
		validateAzureDisk(c, source)
	case "rbd":
		c.needEach(source, "monitors,image")
	case "cephfs":
		c.need(source.get("monitors"))
	case "vsphereVolume":
		c.need(source.get("volumePath"))
	case "photonPersistentDisk":
		c.need(source.get("pdID"))
	case "portworxVolume":
		c.need(source.get("volumeID"))
	case "scaleIO":
		c.needEach(source, "gateway,system,volumeName")
	default:
		return false
	}
	return true
}

// needEach requires fields of an object, whose names are separated by commas.
func (c *check) needEach(object field, list string) {
	for name := range strings.SplitSeq(list, ",") {
		c.need(object.get(name))
	}
}

func validateHostPath(c *check, n field) {
	path := n.get("path")
	if !c.need(path) {
		return
	}
	c.noBackSteps(path)
	c.oneOfIfSet(n.get("type"), ",BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket")
}

// noBackSteps forbids ".." in a path.
func (c *check) noBackSteps(n field) {
	if hasBackStep(n.text()) {
		c.invalid(n, "must not contain '..'")
	}
}

func hasBackStep(path string) bool {
	return strings.Contains("/"+path+"/", "/../")
}

// diskWithPartition requires the identity of a disk and validates its optional partition
// number.
func diskWithPartition(c *check, n field, identity string) {
	c.need(n.get(identity))
	if i, ok := n.get("partition").Int(); ok && (i < 0 || i > 255) {
		c.invalid(n.get("partition"), "must be between 1 and 255, inclusive")
	}
}

// validateISCSI validates an iSCSI disk. In a persistent volume, with the name volume, the
// secret has a namespace and the length of the portal is limited.
func validateISCSI(c *check, n field, volume string, persistent bool) {
	portal, iqn, initiator := n.get("targetPortal"), n.get("iqn"), n.get("initiatorName")
	c.need(portal)
	if persistent && initiator.isSet() && len(volume)+1+len(portal.text()) > 64 {
		c.invalid(n.getAs("targetPortal", "targetportal"), "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.")
	}
	if c.need(iqn) && !isISCSIName(iqn.text()) {
		c.invalid(iqn, iscsiNameDetail(iqn.text(), persistent))
	}
	c.between(n.get("lun"), 0, 255)
	chap := n.get("chapAuthDiscovery")
	session := n.get("chapAuthSession")
	secret := n.get("secretRef")
	if (chap.isTrue() || session.isTrue()) && !secret.isSet() {
		c.required(secret, "")
	}
	if persistent && secret.isSet() {
		c.need(secret.get("name"))
	}
	if initiator.isSet() && !isISCSIName(initiator.text()) {
		c.invalid(n.getAs("initiatorName", "initiatorname"), iscsiNameDetail(initiator.text(), persistent))
	}
}

// iscsiNameDetail returns the detail of the error for an iSCSI name that is not valid.
func iscsiNameDetail(name string, persistent bool) string {
	if n := len(name); persistent || n >= 3 && among(name[:3], "eui,iqn,naa") {
		return "must be valid format"
	}
	return "must be valid format starting with iqn, eui, or naa"
}

// isISCSIName reports whether kube-apiserver accepts a name as one of the forms of RFC 3720,
// section 3.2.6.3: iqn.YYYY-MM.domain:name, or "eui." and 16, or "naa." and 32 letters and
// digits. Before the first form, it accepts any text that begins with "iqn"; in the place of the period of the
// others, any character but a line feed.
func isISCSIName(name string) bool {
	const qualified = `iqn(?:(?s:.*)iqn)?\.[0-9]{4}-[0-9]{2}\.[-.0-9A-Za-z]+:[^,;*&$|\s]+`
	is, err := regexp.MatchString(`^(?:`+qualified+`|eui.[0-9A-Za-z]{16}|naa.[0-9A-Za-z]{32})$`, name)
	return is && err == nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func validateFibreChannel(c *check, n field) {
	targets, ids, lun := n.get("targetWWNs"), n.get("wwids"), n.get("lun")
	switch {
	case targets.items() == 0 && ids.items() == 0:
		c.required(targets, "must specify either targetWWNs or wwids, but not both")
	case targets.items() > 0 && ids.items() > 0:
		c.invalid(targets, "targetWWNs and wwids can not be specified simultaneously")
	}
	if targets.items() == 0 {
		return
	}
	if !lun.isSet() {
		c.required(lun, "lun is required if targetWWNs is specified")
		return
	}
	c.between(lun, 0, 255)
}

func validateNFS(c *check, n field) {
	c.need(n.get("server"))
	path := n.get("path")
	c.need(path)
	if !strings.HasPrefix(path.text(), "/") {
		c.invalid(path, "must be an absolute path")
	}
}

func validateQuobyte(c *check, n field) {
	const pairs = "must be a host:port pair or multiple pairs separated by commas"
	registry, tenant := n.get("registry"), n.get("tenant")
	switch {
	case registry.isEmpty():
		c.required(registry, pairs)
	case len(tenant.text()) > 64:
		c.required(tenant, "must be a UUID and may not exceed a length of 64 characters")
	default:
		for pair := range strings.SplitSeq(registry.text(), ",") {
			if !isHostPort(pair) {
				c.invalid(registry, pairs)
			}
		}
	}
	c.need(n.get("volume"))
}

// isHostPort reports whether net.SplitHostPort accepts the text: host:port with exactly one
// colon, or [host]:port.
func isHostPort(s string) bool {
	colon := strings.LastIndexByte(s, ':')
	if colon < 0 {
		return false
	}
	if !strings.HasPrefix(s, "[") {
		return strings.IndexByte(s, ':') == colon && !strings.ContainsAny(s, "[]")
	}
	end := strings.IndexByte(s, ']')
	return end > 0 && end+1 == colon && !strings.ContainsAny(s[1:end]+s[colon:], "[]")
}

func validateFlocker(c *check, n field) {
	name, uuid := n.get("datasetName"), n.get("datasetUUID")
	switch {
	case name.isEmpty() && uuid.isEmpty():
		c.required(n, "one of datasetName and datasetUUID is required")
	case !name.isEmpty() && !uuid.isEmpty():
		c.addValue(schema.ErrorInvalid, n, "resource", "datasetName and datasetUUID can not be specified simultaneously")
	}
	if strings.Contains(name.text(), "/") {
		c.invalid(name, "must not contain '/'")
	}
}

func validateAzureDisk(c *check, n field) {
	uri, kind := n.get("diskURI"), n.get("kind")
	c.need(n.get("diskName"))
	c.need(uri)
	c.oneOfIfSet(n.get("cachingMode"), "None,ReadOnly,ReadWrite")
	c.oneOfIfSet(kind, "Dedicated,Managed,Shared")
	switch {
	case !kind.isSet():
	case kind.text() == "Managed" && !strings.HasPrefix(uri.text(), "/subscriptions/"):
		c.notSupported(uri, "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}")
	case kind.text() != "Managed" && !strings.HasPrefix(uri.text(), "https://"):
		c.notSupported(uri, "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd")
	}
}

// validateFlexOptions refuses options in the namespaces that Kubernetes reserves.
func validateFlexOptions(c *check, n field) {
	c.need(n.get("driver"))
	options := n.get("options")
	for i := range options.members() {
		option, key := options.memberAt(i)
		namespace, _, _ := strings.Cut(key, "/")
		if domain := "." + strings.ToLower(namespace); strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io") {
			c.invalidText(option, key, "kubernetes.io and k8s.io namespaces are reserved")
		}
	}
}

// csiDriverName requires the name of a CSI driver.
func (c *check) csiDriverName(n field) {
	if !c.need(n) && c.kind.Since("1.35") {
		return
	}
	c.maxBytes(n, names.MaxLabel)
	if why := names.DNSSubdomain(strings.ToLower(n.text())); why != "" {
		c.unmet(n, why)
	}
}

// secretIn requires the name and the namespace of a secret. With strict their syntax
// is checked too.
func (c *check) secretIn(n field, strict bool) {
	if !n.isSet() {
		return
	}
	name, namespace := n.get("name"), n.get("namespace")
	if !strict {
		c.need(name)
		c.need(namespace)
		return
	}
	c.needSyntax(name, names.DNSSubdomain)
	c.needSyntax(namespace, names.DNSLabel)
}

// positive requires a quantity above zero.
func (c *check) positive(n field, detail string) {
	if n.isSet() && amountSign(n.Value) <= 0 {
		c.invalidAmount(n, n.Value, detail)
	}
}

// basicAmount requires a quantity that is not below zero, and reports whether it is valid. The
// value is the one that kube-apiserver computes in 64 bits: a quantity of 2^63 or more that is
// written without an exponent loses its upper bits and may become negative.
func (c *check) basicAmount(n field) bool {
	if !n.isSet() {
		return true
	}
	if value := amountOf(n.Value).Wrapped(0); value < 0 {
		c.invalidValue(n, document.NewInt(value), "must be a valid resource quantity")
		return false
	}
	return true
}

// notNegative requires a quantity that is not below zero.
func (c *check) notNegative(n field) {
	if n.isSet() && amountSign(n.Value) < 0 {
		c.invalidAmount(n, n.Value, zeroAtLeast)
	}
}

// atMostInt32 requires an integer from low to 2147483647.
func (c *check) atMostInt32(n field, low int64) {
	if i, ok := n.Int(); ok && (i < low || i > 1<<31-1) {
		c.invalid(n, "must be between "+strconv.FormatInt(low, 10)+" and 2147483647, inclusive")
	}
}
