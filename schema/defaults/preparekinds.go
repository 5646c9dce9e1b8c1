package defaults

import (
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/internal/engine/semantic"
	"github.com/patchlab-dev/patchlab/schema"
)

// named sets the label kubernetes.io/metadata.name of a Namespace.
func named(v document.Value) document.Value {
	return v.Set(v.Lookup("metadata", "name"), "metadata", "labels", "kubernetes.io/metadata.name")
}

// withoutTopology removes the deprecatedTopology of endpoints that a write through v1
// changes. A node name in the live slice's topology moves to nodeName
// (pkg/registry/discovery/endpointslice/strategy.go, dropTopologyOnV1).
func withoutTopology(k *schema.Kind, slice, live document.Value) document.Value {
	endpoints, was := slice.Get("endpoints"), live.Get("endpoints")
	if k.Version != "v1" || endpoints.Kind() != document.List || live.Exists() && document.Identical(endpoints, was) {
		return slice
	}
	known := map[string]bool{}
	for _, endpoint := range was.Items() {
		known[endpoint.Get("deprecatedTopology").Get("kubernetes.io/hostname").StringOr("")] = true
	}
	return slice.With("endpoints", remake.Items(endpoints, func(_ int, endpoint document.Value) document.Value {
		node := endpoint.Get("deprecatedTopology").Get("kubernetes.io/hostname")
		if name := node.StringOr(""); name != "" && known[name] && !endpoint.Get("nodeName").Exists() {
			endpoint = endpoint.With("nodeName", node)
		}
		return endpoint.Without("deprecatedTopology")
	}))
}

// finalized adds the finalizer "kubernetes" to a new Namespace.
func finalized(v document.Value) document.Value {
	own := document.NewString("kubernetes")
	list := v.Lookup("spec", "finalizers")
	for _, f := range list.Items() {
		if document.Equal(f, own) {
			return v
		}
	}
	if list.Kind() != document.List {
		list = document.NewList()
	}
	return v.Set(list.Splice(list.Len(), 0, own), "spec", "finalizers")
}

// dataSources mirrors a claim's dataSource and dataSourceRef. Sources that only the newer
// field supports are dropped from the older one (pkg/api/persistentvolumeclaim).
func dataSources(spec, live document.Value) document.Value {
	source, ref := spec.Get("dataSource"), spec.Get("dataSourceRef")
	inUse := live.Get("dataSource").Exists() || live.Get("dataSourceRef").Exists()
	if ref.Get("namespace").StringOr("") != "" && !live.Get("dataSourceRef").Exists() {
		spec, ref = spec.Without("dataSourceRef"), document.Value{} // feature CrossNamespaceVolumeDataSource is off
	}
	if !inUse && !ref.Exists() && !claimOrSnapshot(source) {
		return spec.Without("dataSource")
	}
	switch {
	case source.Exists() && !ref.Exists():
		return spec.With("dataSourceRef", source)
	case ref.Exists() && !source.Exists() && ref.Get("namespace").StringOr("") == "":
		return spec.With("dataSource", ref.Without("namespace"))
	}
	return spec
}

func claimOrSnapshot(source document.Value) bool {
	group := source.Get("apiGroup").StringOr("")
	switch source.Get("kind").StringOr("") {
	case "PersistentVolumeClaim":
		return group == ""
	case "VolumeSnapshot":
		return group == "snapshot.storage.k8s.io"
	}
	return false
}

// secretNames reduces a ServiceAccount's references to secrets to their names.
func secretNames(v document.Value) document.Value {
	list := remake.Items(v.Get("secrets"), func(_ int, s document.Value) document.Value {
		return document.NewObject().With("name", s.Get("name"))
	})
	if list.Exists() {
		v = v.With("secrets", list)
	}
	return v
}

