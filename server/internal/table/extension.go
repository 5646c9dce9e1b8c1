package table

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// extensionColumns are those of the kinds by which the API server itself is
// extended and governed.
func extensionColumns(resource string) []Column {
	name, age := nameColumn(), ageColumn()
	switch resource {
	case "apiservices":
		return []Column{name, textColumn("Service", func(o Object) string {
			if service := o.at("spec", "service"); service.Exists() {
				return service.Get("namespace").StringOr("") + "/" + service.Get("name").StringOr("")
			}
			return "Local"
		}), textColumn("Available", available), age}
	case "validatingadmissionpolicies":
		return []Column{name, count("Validations", "spec", "validations"), textColumn("ParamKind", paramKind), age}
	case "mutatingadmissionpolicies":
		return []Column{name, count("Mutations", "spec", "mutations"), textColumn("ParamKind", paramKind), age}
	case "validatingadmissionpolicybindings", "mutatingadmissionpolicybindings":
		return []Column{name, field("PolicyName", "", "spec", "policyName"), textColumn("ParamRef", paramRef), age}
	case "mutatingwebhookconfigurations", "validatingwebhookconfigurations":
		return []Column{name, count("Webhooks", "webhooks"), age}
	case "certificatesigningrequests":
		return []Column{name, age, field("SignerName", "<none>", "spec", "signerName"), field("Requestor", "", "spec", "username"),
			textColumn("RequestedDuration", func(o Object) string {
				seconds, ok := o.at("spec", "expirationSeconds").Int()
				if !ok {
					return "<none>"
				}
				return durationText(time.Duration(seconds) * time.Second)
			}), textColumn("Condition", requestCondition)}
	case "clustertrustbundles":
		return []Column{name, field("SignerName", "<none>", "spec", "signerName")}
	case "podcertificaterequests":
		return []Column{name, field("PodName", "", "spec", "podName"), field("ServiceAccountName", "", "spec", "serviceAccountName"),
			field("NodeName", "", "spec", "nodeName"), field("SignerName", "", "spec", "signerName"), textColumn("State", finalState),
			textColumn("UnverifiedUserAnnotations", func(o Object) string { return labels(o.at("spec", "unverifiedUserAnnotations")) })}
	case "flowschemas":
		return []Column{name, field("PriorityLevel", "", "spec", "priorityLevelConfiguration", "name"),
			as("string", integer("MatchingPrecedence", "spec", "matchingPrecedence")), field("DistinguisherMethod", "<none>", "spec", "distinguisherMethod", "type"), age,
			textColumn("MissingPL", func(o Object) string {
				return or(named(o.at("status", "conditions"), "type", "Dangling").Get("status").StringOr(""), "?")
			})}
	case "prioritylevelconfigurations":
		return []Column{name, field("Type", "", "spec", "type"), share("NominalConcurrencyShares", "nominalConcurrencyShares"),
			share("Queues", "limitResponse", "queuing", "queues"), share("HandSize", "limitResponse", "queuing", "handSize"),
			share("QueueLengthLimit", "limitResponse", "queuing", "queueLengthLimit"), age}
	case "deviceclasses", "resourceclaimtemplates":
		return []Column{name, age}
	case "devicetaintrules":
		return []Column{name, field("Key", "", "spec", "taint", "key"), field("Value", "", "spec", "taint", "value"),
			field("Effect", "", "spec", "taint", "effect"), textColumn("TimeAdded", func(o Object) string { return o.since("spec", "taint", "timeAdded") }), age}
	case "resourceclaims":
		return []Column{name, textColumn("State", claimState), age}
	case "resourceslices":
		return []Column{name, field("Node", "", "spec", "nodeName"), field("Driver", "", "spec", "driver"), field("Pool", "", "spec", "pool", "name"), age}
	}
	return nil
}

