package table

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

func componentColumns() []Column {
	healthy := func(o Object) document.Value { return named(o.at("conditions"), "type", "Healthy") }
	part := func(name, key string) Column {
		return textColumn(name, func(o Object) string { return healthy(o).Get(key).StringOr("") })
	}
	status := textColumn("Status", func(o Object) string {
		switch healthy(o).Get("status").StringOr("") {
		case "True":
			return "Healthy"
		case "":
			return "Unknown"
		}
		return "Unhealthy"
	})
	return []Column{nameColumn(), status, part("Message", "message"), part("Error", "error")}
}

func nodeColumns() []Column {
	address := func(kind string) func(Object) string {
		return func(o Object) string {
			return or(named(o.at("status", "addresses"), "type", kind).Get("address").StringOr(""), "<none>")
		}
	}
	info := func(name, missing, key string) Column { return field(name, missing, "status", "nodeInfo", key) }
	return []Column{nameColumn(), textColumn("Status", nodeStatus), textColumn("Roles", nodeRoles), ageColumn(),
		info("Version", "", "kubeletVersion"), wide(textColumn("Internal-IP", address("InternalIP"))),
		wide(textColumn("External-IP", address("ExternalIP"))), wide(info("OS-Image", "<unknown>", "osImage")),
		wide(textColumn("Kernel-Version", func(o Object) string {
			kernel := or(o.text("status", "nodeInfo", "kernelVersion"), "<unknown>")
			if arch := o.text("status", "nodeInfo", "architecture"); arch != "" {
				kernel += " (" + arch + ")"
			}
			return kernel
		})), wide(info("Container-Runtime", "<unknown>", "containerRuntimeVersion"))}
}

// nodeStatus returns the status of a node, of which the last condition counts if there are several.
func nodeStatus(o Object) string {
	status := "Unknown"
	for _, c := range o.at("status", "conditions").Items() {
		if c.Get("type").StringOr("") != "Ready" {
			continue
		}
		status = "NotReady"
		if c.Get("status").StringOr("") == "True" {
			status = "Ready"
		}
	}
	if yes, _ := o.at("spec", "unschedulable").Bool(); yes {
		status += ",SchedulingDisabled"
	}
	return status
}