// templateChanged increments the template generation of a DaemonSet if the template changes
// semantically.
func templateChanged(k *schema.Kind, next, live document.Value) document.Value {
	meant, _, err := Decode(k, next, FromTree)
	if err != nil {
		meant = next
	}
	s := live.Lookup("metadata", "annotations", templateGeneration).StringOr("0")
	template := k.Type().Map.Member("spec").Map.Member("template")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && !semantic.Equal(template, meant.Lookup("spec", "template"), live.Lookup("spec", "template")) {
		s = strconv.FormatInt(n+1, 10)
	}
	return next.Set(document.NewString(s), "metadata", "annotations", templateGeneration)
}

// jobSelector adds the Job's name and uid to the labels of its template and the uid to its
// selector, unless manualSelector is set. If the Job's own labels were defaulted from the
// template, kube-apiserver shares one Go map between the two, so they get the name and uid
// too.
func jobSelector(v document.Value) document.Value {
	if manual, _ := v.Lookup("spec", "manualSelector").Bool(); manual {
		return v
	}
	own := v.Lookup("metadata", "labels")
	shared := own.Len() > 0 && document.SameNode(own, v.Lookup("spec", "template", "metadata", "labels"))
	label := func(key string, val document.Value) {
		if s := v.Lookup("spec", "template", "metadata", "labels", key); !s.Exists() && val.Exists() {
			v = v.Set(val, "spec", "template", "metadata", "labels", key)
		}
	}
	name, uid := document.NewString(v.Lookup("metadata", "name").StringOr("")), v.Lookup("metadata", "uid")
	label("job-name", name)
	label("batch.kubernetes.io/job-name", name)
	label("controller-uid", uid)
	label("batch.kubernetes.io/controller-uid", uid)
	const key = "batch.kubernetes.io/controller-uid"
	if !v.Lookup("spec", "selector", "matchLabels", key).Exists() {
		v = v.Set(uid, "spec", "selector", "matchLabels", key)
	}
	if shared {
		v = v.Set(v.Lookup("spec", "template", "metadata", "labels"), "metadata", "labels")
	}
	return v
}

// requester records the requesting user in a CertificateSigningRequest.
func requester(spec document.Value, u User) document.Value {
	for _, key := range [...]string{"username", "uid", "groups", "extra"} {
		spec = spec.Without(key)
	}
	if u.Name != "" {
		spec = spec.With("username", document.NewString(u.Name))
	}
	if u.UID != "" {
		spec = spec.With("uid", document.NewString(u.UID))
	}
	if len(u.Groups) > 0 {
		spec = spec.With("groups", document.NewStrings(u.Groups...))
	}
	for key, list := range u.Extra {
		spec = spec.Set(document.NewStrings(list...), "extra", key)
	}
	return spec
}

// keptDecisions restores a CertificateSigningRequest's conditions Approved and Denied
// from the live status if the new status has the same number of them.
func keptDecisions(next, live document.Value) document.Value {
	list := next.Lookup("status", "conditions")
	if !list.Exists() {
		return next
	}
	for _, decision := range [...]string{"Approved", "Denied"} {
		now, before := ofType(list, decision), ofType(live.Lookup("status", "conditions"), decision)
		if len(now) != len(before) {
			continue
		}
		kept := 0
		list = remake.Items(list, func(i int, c document.Value) document.Value {
			if kept == len(now) || now[kept] != i {
				return c
			}
			kept++
			return live.Lookup("status", "conditions").At(before[kept-1])
		})
	}
	return next.Set(list, "status", "conditions")
}

func ofType(conditions document.Value, name string) []int {
	var at []int
	for i, c := range conditions.Items() {
		if c.Get("type").StringOr("") == name {
			at = append(at, i)
		}
	}
	return at
}

// conditionTimes sets lastUpdateTime and lastTransitionTime of conditions.
func conditionTimes(next, live document.Value, now time.Time) document.Value {
	list := next.Lookup("status", "conditions")
	if !list.Exists() {
		return next
	}
	type state struct{ name, status string }
	stateOf := func(c document.Value) state { return state{textOf(c, "type"), textOf(c, "status")} }
	since := map[state]document.Value{}
	for _, old := range live.Lookup("status", "conditions").Items() {
		if _, earlier := since[stateOf(old)]; !earlier {
			since[stateOf(old)] = old.Get("lastTransitionTime")
		}
	}
	list = remake.Items(list, func(_ int, c document.Value) document.Value {
		if t := c.Get("lastUpdateTime"); !t.Exists() || t.IsNull() {
			c = c.With("lastUpdateTime", timeText(now))
		}
		if t := c.Get("lastTransitionTime"); !t.Exists() || t.IsNull() {
			began, known := since[stateOf(c)]
			if !known {
				began = timeText(now)
			}
			c = c.With("lastTransitionTime", began)
		}
		return c
	})
	return next.Set(list, "status", "conditions")
}

