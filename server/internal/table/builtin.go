package table

import (
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// builtinColumns returns the columns of a built-in resource, nil if it has only the default
// ones.
func builtinColumns(group, version, resource string) []Column {
	switch group {
	case "":
		return coreColumns(resource)
	case "apps":
		return appsColumns(resource)
	case "batch":
		return batchColumns(resource)
	case "networking.k8s.io":
		return networkColumns(resource)
	case "rbac.authorization.k8s.io", "apiextensions.k8s.io":
		return roleColumns(resource)
	case "storage.k8s.io":
		return storageColumns(resource)
	case "autoscaling":
		if resource == "horizontalpodautoscalers" {
			return autoscalerColumns(version)
		}
	}
	return otherColumns(group, resource)
}

func coreColumns(resource string) []Column {
	name, age := nameColumn(), ageColumn()
	switch resource {
	case "componentstatuses":
		return componentColumns()
	case "configmaps":
		return []Column{name, as("string", intColumn("Data", func(o Object) int64 {
			return int64(o.at("data").Len() + o.at("binaryData").Len())
		})), age}
	case "secrets":
		return []Column{name, field("Type", "", "type"), as("string", intColumn("Data", func(o Object) int64 {
			return int64(o.at("data").Len())
		})), age}
	case "endpoints":
		return []Column{name, textColumn("Endpoints", endpoints), age}
	case "events":
		return eventColumns("involvedObject", "source", "firstTimestamp", "lastTimestamp", "count", "message")
	case "limitranges":
		return []Column{name, createdColumn()}
	case "namespaces":
		return []Column{name, field("Status", "", "status", "phase"), age}
	case "nodes":
		return nodeColumns()
	case "persistentvolumeclaims":
		return claimColumns()
	case "persistentvolumes":
		return volumeColumns()
	case "pods":
		return podColumns()
	case "podtemplates":
		names, images := containers("template", "spec", "containers")
		return []Column{name, names, images, textColumn("Pod Labels", func(o Object) string {
			return labels(o.at("template", "metadata", "labels"))
		})}
	case "replicationcontrollers":
		return append(replicaColumns(), wide(textColumn("Selector", func(o Object) string { return labels(o.at("spec", "selector")) })))
	case "resourcequotas":
		return []Column{name, textColumn("Request", func(o Object) string { return quota(o, false) }),
			textColumn("Limit", func(o Object) string { return quota(o, true) }), age}
	case "serviceaccounts":
		return []Column{name, age}
	case "services":
		return []Column{name, field("Type", "", "spec", "type"), textColumn("Cluster-IP", clusterIP),
			textColumn("External-IP", externalIP), textColumn("Port(s)", servicePorts), age,
			wide(textColumn("Selector", func(o Object) string { return labels(o.at("spec", "selector")) }))}
	}
	return nil
}

func appsColumns(resource string) []Column {
	name, age := nameColumn(), ageColumn()
	names, images := containers("spec", "template", "spec", "containers")
	selected := wide(textColumn("Selector", func(o Object) string { return or(selector(o.at("spec", "selector")), "<none>") }))
	ready := textColumn("Ready", func(o Object) string {
		return fraction(o.number("status", "readyReplicas"), o.number("spec", "replicas"))
	})
	switch resource {
	case "controllerrevisions":
		return []Column{name, textColumn("Controller", controller), as("string", integer("Revision", "revision")), age}
	case "daemonsets":
		return []Column{name, integer("Desired", "status", "desiredNumberScheduled"), integer("Current", "status", "currentNumberScheduled"),
			integer("Ready", "status", "numberReady"), integer("Up-to-date", "status", "updatedNumberScheduled"),
			integer("Available", "status", "numberAvailable"), textColumn("Node Selector", func(o Object) string {
				return labels(o.at("spec", "template", "spec", "nodeSelector"))
			}), age, wide(names), wide(images), selected}
	case "deployments":
		return []Column{name, ready, as("string", integer("Up-to-date", "status", "updatedReplicas")),
			as("string", integer("Available", "status", "availableReplicas")), age, wide(names), wide(images), selected}
	case "replicasets":
		return append(replicaColumns(), selected)
	case "statefulsets":
		return []Column{name, ready, age, wide(names), wide(images)}
	}
	return nil
}

func replicaColumns() []Column {
	names, images := containers("spec", "template", "spec", "containers")
	return []Column{nameColumn(), integer("Desired", "spec", "replicas"), integer("Current", "status", "replicas"),
		integer("Ready", "status", "readyReplicas"), ageColumn(), wide(names), wide(images)}
}

// scaleColumns are those of the scale subresource. Built-in kinds and custom resources differ
// in the formats, and the cells of custom resources are null for absent fields, as which a Scale
// has 0 replicas.
func scaleColumns(k *schema.Kind) []Column {
	columns := []Column{nameColumn(), integer("Desired", "spec", "replicas"), integer("Available", "status", "replicas"), ageColumn()}
	name, desired, available, age := &columns[0], &columns[1], &columns[2], &columns[3]
	if k.Builtin {
		name.Format = ""
		return described(columns, k, "scale")
	}
	desired.Cell = func(o Object) document.Value { return cell("integer", o.at("spec", "replicas"), o) }
	desired.Description, available.Description = "Number of desired replicas", "Number of actual replicas"
	age.Type = "date"
	return columns
}

// containers are the two columns of the containers at a path.
func containers(path ...string) (names, images Column) {
	of := func(key string) func(Object) string {
		return func(o Object) string {
			return joined(o.at(path...), ",", func(c document.Value) string { return c.Get(key).StringOr("") })
		}
	}
	return textColumn("Containers", of("name")), textColumn("Images", of("image"))
}

func fraction(part, whole int64) string {
	return strconv.FormatInt(part, 10) + "/" + strconv.FormatInt(whole, 10)
}

// controller names the owner that controls an object.
func controller(o Object) string {
	owner := kinds.ControllerOf(o.Value)
	if !owner.Exists() {
		return "<none>"
	}
	kind := strings.ToLower(owner.Get("kind").StringOr(""))
	if group, _, ok := strings.Cut(owner.Get("apiVersion").StringOr(""), "/"); ok {
		kind += "." + group
	}
	return kind + "/" + owner.Get("name").StringOr("")
}

func batchColumns(resource string) []Column {
	name, age := nameColumn(), ageColumn()
	switch resource {
	case "jobs":
		names, images := containers("spec", "template", "spec", "containers")
		return []Column{name, textColumn("Status", jobStatus), textColumn("Completions", completions), textColumn("Duration", jobDuration), age,
			wide(names), wide(images), wide(textColumn("Selector", func(o Object) string { return or(selector(o.at("spec", "selector")), "<none>") }))}
	case "cronjobs":
		names, images := containers("spec", "jobTemplate", "spec", "template", "spec", "containers")
		suspend := as("boolean", textColumn("Suspend", func(o Object) string {
			if suspended, _ := o.at("spec", "suspend").Bool(); suspended {
				return "True"
			}
			return "False"
		}))
		last := textColumn("Last Schedule", func(o Object) string {
			if !o.at("status", "lastScheduleTime").Exists() {
				return "<none>"
			}
			return o.since("status", "lastScheduleTime")
		})
		return []Column{name, field("Schedule", "", "spec", "schedule"), field("Timezone", "<none>", "spec", "timeZone"), suspend,
			intColumn("Active", func(o Object) int64 { return int64(o.at("status", "active").Len()) }), last, age, wide(names), wide(images),
			wide(textColumn("Selector", func(o Object) string { return or(selector(o.at("spec", "jobTemplate", "spec", "selector")), "<none>") }))}
	}
	return nil
}

func jobStatus(o Object) string {
	has := func(condition string) bool {
		return named(o.at("status", "conditions"), "type", condition).Get("status").StringOr("") == "True"
	}
	switch {
	case has("Complete"):
		return "Complete"
	case has("Failed"):
		return "Failed"
	case o.at("metadata", "deletionTimestamp").Exists():
		return "Terminating"
	}
	for _, condition := range []string{"Suspended", "FailureTarget", "SuccessCriteriaMet"} {
		if has(condition) {
			return condition
		}
	}
	return "Running"
}

func completions(o Object) string {
	done := o.number("status", "succeeded")
	if wanted, ok := o.at("spec", "completions").Int(); ok {
		return fraction(done, wanted)
	}
	out := fraction(done, 1)
	if parallel := o.number("spec", "parallelism"); parallel > 1 {
		out += " of " + strconv.FormatInt(parallel, 10)
	}
	return out
}

func jobDuration(o Object) string {
	start, err := time.Parse(time.RFC3339, o.text("status", "startTime"))
	if err != nil {
		return ""
	}
	end, err := time.Parse(time.RFC3339, o.text("status", "completionTime"))
	if err != nil {
		end = o.Now
	}
	return durationText(end.Sub(start))
}

func roleColumns(resource string) []Column {
	name := nameColumn()
	switch resource {
	case "roles", "clusterroles", "customresourcedefinitions":
		return []Column{name, createdColumn()}
	case "rolebindings", "clusterrolebindings":
		role := textColumn("Role", func(o Object) string { return o.text("roleRef", "kind") + "/" + o.text("roleRef", "name") })
		return []Column{name, role, ageColumn(), wide(textColumn("Users", subjects("User"))), wide(textColumn("Groups", subjects("Group"))),
			wide(textColumn("ServiceAccounts", subjects("ServiceAccount")))}
	}
	return nil
}

// subjects joins the subjects of one kind.
func subjects(kind string) func(Object) string {
	return func(o Object) string {
		var out []string
		for _, s := range o.at("subjects").Items() {
			if s.Get("kind").StringOr("") != kind {
				continue
			}
			name := s.Get("name").StringOr("")
			if kind == "ServiceAccount" {
				name = s.Get("namespace").StringOr("") + "/" + name
			}
			out = append(out, name)
		}
		return strings.Join(out, ", ")
	}
}

func otherColumns(group, resource string) []Column {
	name, age := nameColumn(), ageColumn()
	switch group + "/" + resource {
	case "policy/poddisruptionbudgets":
		return []Column{name, field("Min Available", "N/A", "spec", "minAvailable"), field("Max Unavailable", "N/A", "spec", "maxUnavailable"),
			integer("Allowed Disruptions", "status", "disruptionsAllowed"), age}
	case "coordination.k8s.io/leases":
		return []Column{name, field("Holder", "", "spec", "holderIdentity"), age}
	case "scheduling.k8s.io/priorityclasses":
		return []Column{name, integer("Value", "value"), boolColumn("Global-Default", "globalDefault"), age,
			field("PreemptionPolicy", "", "preemptionPolicy")}
	case "node.k8s.io/runtimeclasses":
		return []Column{name, field("Handler", "", "handler"), age}
	case "events.k8s.io/events":
		return eventColumns("regarding", "deprecatedSource", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount", "note")
	case "discovery.k8s.io/endpointslices":
		return []Column{name, field("AddressType", "", "addressType"), textColumn("Ports", slicePorts), textColumn("Endpoints", sliceEndpoints), age}
	}
	return extensionColumns(resource)
}
