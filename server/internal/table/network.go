package table

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

func networkColumns(resource string) []Column {
	name, age := nameColumn(), ageColumn()
	switch resource {
	case "ingresses":
		ports := textColumn("Ports", func(o Object) string {
			if o.at("spec", "tls").Len() > 0 {
				return "80, 443"
			}
			return "80"
		})
		return []Column{name, field("Class", "<none>", "spec", "ingressClassName"), textColumn("Hosts", hosts), textColumn("Address", loadBalancer), ports, age}
	case "ingressclasses":
		parameters := textColumn("Parameters", func(o Object) string {
			p := o.at("spec", "parameters")
			if !p.Exists() {
				return "<none>"
			}
			kind := p.Get("kind").StringOr("")
			if group := p.Get("apiGroup").StringOr(""); group != "" {
				kind += "." + group
			}
			return kind + "/" + p.Get("name").StringOr("")
		})
		return []Column{defaultName("ingressclass.kubernetes.io/is-default-class"), field("Controller", "", "spec", "controller"), parameters, age}
	case "networkpolicies":
		return []Column{name, textColumn("Pod-Selector", func(o Object) string { return or(selector(o.at("spec", "podSelector")), "<none>") }), age}
	case "servicecidrs":
		return []Column{name, textColumn("CIDRs", func(o Object) string {
			return joined(o.at("spec", "cidrs"), ",", func(v document.Value) string { return v.StringOr("") })
		}), age}
	case "ipaddresses":
		return []Column{name, textColumn("ParentRef", func(o Object) string {
			ref := o.at("spec", "parentRef")
			kind := strings.ToLower(ref.Get("resource").StringOr(""))
			if group := ref.Get("group").StringOr(""); group != "" {
				kind += "." + group
			}
			if namespace := ref.Get("namespace").StringOr(""); namespace != "" {
				kind += "/" + namespace
			}
			return kind + "/" + ref.Get("name").StringOr("")
		}), undefined(age)}
	}
	return nil
}

// hosts joins the first hosts of an Ingress. Rules without a host are left out, but counted
// among those that are not shown.
func hosts(o Object) string {
	const most = 3
	var out []string
	rules := o.at("spec", "rules")
	for _, rule := range rules.Items() {
		if len(out) == most {
			return strings.Join(out, ",") + " + " + strconv.Itoa(rules.Len()-most) + " more..."
		}
		if host := rule.Get("host").StringOr(""); host != "" {
			out = append(out, host)
		}
	}
	return or(strings.Join(out, ","), "*")
}

// defaultName is the name, marked where one of the annotations makes the class the
// default one.
func defaultName(annotations ...string) Column {
	c := nameColumn()
	c.Cell = func(o Object) document.Value {
		name := o.text("metadata", "name")
		for _, annotation := range annotations {
			if o.text("metadata", "annotations", annotation) == "true" {
				return document.NewString(name + " (default)")
			}
		}
		return document.NewString(name)
	}
	return c
}

func storageColumns(resource string) []Column {
	name, age := nameColumn(), ageColumn()
	switch resource {
	case "storageclasses":
		expand := boolColumn("AllowVolumeExpansion", "allowVolumeExpansion")
		return []Column{defaultName("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"), field("Provisioner", "", "provisioner"),
			field("ReclaimPolicy", "Delete", "reclaimPolicy"), field("VolumeBindingMode", "Immediate", "volumeBindingMode"), as("string", expand), age}
	case "csidrivers":
		return driverColumns()
	case "csinodes":
		return []Column{name, intColumn("Drivers", func(o Object) int64 { return int64(o.at("spec", "drivers").Len()) }), age}
	case "csistoragecapacities":
		return []Column{name, createdColumn()}
	case "volumeattachments":
		attacher := field("Attacher", "", "spec", "attacher")
		attacher.Format = "name"
		return []Column{name, attacher, field("PV", "", "spec", "source", "persistentVolumeName"), field("Node", "", "spec", "nodeName"),
			boolColumn("Attached", "status", "attached"), age}
	case "volumeattributesclasses":
		return []Column{name, field("DriverName", "", "driverName"), age}
	}
	return nil
}

func autoscalerColumns(version string) []Column {
	targets := metricTargets
	if version == "v1" {
		targets = func(o Object) string { return metricTargets(Object{defaults.AutoscalerFromV1(o.Value), o.Now}) }
	}
	return []Column{nameColumn(), textColumn("Reference", func(o Object) string {
		return o.text("spec", "scaleTargetRef", "kind") + "/" + o.text("spec", "scaleTargetRef", "name")
	}), textColumn("Targets", targets), field("MinPods", "<unset>", "spec", "minReplicas"),
		as("string", integer("MaxPods", "spec", "maxReplicas")), as("string", integer("Replicas", "status", "currentReplicas")), ageColumn()}
}

// metricTargets returns the current and the target value of each metric of autoscaling/v2.
func metricTargets(o Object) string {
	var out []string
	statuses := o.at("status", "currentMetrics")
	for i, spec := range o.at("spec", "metrics").Items() {
		var status document.Value
		if i < statuses.Len() {
			status = statuses.At(i)
		}
		out = append(out, metricTarget(spec, status))
	}
	return or(firstOf(out, 2, ", "), "<none>")
}

func metricTarget(spec, status document.Value) string {
	kind := spec.Get("type").StringOr("")
	key := map[string]string{"External": "external", "Pods": "pods", "Object": "object", "Resource": "resource", "ContainerResource": "containerResource"}[kind]
	if key == "" {
		return "<unknown type>"
	}
	target, current := spec.Lookup(key, "target"), status.Lookup(key, "current")
	resource := kind == "Resource" || kind == "ContainerResource"
	prefix := ""
	if resource {
		prefix = spec.Lookup(key, "name").StringOr("") + ": "
	}
	// A status without the quantity is printed as Go prints a nil pointer, except by the types
	// whose status has either of two quantities.
	missing := "<unknown>"
	if status.Get(key).Exists() {
		missing = "<nil>"
	}
	if average := plain(target.Get("averageValue")); average != "" {
		if kind == "External" || kind == "Object" {
			return or(plain(current.Get("averageValue")), "<unknown>") + "/" + average + " (avg)"
		}
		return prefix + or(plain(current.Get("averageValue")), missing) + "/" + average
	}
	if !resource {
		return or(plain(current.Get("value")), missing) + "/" + plain(target.Get("value"))
	}
	percent := func(v document.Value, missing string) string {
		if n := plain(v.Get("averageUtilization")); n != "" {
			return n + "%"
		}
		return missing
	}
	return prefix + percent(current, "<unknown>") + "/" + percent(target, "<auto>")
}
