package rbac

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// dynamicResources is the API group of ResourceClaims.
const dynamicResources = "resource.k8s.io"

// claimUpdate is an update of the status of a ResourceClaim. From Kubernetes 1.36 on (feature gate
// DRAResourceClaimGranularStatusAuthorization), it needs rights beside that to update the status: for
// resourceclaims/binding to allocate or reserve the claim, and for resourceclaims/driver to write the
// status of devices, by the name of their driver and with a verb that depends on the node.
type claimUpdate struct {
	cluster *cluster.Cluster
	*cluster.Attributes
	is, was document.Value // the status
	causes  []cluster.Cause
}

// checkClaim refuses an update of the status of a ResourceClaim without these rights, as the
// validation of kube-apiserver does.
func checkClaim(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	if a.Operation != cluster.OperationUpdate || a.Resource.Resource != "resourceclaims" || a.Request.Subresource != "status" ||
		!c.Kinds().Catalog().Since("1.36") {
		return nil
	}
	u := &claimUpdate{cluster: c, Attributes: a, is: a.Object.Get("status"), was: a.Old.Get("status")}
	if err := u.checkBinding(ctx); err != nil {
		return internal(err)
	}
	if err := u.checkDevices(ctx); err != nil {
		return internal(err)
	}
	if len(u.causes) == 0 {
		return nil
	}
	return invalid(a, u.causes)
}

// checkBinding requires the right to bind any claim if the claim is allocated or reserved otherwise
// than before.
func (u *claimUpdate) checkBinding(ctx context.Context) error {
	if document.Equal(u.is.Get("allocation"), u.was.Get("allocation")) && document.Equal(u.is.Get("reservedFor"), u.was.Get("reservedFor")) {
		return nil
	}
	verb := u.Request.Verb.String()
	missing, err := u.missing(ctx, &action{verb: verb, group: dynamicResources, resource: "resourceclaims", sub: "binding"})
	if missing != "" {
		u.forbid("allocation", `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="`+verb+`" permission: `+missing)
	}
	return err
}

// checkDevices requires the right for each driver that has a changed device, unless the claim is not
// allocated.
func (u *claimUpdate) checkDevices(ctx context.Context) error {
	if !u.is.Get("allocation").Exists() {
		return nil
	}
	verbs := []string{arbitraryNode + ":" + u.Request.Verb.String()}
	if u.runsOnNode() {
		verbs = slices.Insert(verbs, 0, associatedNode+":"+u.Request.Verb.String())
	}
	for _, driver := range changedDrivers(u.is.Get("devices"), u.was.Get("devices")) {
		missing, err := u.missingAll(ctx, verbs, driver)
		if err != nil {
			return err
		}
		if missing != "" {
			u.forbid("devices", fmt.Sprintf(`changing status.devices requires resource="resourceclaims/driver", verb="%s" permission: %s`, verbs, missing))
		}
	}
	return nil
}

// missingAll returns the text of the refusal of the first verb for a driver, "" if the user's roles allow
// one of them.
func (u *claimUpdate) missingAll(ctx context.Context, verbs []string, driver string) (string, error) {
	first := ""
	for _, verb := range verbs {
		missing, err := u.missing(ctx, &action{verb: verb, group: dynamicResources, resource: "resourceclaims", sub: "driver", namespace: u.Namespace, name: driver})
		if missing == "" || err != nil {
			return "", err
		}
		if first == "" {
			first = missing
		}
	}
	return first, nil
}

// missing returns the text of the refusal of an action, "" if the user's roles allow it.
func (u *claimUpdate) missing(ctx context.Context, a *action) (string, error) {
	allowed, reason, err := decide(ctx, u.cluster, u.Request.User, a)
	if allowed || err != nil {
		return "", err
	}
	return refusal(u.Request.User, a, reason).Message, nil
}

func (u *claimUpdate) forbid(field, why string) {
	u.causes = append(u.causes, cluster.Cause{
		Type: string(schema.ErrorForbidden), Message: "Forbidden: " + why, Field: "status." + field, Path: document.Keys("status", field),
	})
}

// runsOnNode reports whether the user is the service account of a pod on the node to which the claim is
// allocated.
func (u *claimUpdate) runsOnNode() bool {
	node := allocatedNode(u.is.Get("allocation"))
	_, _, isAccount := names.ServiceAccount(u.Request.User.Name)
	return node != "" && isAccount && slices.Equal(u.Request.User.Extra[nodeKey], []string{node})
}

// allocatedNode returns the name of the node to which an allocation is limited; "" if it is not
// limited to one by name.
func allocatedNode(allocation document.Value) string {
	terms := allocation.Lookup("nodeSelector", "nodeSelectorTerms")
	fields := terms.At(0).Get("matchFields")
	if terms.Len() != 1 || terms.At(0).Get("matchExpressions").Len() != 0 || fields.Len() != 1 {
		return ""
	}
	f := fields.At(0)
	if values := f.Get("values"); f.Get("key").StringOr("") == "metadata.name" && f.Get("operator").StringOr("") == "In" && values.Len() == 1 {
		return values.At(0).StringOr("")
	}
	return ""
}

// changedDrivers returns the names of the drivers whose devices differ in two lists, sorted.
func changedDrivers(is, was document.Value) []string {
	var drivers []string
	key := func(device document.Value) [4]string {
		var k [4]string
		for i, name := range [...]string{"driver", "pool", "device", "shareID"} {
			k[i] = device.Get(name).StringOr("")
		}
		return k
	}
	before := map[[4]string]document.Value{}
	for _, device := range was.Items() {
		before[key(device)] = device
	}
	for _, device := range is.Items() {
		k := key(device)
		if old, known := before[k]; !known || !document.Equal(old, device) {
			drivers = append(drivers, k[0])
		}
		delete(before, k)
	}
	for k := range before {
		drivers = append(drivers, k[0])
	}
	slices.Sort(drivers)
	return slices.Compact(drivers)
}

// invalid returns the refusal of an object with causes.
func invalid(a *cluster.Attributes, causes []cluster.Cause) *cluster.Status {
	texts := make([]string, len(causes))
	for i, cause := range causes {
		texts[i] = cause.Field + ": " + cause.Message
	}
	text := strings.Join(texts, ", ")
	if len(texts) > 1 {
		text = "[" + text + "]"
	}
	return &cluster.Status{
		Code: 422, Reason: cluster.ReasonInvalid,
		Message: fmt.Sprintf("%s.%s %q is invalid: %s", a.Resource.Kind, a.Resource.Group, a.Name, text),
		Details: &cluster.StatusDetails{Group: a.Resource.Group, Kind: a.Resource.Kind, Name: a.Name, Causes: causes},
	}
}