func nodeRoles(o Object) string {
	var roles []string
	for key, value := range o.at("metadata", "labels").Members() {
		role, ok := strings.CutPrefix(key, "node-role.kubernetes.io/")
		if key == "kubernetes.io/role" {
			role, ok = value.StringOr(""), true
		}
		if ok && role != "" {
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	return or(strings.Join(slices.Compact(roles), ","), "<none>")
}

// phase returns status.phase, or "Terminating" for an object that is being deleted.
func phase(o Object) string {
	if o.at("metadata", "deletionTimestamp").Exists() {
		return "Terminating"
	}
	return o.text("status", "phase")
}

func accessModes(list document.Value) string {
	short := map[string]string{"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
	var have, out []string
	for _, mode := range list.Items() {
		have = append(have, mode.StringOr(""))
	}
	for _, mode := range []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"} {
		if slices.Contains(have, mode) {
			out = append(out, short[mode])
		}
	}
	return strings.Join(out, ",")
}

// storageClass is the class of a claim or volume, which the older annotation
// names before the field.
func storageClass(o Object) string {
	if class := o.at("metadata", "annotations", "volume.beta.kubernetes.io/storage-class"); class.Exists() {
		return class.StringOr("")
	}
	return o.text("spec", "storageClassName")
}

// attributesClass is the VolumeAttributesClass of a claim or volume. An empty one, which a claim may have, is shown as such.
func attributesClass(o Object) string {
	if class := o.at("spec", "volumeAttributesClassName"); class.Exists() {
		return class.StringOr("")
	}
	return "<unset>"
}

func claimColumns() []Column {
	bound := func(o Object) bool { return o.text("spec", "volumeName") != "" }
	return []Column{nameColumn(), textColumn("Status", phase), field("Volume", "", "spec", "volumeName"),
		textColumn("Capacity", func(o Object) string {
			if !bound(o) {
				return ""
			}
			return or(plain(o.at("status", "capacity", "storage")), "0")
		}), textColumn("Access Modes", func(o Object) string {
			if !bound(o) {
				return ""
			}
			return accessModes(o.at("status", "accessModes"))
		}), textColumn("StorageClass", storageClass), textColumn("VolumeAttributesClass", attributesClass),
		ageColumn(), wide(field("VolumeMode", "<unset>", "spec", "volumeMode"))}
}

func volumeColumns() []Column {
	return []Column{nameColumn(), field("Capacity", "0", "spec", "capacity", "storage"),
		textColumn("Access Modes", func(o Object) string { return accessModes(o.at("spec", "accessModes")) }),
		field("Reclaim Policy", "", "spec", "persistentVolumeReclaimPolicy"), textColumn("Status", phase),
		textColumn("Claim", func(o Object) string {
			if !o.at("spec", "claimRef").Exists() {
				return ""
			}
			return o.text("spec", "claimRef", "namespace") + "/" + o.text("spec", "claimRef", "name")
		}), textColumn("StorageClass", storageClass), textColumn("VolumeAttributesClass", attributesClass),
		field("Reason", "", "status", "reason"), ageColumn(), wide(field("VolumeMode", "<unset>", "spec", "volumeMode"))}
}

// quota formats the used and hard amounts of a ResourceQuota: those of limits, or all others.
func quota(o Object, limits bool) string {
	var out []string
	for resource, hard := range o.at("status", "hard").Members() {
		if strings.HasPrefix(resource, "limits.") == limits {
			used := or(plain(o.at("status", "used", resource)), "0")
			out = append(out, resource+": "+used+"/"+plain(hard))
		}
	}
	return strings.Join(out, ", ")
}

func clusterIP(o Object) string {
	for _, ip := range o.at("spec", "clusterIPs").Items() {
		return ip.StringOr("")
	}
	return or(o.text("spec", "clusterIP"), "<none>")
}

func externalIP(o Object) string {
	var ips []string
	for _, ip := range o.at("spec", "externalIPs").Items() {
		ips = append(ips, ip.StringOr(""))
	}
	switch o.text("spec", "type") {
	case "ClusterIP", "NodePort":
		return or(strings.Join(ips, ","), "<none>")
	case "LoadBalancer":
		if balancer := loadBalancer(o); balancer != "" {
			ips = append([]string{balancer}, ips...)
		}
		return or(strings.Join(ips, ","), "<pending>")
	case "ExternalName":
		return o.text("spec", "externalName")
	}
	return "<unknown>"
}

// loadBalancer joins the addresses of a load balancer.
func loadBalancer(o Object) string {
	var out []string
	for _, ingress := range o.at("status", "loadBalancer", "ingress").Items() {
		if address := or(ingress.Get("ip").StringOr(""), ingress.Get("hostname").StringOr("")); address != "" {
			out = append(out, address)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ",")
}

func servicePorts(o Object) string {
	return or(joined(o.at("spec", "ports"), ",", func(p document.Value) string {
		port := plain(p.Get("port"))
		if node, ok := p.Get("nodePort").Int(); ok && node > 0 {
			port += ":" + strconv.FormatInt(node, 10)
		}
		return port + "/" + p.Get("protocol").StringOr("")
	}), "<none>")
}

func endpoints(o Object) string {
	subsets := o.at("subsets")
	if subsets.Len() == 0 {
		return "<none>"
	}
	var out []string
	for _, subset := range subsets.Items() {
		addresses, ports := subset.Get("addresses"), subset.Get("ports")
		if ports.Len() == 0 {
			for _, a := range addresses.Items() {
				out = append(out, a.Get("ip").StringOr(""))
			}
		}
		for _, p := range ports.Items() {
			for _, a := range addresses.Items() {
				out = append(out, hostPort(a.Get("ip").StringOr(""), plain(p.Get("port"))))
			}
		}
	}
	return firstOf(out, 3, ",")
}

// hostPort joins an address and a port, with an IPv6 address in brackets.
func hostPort(host, port string) string {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

func slicePorts(o Object) string {
	var out []string
	for _, p := range o.at("ports").Items() {
		port := or(plain(p.Get("port")), p.Get("name").StringOr(""))
		if !p.Get("port").Exists() && !p.Get("name").Exists() {
			port = "*"
		}
		out = append(out, port)
	}
	return or(firstOf(out, 3, ","), "<unset>")
}

func sliceEndpoints(o Object) string {
	var out []string
	for _, e := range o.at("endpoints").Items() {
		for _, a := range e.Get("addresses").Items() {
			out = append(out, a.StringOr(""))
		}
	}
	return or(firstOf(out, 3, ","), "<unset>")
}

// eventColumns are those of both kinds of event, which name their fields
// differently.
func eventColumns(object, source, first, last, count, message string) []Column {
	firstSeen := func(o Object) string {
		if o.at(first).StringOr("") != "" {
			return o.since(first)
		}
		return o.since("eventTime")
	}
	lastSeen := func(o Object) string {
		switch {
		case o.at("series").Exists():
			return o.since("series", "lastObservedTime")
		case o.at(last).StringOr("") != "":
			return o.since(last)
		}
		return firstSeen(o)
	}
	target := func(o Object) string {
		kind := strings.ToLower(o.text(object, "kind"))
		if name := o.text(object, "name"); name != "" {
			return kind + "/" + name
		}
		return kind
	}
	times := func(o Object) int64 {
		if o.at("series").Exists() {
			return o.number("series", "count")
		}
		if n := o.number(count); n != 0 {
			return n
		}
		return 1 // events of events.k8s.io that happened once have no count
	}
	reporter := "reportingComponent"
	if object == "regarding" {
		reporter = "reportingController"
	}
	from := func(o Object) string {
		component := or(o.text(source, "component"), o.text(reporter))
		if host := or(o.text(source, "host"), o.text("reportingInstance")); host != "" {
			return component + ", " + host
		}
		return component
	}
	name := wide(nameColumn())
	return []Column{textColumn("Last Seen", lastSeen), field("Type", "", "type"), field("Reason", "", "reason"), textColumn("Object", target),
		wide(field("Subobject", "", object, "fieldPath")), wide(textColumn("Source", from)),
		textColumn("Message", func(o Object) string { return strings.TrimSpace(o.text(message)) }),
		wide(textColumn("First Seen", firstSeen)), wide(as("string", intColumn("Count", times))), name}
}
