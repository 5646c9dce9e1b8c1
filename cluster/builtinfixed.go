package cluster

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Fields of built-in kinds that an update may not change.

// fixedFields are those that may never change, as dotted paths.
func fixedFields(k *schema.Kind) []string {
	switch k.Group + "/" + k.Kind {
	case "/Secret":
		return []string{"type"}
	case "apps/Deployment", "apps/ReplicaSet", "apps/DaemonSet":
		return []string{"spec.selector"}
	case "batch/Job":
		return []string{"spec.selector", "spec.completionMode", "spec.podFailurePolicy", "spec.backoffLimitPerIndex", "spec.managedBy", "spec.successPolicy"}
	case "discovery.k8s.io/EndpointSlice":
		return []string{"addressType"}
	case "networking.k8s.io/IngressClass":
		return []string{"spec.controller"}
	case "node.k8s.io/RuntimeClass":
		return []string{"handler"}
	case "rbac.authorization.k8s.io/RoleBinding", "rbac.authorization.k8s.io/ClusterRoleBinding":
		return []string{"roleRef"}
	case "scheduling.k8s.io/PriorityClass":
		return []string{"value", "preemptionPolicy"}
	case "storage.k8s.io/StorageClass":
		return []string{"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"}
	}
	return nil
}

// checkFixed refuses changes to what is fixed once an object exists.
func checkFixed(k *schema.Kind, next, live document.Value) []Cause {
	var causes []Cause
	for _, path := range fixedFields(k) {
		if keys := strings.Split(path, "."); !sameContent(next.Lookup(keys...), live.Lookup(keys...)) {
			causes = append(causes, invalidValue(path, next.Lookup(keys...).String(), "field is immutable"))
		}
	}
	switch k.Group + "/" + k.Kind {
	case "/ConfigMap", "/Secret":
		causes = append(causes, checkSealed(next, live)...)
	case "/PersistentVolumeClaim":
		if !sameContent(fixedClaim(next, live), fixedClaim(live, live)) {
			causes = append(causes, forbidden("spec", "spec is immutable after creation except resources.requests of a bound claim and volumeAttributesClassName"))
		}
	case "apps/StatefulSet":
		if !sameContent(fixedStatefulSet(next), fixedStatefulSet(live)) {
			causes = append(causes, forbidden("spec", "updates to statefulset spec for fields other than replicas, ordinals, template, updateStrategy, revisionHistoryLimit, persistentVolumeClaimRetentionPolicy and minReadySeconds are forbidden"))
		}
	case "batch/Job":
		causes = append(causes, checkJobUpdate(next, live)...)
	}
	return causes
}

// sameContent compares values, of which an empty one is as good as none.
func sameContent(a, b document.Value) bool {
	if a.Len() == 0 && b.Len() == 0 && a.Kind() != document.String && b.Kind() != document.String &&
		a.Kind() != document.Number && b.Kind() != document.Number && a.Kind() != document.Bool && b.Kind() != document.Bool {
		return true
	}
	return document.Equal(a, b)
}

// checkSealed keeps the content of a ConfigMap or Secret that is immutable.
func checkSealed(next, live document.Value) []Cause {
	var causes []Cause
	if sealed, _ := live.Get("immutable").Bool(); !sealed {
		return nil
	}
	if still, _ := next.Get("immutable").Bool(); !still {
		causes = append(causes, forbidden("immutable", "field is immutable when `immutable` is set"))
	}
	for _, key := range [...]string{"data", "binaryData"} {
		if !sameContent(next.Get(key), live.Get(key)) {
			causes = append(causes, forbidden(key, "field is immutable when `immutable` is set"))
		}
	}
	return causes
}

// fixedClaim is what an update may not change of a claim: it may name a volume
// where there was none, and a bound claim may ask for more.
func fixedClaim(claim, live document.Value) document.Value {
	spec := claim.Get("spec").Without("volumeAttributesClassName")
	if live.Lookup("spec", "volumeName").StringOr("") == "" {
		spec = spec.Without("volumeName")
	}
	if live.Lookup("status", "phase").StringOr("") == "Bound" {
		spec = spec.Remove("resources", "requests")
	}
	return spec
}

func fixedStatefulSet(set document.Value) document.Value {
	spec := set.Get("spec")
	for _, key := range [...]string{"replicas", "template", "updateStrategy", "minReadySeconds", "ordinals", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"} {
		spec = spec.Without(key)
	}
	// What the claims have come to is not asked for.
	claims := spec.Get("volumeClaimTemplates")
	if claims.Kind() == document.List {
		var asked document.ListBuilder
		for _, c := range claims.Items() {
			asked.Append(c.Without("status"))
		}
		spec = spec.With("volumeClaimTemplates", asked.List())
	}
	return spec
}

// checkJobUpdate keeps a job's pods as they are while it runs. The number of
// completions may follow the parallelism of an indexed job.
func checkJobUpdate(next, live document.Value) []Cause {
	var causes []Cause
	spec, was := next.Get("spec"), live.Get("spec")
	elastic := spec.Get("completionMode").StringOr("") == "Indexed" && spec.Get("completions").Exists() &&
		document.Equal(spec.Get("completions"), spec.Get("parallelism"))
	if !elastic && !document.Equal(spec.Get("completions"), was.Get("completions")) {
		causes = append(causes, invalidValue("spec.completions", spec.Get("completions").String(), "field is immutable"))
	}
	if suspended, _ := was.Get("suspend").Bool(); !suspended && !document.Equal(spec.Get("template"), was.Get("template")) {
		causes = append(causes, invalidValue("spec.template", "(the template)", "field is immutable"))
	}
	return causes
}