// storedVersion adds a CustomResourceDefinition's storage version to status.storedVersions.
func storedVersion(v document.Value) document.Value {
	name := storageVersion(nil, v.Lookup("spec", "versions"))
	if !name.Exists() {
		return v
	}
	list := v.Lookup("status", "storedVersions")
	for _, have := range list.Items() {
		if document.Equal(have, name.At(0)) {
			return v
		}
	}
	if list.Kind() != document.List {
		list = document.NewList()
	}
	return v.Set(list.Splice(list.Len(), 0, name.At(0)), "status", "storedVersions")
}

// localService marks an APIService without a service, which the API server itself serves,
// as available.
func localService(v document.Value, now time.Time) document.Value {
	if v.Lookup("spec", "service").Exists() {
		return v
	}
	condition := document.NewObject().
		With("type", document.NewString("Available")).
		With("status", document.NewString("True")).
		With("lastTransitionTime", timeText(now)).
		With("reason", document.NewString("Local")).
		With("message", document.NewString("Local APIServices are always available"))
	return v.Set(document.NewList(condition), "status", "conditions")
}

// phaseChanged sets lastPhaseTransitionTime if a PersistentVolume's phase changed.
func phaseChanged(next, live document.Value, now time.Time) document.Value {
	const since = "lastPhaseTransitionTime"
	have, had := next.Lookup("status", since), live.Lookup("status", since)
	same := next.Lookup("status", "phase").StringOr("") == live.Lookup("status", "phase").StringOr("")
	switch {
	case same && !have.Exists():
		return next.Set(had, "status", since)
	case !same && (!have.Exists() || document.Equal(have, had)):
		return next.Set(timeText(now), "status", since)
	}
	return next
}

// taintChanged sets timeAdded if the effect of a DeviceTaintRule's taint changed.
func taintChanged(next, live document.Value, now time.Time) document.Value {
	a, b := next.Lookup("spec", "taint"), live.Lookup("spec", "taint")
	if document.Equal(a.Get("effect"), b.Get("effect")) || !document.Equal(a.Get("timeAdded"), b.Get("timeAdded")) {
		return next
	}
	return next.Set(timeText(now), "spec", "taint", "timeAdded")
}

// A deviceID identifies a device, or a share of one, in the status of a ResourceClaim.
type deviceID struct{ driver, pool, device, share string }

func deviceIDOf(v document.Value) deviceID {
	return deviceID{textOf(v, "driver"), textOf(v, "pool"), textOf(v, "device"), textOf(v, "shareID")}
}

// withoutDeallocated removes the status of the devices that a ResourceClaim no longer allocates
// (pkg/registry/resource/resourceclaim/strategy.go, dropDeallocatedStatusDevices). A client that
// deallocates a claim may not know that they have one.
func withoutDeallocated(claim, live document.Value) document.Value {
	devices := claim.Lookup("status", "devices")
	if devices.Kind() != document.List {
		return claim
	}
	deallocated := map[deviceID]bool{}
	for _, result := range live.Lookup("status", "allocation", "devices", "results").Items() {
		deallocated[deviceIDOf(result)] = true
	}
	for _, result := range claim.Lookup("status", "allocation", "devices", "results").Items() {
		delete(deallocated, deviceIDOf(result))
	}
	devices = remake.Items(devices, func(_ int, device document.Value) document.Value {
		if deallocated[deviceIDOf(device)] {
			return document.Value{}
		}
		return device
	})
	if devices.Len() == 0 {
		return claim.With("status", claim.Get("status").Without("devices"))
	}
	return claim.Set(devices, "status", "devices")
}
