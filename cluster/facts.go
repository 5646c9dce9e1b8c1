package cluster

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// facts are what the registry of kube-apiserver knows of a resource beyond its
// schema (pkg/registry/*/strategy.go of Kubernetes 1.36). They are the same for
// all versions of a resource.
type facts struct {
	// storage is the resource's part of a key in storage, which one error
	// message shows.
	storage string
	// name judges names.
	name nameRule
	// named gives an object without a name a UUID for it.
	named bool
	// generation names the parts of the object, as dotted paths, that count as
	// another generation when they change; "!metadata" stands for everything
	// but the metadata.
	generation []string
	// exact compares them as Go holds them and not by what they mean: an empty
	// list is another than none.
	exact bool
	// noFirstGeneration says that a new object is not given generation 1.
	noFirstGeneration bool
	// createByUpdate lets a PUT create the object.
	createByUpdate bool
	// conditional requires a resource version in every update.
	conditional bool
	// returnsDeleted answers a deletion with the object and not with a Status.
	returnsDeleted bool
	// orphans lets dependents live where a deletion says nothing.
	orphans bool
	// noCollection says that the garbage collector does not know the resource.
	noCollection bool
	// graceful asks how long an object may take to stop.
	graceful bool
	// reset are the fields that the resource itself ignores, as dotted paths,
	// and resetStatus those that its status subresource does.
	reset, resetStatus []string
	// embedded says that the type of a custom resource has whole objects within.
	embedded bool
	// deprecated is the warning that goes with every answer of a built-in kind
	// that is on its way out, as of Kubernetes 1.36.
	deprecated string
	// fields are the field labels for selectors beyond metadata.name and
	// metadata.namespace.
	fields map[string]fieldLabel
}

// fieldLabel says how a field selector finds the value of a label.
type fieldLabel struct {
	// path is dotted; "" is the label itself, "-" what no object has.
	path string
	// missing is the value where the object has none.
	missing string
}

// factsOf returns what is known of a kind's resource.
func factsOf(k *schema.Kind) *facts {
	if !k.Builtin {
		return customFacts(k)
	}
	f := builtinFacts(k.Group, k.Resource)
	if k.Status {
		if f.reset == nil {
			f.reset = []string{"status"}
		}
		if f.resetStatus == nil {
			f.resetStatus = []string{"spec"}
		}
	}
	return f
}

// customFacts are those of every custom resource
// (apiextensions-apiserver/pkg/registry/customresource).
func customFacts(k *schema.Kind) *facts {
	f := &facts{
		storage:     k.Group + "/" + k.Resource,
		name:        subdomainName,
		generation:  []string{"!metadata"},
		conditional: true,
		fields:      map[string]fieldLabel{},
		embedded:    hasEmbedded(k.Type()),
	}
	if k.Status {
		f.reset = []string{"status"}
		f.resetStatus = []string{"metadata", "spec"}
	}
	for _, path := range k.Selectable {
		f.fields[strings.TrimPrefix(path, ".")] = fieldLabel{}
	}
	return f
}

var (
	bySpec   = []string{"spec"}
	wholeRow = []string{"metadata", "spec"}
)

// builtinFacts returns the row of a built-in resource.
func builtinFacts(group, resource string) *facts {
	f := &facts{storage: resource, name: subdomainName}
	switch group {
	case "":
		coreFacts(f, resource)
	case "apps", "batch":
		workloadFacts(f, resource)
	case "admissionregistration.k8s.io":
		f.generation, f.conditional = bySpec, true
		switch resource {
		case "mutatingwebhookconfigurations", "validatingwebhookconfigurations":
			f.generation, f.exact = []string{"webhooks"}, true
		case "validatingadmissionpolicies":
			f.resetStatus = wholeRow
		}
	case "apiextensions.k8s.io":
		f.storage = group + "/" + resource
		f.generation, f.conditional = bySpec, true
	case "apiregistration.k8s.io":
		f.storage = group + "/" + resource
		f.conditional, f.resetStatus = true, wholeRow
	case "rbac.authorization.k8s.io":
		f.name, f.createByUpdate = segmentName, true
	case "resource.k8s.io":
		f.returnsDeleted, f.resetStatus = true, wholeRow
		switch resource {
		case "resourceslices", "deviceclasses", "devicetaintrules":
			f.generation = bySpec
		}
		if resource == "resourceslices" {
			f.fields = map[string]fieldLabel{"spec.nodeName": {}, "spec.driver": {}}
		}
		f.conditional = resource == "resourcepoolstatusrequests"
	default:
		otherFacts(f, group, resource)
	}
	return f
}

