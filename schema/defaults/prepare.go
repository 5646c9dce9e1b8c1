package defaults

import (
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Request is the part of a request that create and update strategies depend on. The zero
// value is a write of the object itself.
type Request struct {
	// Subresource is the subresource written, such as "status"; "" for the object itself.
	Subresource string
	// Now is the time of the request.
	Now time.Time
	// User is the requesting user, whom a CertificateSigningRequest records.
	User User
	// ClusterIP and NodePort allocate addresses and ports for Services. If they are nil,
	// addresses and ports that the client did not choose stay unset.
	ClusterIP func(family string) string
	NodePort  func() int64
	// Families are the IP families of the cluster's Services, the default one first; nil is IPv4 alone.
	Families []string
}

// User is the user of a request.
type User struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// PrepareForCreate applies the create strategy of the object's kind: it resets the status,
// sets mirrored fields and drops fields of disabled features. It does not set the name,
// uid, creation time or generation; the object must have its final ones, and a Job's
// selector and labels follow from its uid. The result is what is stored; Apply defaults it
// again when it is read.
func (r *Rules) PrepareForCreate(k *schema.Kind, v document.Value, q Request) document.Value {
	if !k.Builtin || v.Kind() != document.Object {
		return v
	}
	name := kindName(k)
	switch f := k.Type().Map.Field("status"); {
	case name == "/Pod":
		v = r.newPod(k, v, q.Now)
	case f != nil && r.resetsStatus(k) && name != "/Node":
		v = v.With("status", missing(f))
	}
	switch name {
	case "/Service":
		v = newService(v, q)
	case "/Namespace":
		v = finalized(named(v).Set(document.NewString("Active"), "status", "phase"))
	case "/PersistentVolume":
		v = v.Set(document.NewString("Pending"), "status", "phase")
		v = v.Set(timeText(q.Now), "status", "lastPhaseTransitionTime")
	case "/PersistentVolumeClaim":
		v = v.With("spec", dataSources(v.Get("spec"), document.Value{}))
	case "autoscaling/HorizontalPodAutoscaler":
		if k.Version == "v1" { // its status includes annotations
			v = only1(autoscalerTo1(AutoscalerFromV1(v).Without("status"))).With("status", v.Get("status"))
		}
	case "/ServiceAccount":
		v = secretNames(v)
	case "apps/DaemonSet":
		if n, _ := v.Lookup("metadata", "annotations", templateGeneration).Text(); n == "0" || n != "" && n[0] == '-' {
			v = v.Set(document.NewString("1"), "metadata", "annotations", templateGeneration)
		}
	case "batch/Job":
		v = jobSelector(v)
	case "certificates.k8s.io/CertificateSigningRequest":
		v = v.With("spec", requester(v.Get("spec"), q.User))
	case "apiextensions.k8s.io/CustomResourceDefinition":
		v = storedVersion(v)
	case "apiregistration.k8s.io/APIService":
		v = localService(v, q.Now)
	case "discovery.k8s.io/EndpointSlice":
		v = withoutTopology(k, v, document.Value{})
	}
	return r.withoutDisabled(k, v, document.Value{})
}

// PrepareForUpdate applies the update strategy of the object's kind to next, where live is
// stored: a write of the object keeps the live status, a write of the status the live spec,
// and so on. It does not increment the generation.
func (r *Rules) PrepareForUpdate(k *schema.Kind, next, live document.Value, q Request) document.Value {
	if !k.Builtin || next.Kind() != document.Object {
		return next
	}
	if kindName(k) == "apps/DaemonSet" { // templates are compared without disabled fields
		next = r.withoutDisabled(k, next, live)
	}
	switch q.Subresource {
	case "":
		next = r.updated(k, next, live, q)
	case "status":
		next = updatedStatus(k, next, live, q)
	default:
		next = r.updatedPart(q.Subresource, next, live, q)
	}
	return r.withoutDisabled(k, next, live)
}

// PrepareForRead sets the fields that an object of a built-in kind has once it is stored:
//
//   - the plural addresses and the IP families of a Service, and the mirrored data source of a
//     PersistentVolumeClaim, which the API server also sets when it reads an object without them;
//   - the selector and labels of a Job, which contain its uid. newUID returns the uid for a Job
//     that has none.
//
// An object that an API server returned does not change.
func (r *Rules) PrepareForRead(k *schema.Kind, v document.Value, newUID func() string) document.Value {
	if !k.Builtin || v.Get("spec").Kind() != document.Object {
		return v
	}
	switch kindName(k) {
	case "/Service":
		return v.With("spec", withoutInternalPolicy(storedFamilies(plural(v.Get("spec")))))
	case "/PersistentVolumeClaim":
		return v.With("spec", dataSources(v.Get("spec"), v.Get("spec")))
	case "batch/Job":
		if v.Lookup("spec", "selector").Exists() {
			return v
		}
		if v.Lookup("metadata", "uid").StringOr("") == "" {
			v = v.Set(document.NewString(newUID()), "metadata", "uid")
		}
		return jobSelector(v)
	}
	return v
}

func kindName(k *schema.Kind) string { return k.Group + "/" + k.Kind }

func timeText(t time.Time) document.Value {
	return document.NewString(t.UTC().Format(time.RFC3339))
}

// resetsStatus reports whether a write of the object itself does not change its status.
func (r *Rules) resetsStatus(k *schema.Kind) bool {
	return k.Status && (r.minor >= 36 || kindName(k) != "networking.k8s.io/ServiceCIDR")
}

// updated is the update strategy of the object itself.
func (r *Rules) updated(k *schema.Kind, next, live document.Value, q Request) document.Value {
	if r.resetsStatus(k) {
		next = next.With("status", live.Get("status"))
	}
	switch kindName(k) {
	case "/Pod":
		next = next.With("spec", r.keptResources(next.Get("spec"), live.Get("spec")))
	case "/Service":
		next = updatedService(next, live, q)
	case "/Namespace":
		next = named(next.Set(live.Lookup("spec", "finalizers"), "spec", "finalizers"))
	case "/PersistentVolumeClaim":
		next = next.With("spec", dataSources(next.Get("spec"), live.Get("spec")))
	case "/Secret":
		if next.Get("type").StringOr("") == "" {
			next = next.With("type", live.Get("type"))
		}
	case "autoscaling/HorizontalPodAutoscaler":
		if k.Version == "v1" {
			status := AutoscalerFromV1(live).Get("status")
			next = only1(autoscalerTo1(AutoscalerFromV1(next).With("status", status)))
		}
	case "/ServiceAccount":
		next = secretNames(next)
	case "discovery.k8s.io/EndpointSlice":
		next = withoutTopology(k, next, live)
	case "apps/DaemonSet":
		next = templateChanged(k, next, live)
	case "certificates.k8s.io/CertificateSigningRequest":
		next = next.With("spec", live.Get("spec"))
	case "apiextensions.k8s.io/CustomResourceDefinition":
		next = storedVersion(next)
	case "resource.k8s.io/DeviceTaintRule":
		next = taintChanged(next, live, q.Now)
	}
	return next
}

// updatedStatus is the update strategy of the status subresource.
func updatedStatus(k *schema.Kind, next, live document.Value, q Request) document.Value {
	if kindName(k) == "autoscaling/HorizontalPodAutoscaler" && k.Version == "v1" {
		spec := AutoscalerFromV1(live).Get("spec")
		return only1(autoscalerTo1(AutoscalerFromV1(next).With("spec", spec)))
	}
	next = next.With("spec", live.Get("spec"))
	keep := func(keys ...string) {
		for _, key := range keys {
			next = keepMeta(next, live, key)
		}
	}
	switch kindName(k) {
	case "/Pod":
		keep("deletionTimestamp", "ownerReferences")
		if class := live.Lookup("status", "qosClass"); !next.Lookup("status", "qosClass").Exists() {
			next = next.Set(class, "status", "qosClass")
		}
		next = keptGenerations(next, live)
	case "/PersistentVolume":
		next = phaseChanged(next, live, q.Now)
	case "apps/Deployment":
		keep("labels")
		annotations := next.Lookup("metadata", "annotations")
		if n := live.Lookup("metadata", "annotations", rollbackTo); n.Exists() {
			next = next.Set(n, "metadata", "annotations", rollbackTo)
		} else if annotations.Get(rollbackTo).Exists() { // it is a field of the spec
			next = withAnnotations(next, annotations.Without(rollbackTo))
		}
	case "apps/DaemonSet":
		n := live.Lookup("metadata", "annotations", templateGeneration)
		next = next.Set(n, "metadata", "annotations", templateGeneration)
	case "certificates.k8s.io/CertificateSigningRequest":
		next = keptDecisions(next, live)
		next = conditionTimes(next, live, q.Now)
	case "flowcontrol.apiserver.k8s.io/FlowSchema", "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration":
		managed := next.Lookup("metadata", "managedFields")
		next = next.With("metadata", live.Get("metadata")).Set(managed, "metadata", "managedFields")
	case "apiregistration.k8s.io/APIService":
		keep("labels", "annotations", "finalizers", "ownerReferences")
	case "admissionregistration.k8s.io/ValidatingAdmissionPolicy", "networking.k8s.io/ServiceCIDR",
		"storage.k8s.io/VolumeAttachment", "storagemigration.k8s.io/StorageVersionMigration",
		"scheduling.k8s.io/PodGroup", "certificates.k8s.io/PodCertificateRequest",
		"internal.apiserver.k8s.io/StorageVersion", "resource.k8s.io/DeviceTaintRule",
		"resource.k8s.io/ResourcePoolStatusRequest":
		keep(statusMeta[:]...)
	case "resource.k8s.io/ResourceClaim":
		keep(statusMeta[:]...)
		next = withoutDeallocated(next, live)
	}
	return next
}

// statusMeta lists the metadata that a write of the status cannot change, for kinds where
// it cannot change any (metav1.ResetObjectMetaForStatus).
var statusMeta = [...]string{"deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"}

func keepMeta(next, live document.Value, key string) document.Value {
	return next.Set(live.Lookup("metadata", key), "metadata", key)
}

// updatedPart is the update strategy of subresources that few kinds have.
func (r *Rules) updatedPart(subresource string, next, live document.Value, q Request) document.Value {
	switch subresource {
	case "finalize":
		return next.With("status", live.Get("status"))
	case "approval":
		next = conditionTimes(next, live, q.Now)
		decided := next.Lookup("status", "conditions")
		return next.With("spec", live.Get("spec")).With("status", live.Get("status").Set(decided, "conditions"))
	case "ephemeralcontainers":
		spec := live.Get("spec").With("ephemeralContainers", next.Lookup("spec", "ephemeralContainers"))
		if r.minor < 33 {
			return live.With("spec", spec)
		}
		return onlySpec(next, live, spec)
	case "resize":
		return r.resized(next, live)
	}
	return next
}

// onlySpec returns live with another spec and with next's metadata as far as a write of the
// subresource may change it.
func onlySpec(next, live, spec document.Value) document.Value {
	for _, key := range statusMeta {
		next = keepMeta(next, live, key)
	}
	return next.With("status", live.Get("status")).With("spec", spec)
}
