package kinds

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// The label of the APIServices that the API server creates has the value onStart for built-in versions and continuously for
// those of CustomResourceDefinitions.
const (
	automanaged  = "kube-aggregator.kubernetes.io/automanaged"
	onStart      = "onstart"
	continuously = "true"
)

// The priorities of all versions of CustomResourceDefinitions (k8s.io/kubernetes,
// pkg/controlplane/controller/crdregistration).
const customGroupPriority, customVersionPriority = 1000, 100

// A Registration has the fields of an APIService that the API server creates.
type Registration struct {
	Version, Group string
	// GroupPriority orders groups and VersionPriority the versions of a group. Greater values come
	// first.
	GroupPriority, VersionPriority int64
	// Custom is true if a CustomResourceDefinition serves the version.
	Custom bool
}

// CustomRegistration returns the registration of a version of a CustomResourceDefinition.
func CustomRegistration(version, group string) Registration {
	return Registration{version, group, customGroupPriority, customVersionPriority, true}
}

// Automanaged reports whether an object is an APIService that the API server has created itself.
func Automanaged(object document.Value) bool {
	group, _, _ := strings.Cut(object.Get("apiVersion").StringOr(""), "/")
	return group == apiServiceStrategy.Group && object.Lookup("metadata", "labels", automanaged).Exists()
}

// FollowsDefinitions reports whether the API server has created an APIService for a version of a
// CustomResourceDefinition. It then also restores and deletes it.
func FollowsDefinitions(service document.Value) bool {
	return service.Lookup("metadata", "labels", automanaged).StringOr("") == continuously
}

// BuiltinRegistrations returns the built-in versions that are registered, with the priorities of
// Kubernetes 1.37.
func BuiltinRegistrations() []Registration { return slices.Clone(builtinRegistrations[:]) }

// builtinRegistrations is a table of k8s.io/kubernetes, pkg/controlplane/apiserver and
// cmd/kube-apiserver/app.
var builtinRegistrations = [...]Registration{
	{"v1", "", 18000, 1, false},
	{"v1", "apps", 17800, 15, false},
	{"v1", "events.k8s.io", 17750, 15, false},
	{"v1", "authentication.k8s.io", 17700, 15, false},
	{"v1", "authorization.k8s.io", 17600, 15, false},
	{"v1", "autoscaling", 17500, 15, false},
	{"v2", "autoscaling", 17500, 30, false},
	{"v1", "batch", 17400, 15, false},
	{"v1", "certificates.k8s.io", 17300, 15, false},
	{"v1", "networking.k8s.io", 17200, 15, false},
	{"v1", "policy", 17100, 15, false},
	{"v1", "rbac.authorization.k8s.io", 17000, 15, false},
	{"v1", "storage.k8s.io", 16800, 15, false},
	{"v1", "admissionregistration.k8s.io", 16700, 15, false},
	{"v1", "apiextensions.k8s.io", 16700, 15, false},
	{"v1", "scheduling.k8s.io", 16600, 15, false},
	{"v1", "coordination.k8s.io", 16500, 15, false},
	{"v1", "node.k8s.io", 16300, 15, false},
	{"v1", "discovery.k8s.io", 16200, 15, false},
	{"v1", "resource.k8s.io", 16200, 21, false},
	{"v1", "flowcontrol.apiserver.k8s.io", 16100, 21, false},
	{"v1beta3", "flowcontrol.apiserver.k8s.io", 16100, 18, false},
	{"v1", "storagemigration.k8s.io", 15800, 15, false},
}

// Name returns the name of the APIService.
func (r Registration) Name() string { return r.Version + "." + r.Group }

// Spec returns the spec of the APIService.
func (r Registration) Spec() document.Value {
	spec := document.NewObject()
	if r.Group != "" {
		spec = spec.With("group", document.NewString(r.Group))
	}
	return spec.With("version", document.NewString(r.Version)).
		With("groupPriorityMinimum", document.NewInt(r.GroupPriority)).With("versionPriority", document.NewInt(r.VersionPriority))
}

// Object returns the APIService, for a request to create it.
func (r Registration) Object() document.Value {
	managed := onStart
	if r.Custom {
		managed = continuously
	}
	metadata := document.NewObject().With("name", document.NewString(r.Name())).
		With("labels", document.NewObject().With(automanaged, document.NewString(managed)))
	return document.NewObject().With("apiVersion", document.NewString(apiServiceStrategy.Group+"/v1")).
		With("kind", document.NewString("APIService")).With("metadata", metadata).With("spec", r.Spec())
}