// flowSchemaOrder returns the order in which a request is matched with FlowSchemas: by
// precedence, then by name.
func flowSchemaOrder(count int, value func(int) document.Value) []int {
	precedences, order := make([]int64, count), make([]int, count)
	for i := range order {
		precedences[i], _ = value(i).Lookup("spec", "matchingPrecedence").Int()
		order[i] = i
	}
	// The list is sorted by name.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(precedences[a], precedences[b]) })
	return order
}

// count returns a column with the number of items of the list at a path.
func count(name string, path ...string) Column {
	return intColumn(name, func(o Object) int64 { return int64(o.at(path...).Len()) })
}

// share returns a column with a number that only a limited priority level has.
func share(name string, path ...string) Column {
	c := textColumn(name, nil)
	c.Cell = func(o Object) document.Value {
		if v := o.at("spec", "limited").Lookup(path...); v.Exists() && !v.IsNull() {
			return v
		}
		return document.NewString("<none>")
	}
	return c
}

func available(o Object) string {
	condition := named(o.at("status", "conditions"), "type", "Available")
	status := or(condition.Get("status").StringOr(""), "Unknown")
	if reason := condition.Get("reason").StringOr(""); status != "True" && reason != "" {
		return status + " (" + reason + ")"
	}
	return status
}

func paramKind(o Object) string {
	kind := o.at("spec", "paramKind")
	if !kind.Exists() {
		return "<unset>"
	}
	return kind.Get("apiVersion").StringOr("") + "/" + kind.Get("kind").StringOr("")
}

func paramRef(o Object) string {
	ref := o.at("spec", "paramRef")
	if name := ref.Get("name").StringOr(""); name != "" {
		return or(ref.Get("namespace").StringOr(""), "*") + "/" + name
	}
	if chosen := ref.Get("selector"); chosen.Exists() {
		return selectorMessage(chosen)
	}
	return "<unset>"
}

// finalState returns the state of a PodCertificateRequest: the type of its condition.
func finalState(o Object) string {
	state := "Pending"
	for _, condition := range o.at("status", "conditions").Items() {
		state = condition.Get("type").StringOr("")
	}
	return state
}

// requestCondition returns the state of a CertificateSigningRequest, such as Approved,Issued.
func requestCondition(o Object) string {
	conditions := o.at("status", "conditions")
	status := "Pending"
	switch {
	case named(conditions, "type", "Denied").Exists():
		status = "Denied"
	case named(conditions, "type", "Approved").Exists():
		status = "Approved"
	}
	if named(conditions, "type", "Failed").Exists() {
		status += ",Failed"
	}
	if o.text("status", "certificate") != "" {
		status += ",Issued"
	}
	return status
}

func claimState(o Object) string {
	var states []string
	deleted := o.at("metadata", "deletionTimestamp").Exists()
	if deleted {
		states = append(states, "deleted")
	}
	switch {
	case o.at("status", "allocation").Exists():
		states = append(states, "allocated")
		if o.at("status", "reservedFor").Len() > 0 {
			states = append(states, "reserved")
		}
	case !deleted:
		states = append(states, "pending")
	}
	return strings.Join(states, ",")
}

// driverColumns are those of a CSIDriver.
func driverColumns() []Column {
	attach := boolColumn("AttachRequired", "spec", "attachRequired")
	attach.Cell = func(o Object) document.Value {
		required, ok := o.at("spec", "attachRequired").Bool()
		return document.NewBool(required || !ok)
	}
	return []Column{nameColumn(), attach, boolColumn("PodInfoOnMount", "spec", "podInfoOnMount"), boolColumn("StorageCapacity", "spec", "storageCapacity"),
		textColumn("TokenRequests", func(o Object) string {
			requests := o.at("spec", "tokenRequests")
			if !requests.Exists() {
				return "<unset>"
			}
			return joined(requests, ",", func(v document.Value) string { return v.Get("audience").StringOr("") })
		}), boolColumn("RequiresRepublish", "spec", "requiresRepublish"),
		textColumn("Modes", func(o Object) string {
			return or(joined(o.at("spec", "volumeLifecycleModes"), ",", func(v document.Value) string { return v.StringOr("") }), "<none>")
		}), ageColumn()}
}