func coreFacts(f *facts, resource string) {
	switch resource {
	case "pods":
		f.generation, f.returnsDeleted, f.graceful = bySpec, true, true
		f.resetStatus = []string{"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"}
		f.fields = map[string]fieldLabel{
			"spec.nodeName": {}, "spec.restartPolicy": {}, "spec.schedulerName": {}, "spec.serviceAccountName": {},
			"spec.hostNetwork": {missing: "false"}, "status.phase": {}, "status.podIP": {}, "status.podIPs": {path: "-"},
			"status.nominatedNodeName": {}, "spec.host": {path: "spec.nodeName"},
		}
	case "podtemplates":
		f.generation, f.returnsDeleted = []string{"template"}, true
	case "replicationcontrollers":
		f.storage, f.generation, f.orphans = "controllers", bySpec, true
		f.fields = map[string]fieldLabel{"status.replicas": {missing: "0"}}
	case "services":
		f.storage, f.name, f.returnsDeleted, f.createByUpdate = "services/specs", labelName, true, true
		f.fields = map[string]fieldLabel{"spec.clusterIP": {}, "spec.type": {}}
	case "endpoints":
		f.storage, f.createByUpdate = "services/endpoints", true
		f.deprecated = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
	case "componentstatuses":
		f.deprecated = "v1 ComponentStatus is deprecated in v1.19+"
	case "events":
		f.createByUpdate, f.noCollection = true, true
		eventFields(f, "involvedObject", "reportingComponent")
	case "limitranges":
		f.named, f.createByUpdate = true, true
	case "namespaces":
		f.name, f.returnsDeleted = labelName, true
		f.fields = map[string]fieldLabel{"status.phase": {}}
	case "nodes":
		f.storage = "minions"
		f.fields = map[string]fieldLabel{"spec.unschedulable": {missing: "false"}}
	case "persistentvolumes", "persistentvolumeclaims", "resourcequotas", "serviceaccounts":
		f.returnsDeleted = true
	case "secrets":
		f.fields = map[string]fieldLabel{"type": {}}
	}
}

func eventFields(f *facts, object, component string) {
	f.fields = map[string]fieldLabel{"reason": {}, "type": {}, component: {path: "reportingComponent"}}
	for _, key := range [...]string{"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"} {
		f.fields[object+"."+key] = fieldLabel{}
	}
	if object == "involvedObject" {
		f.fields["source"] = fieldLabel{path: "source.component"}
	}
}

func workloadFacts(f *facts, resource string) {
	if resource == "controllerrevisions" {
		return
	}
	f.generation = bySpec
	switch resource {
	case "deployments":
		f.generation = []string{"spec", "metadata.annotations"}
		f.resetStatus = []string{"spec", "metadata.labels"}
	case "jobs":
		f.orphans = true
		f.fields = map[string]fieldLabel{"status.successful": {path: "status.succeeded", missing: "0"}}
	case "statefulsets":
		f.name = labelName
	}
}

func otherFacts(f *facts, group, resource string) {
	switch resource {
	case "certificatesigningrequests":
		f.reset, f.resetStatus = []string{"spec", "status"}, []string{"spec", "status.conditions"}
		f.fields = map[string]fieldLabel{"spec.signerName": {}}
	case "clustertrustbundles":
		f.conditional, f.name = true, segmentName
		f.fields = map[string]fieldLabel{"spec.signerName": {}}
	case "podcertificaterequests":
		f.conditional, f.reset = true, []string{}
		f.fields = map[string]fieldLabel{"spec.signerName": {}, "spec.podName": {}, "spec.nodeName": {}}
	case "leases", "leasecandidates":
		f.createByUpdate, f.conditional = true, true
	case "endpointslices":
		f.generation = []string{"!metadata", "metadata.labels"}
	case "events":
		f.createByUpdate, f.noCollection = true, true
		eventFields(f, "regarding", "reportingController")
	case "flowschemas", "prioritylevelconfigurations":
		f.generation, f.resetStatus = bySpec, wholeRow
	case "ingresses":
		f.storage, f.generation = "ingress", bySpec
	case "ingressclasses":
		f.generation = bySpec
	case "networkpolicies":
		f.generation, f.exact = bySpec, true
	case "ipaddresses":
		f.name = segmentName
	case "servicecidrs", "podgroups", "volumeattachments", "storageversionmigrations", "storageversions":
		f.resetStatus = wholeRow
		f.returnsDeleted = resource == "volumeattachments"
		f.conditional = group == "storage.k8s.io" || resource == "storageversionmigrations" || resource == "storageversions"
	case "poddisruptionbudgets":
		f.generation, f.conditional = bySpec, true
	case "runtimeclasses":
		f.createByUpdate, f.conditional = true, true
	case "priorityclasses":
		f.generation = []string{}
	case "csidrivers":
		f.generation, f.noFirstGeneration, f.conditional, f.returnsDeleted = bySpec, true, true, true
	case "csinodes":
		f.conditional, f.returnsDeleted = true, true
	case "csistoragecapacities":
		f.conditional = true
	case "storageclasses", "volumeattributesclasses":
		f.returnsDeleted = true
	}
}

// firstGeneration returns a new object with its generation: 1 where the resource
// counts them. Others keep what the client sent.
func (f *facts) firstGeneration(object document.Value) document.Value {
	if f.generation == nil || f.noFirstGeneration {
		return object
	}
	return withMeta(object, "generation", document.NewInt(1))
}

// nextGeneration returns next with live's generation, or one more where a part
// that counts has changed: compared, which is next as it is to be compared.
func (f *facts) nextGeneration(next, compared, live document.Value) document.Value {
	next = keepMeta(next, live, "generation")
	for _, part := range f.generation {
		if !same(part, compared, live) {
			return withMeta(next, "generation", document.NewInt(metaInt(live, "generation")+1))
		}
	}
	return next
}

// same compares a part of two objects as the API server does: an empty list or
// object is as good as none.
func same(part string, a, b document.Value) bool {
	if part == "!metadata" {
		return identical(a.Without("metadata"), b.Without("metadata"))
	}
	keys := strings.Split(part, ".")
	return identical(a.Lookup(keys...), b.Lookup(keys...))
}

func identical(a, b document.Value) bool {
	if isEmpty(a) && isEmpty(b) {
		return true
	}
	return document.Identical(a, b)
}

func isEmpty(v document.Value) bool {
	switch v.Kind() {
	case document.Absent:
		return true
	case document.List, document.Object:
		return v.Len() == 0
	}
	return false
}
