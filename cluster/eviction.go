//go:build !js

package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/store"
)

// evict deletes a pod if its PodDisruptionBudget allows the disruption
// (registry/core/pod/storage, EvictionREST). There is no admission for the deletion itself.
func (c *Cluster) evict(ctx context.Context, t *task, eviction fieldmanager.Object) (*Response, *Status) {
	if t.Name != meta(t.body, "name") {
		return nil, badRequest("name in URL does not match name in Eviction object")
	}
	d, st := c.newEviction(t)
	if st != nil {
		return nil, st
	}
	if _, st := t.admit(eviction, fieldmanager.Object{}); st != nil {
		return nil, st
	}
	key := d.ep.key(t.Namespace, t.Name)
	live, err := c.store.Get(ctx, key, store.GetOptions{})
	if err != nil {
		return nil, storeStatus(t.ep, t.Name, err)
	}
	unready := ""
	if pod := live.Value.tree().Value; !ignoresBudget(pod) {
		if unready, st = c.checkBudget(ctx, t, pod, d.dry); st != nil {
			return nil, st
		}
	}
	if d.options.ResourceVersion != nil {
		unready = ""
	}
	if unready != "" { // the pod must not have become ready since
		version := strconv.FormatInt(live.Revision, 10)
		d.options.ResourceVersion = &version
	}
	if st = d.evict(ctx, key); st == nil {
		return done(t), nil
	}
	if unready != "" && st.Reason == ReasonConflict {
		st = stillProcessed(unready)
	}
	return nil, st
}

// newEviction returns the deletion of the pod with the options of an Eviction. The dryRun of
// the request holds if they have none.
func (c *Cluster) newEviction(t *task) (*deletion, *Status) {
	r := *t.Request
	r.Verb, r.Subresource, r.Format = Delete, "", JSON
	r.Document, r.Body = nil, nil
	pods, _ := c.kinds.Resource("", "v1", "pods")
	d := &deletion{Cluster: c, Request: &r, ep: c.endpointOf(pods), now: t.now, admitted: true}
	dryRun := t.DryRun
	if options := t.body.Get("deleteOptions"); options.Kind() == document.Object {
		if ignored, _ := options.Get("ignoreStoreReadErrorWithClusterBreakingPotential").Bool(); ignored {
			return nil, invalid(groupResource{"policy", "Eviction"}, t.Name, []Cause{invalidValue(
				"deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential", "true", "can not be set for pod eviction, try after removing the option")})
		}
		r.Document = &document.Document{Root: options}
		var own []string
		var st *Status
		if d.options, own, st = d.readDeletion(&r); st != nil {
			return nil, st
		}
		r.Document = nil
		if len(own) > 0 && len(dryRun) > 0 && !slices.Equal(own, dryRun) {
			//lint:ignore ST1005 the API server answers with this sentence
			return nil, plainError(fmt.Errorf("Non-matching dry-run options in request and content: %v and %v", dryRun, own))
		}
		if len(own) > 0 {
			dryRun = own
		}
	}
	r.DryRun, d.dry = dryRun, len(dryRun) > 0
	return d, nil
}

// evict adds the condition DisruptionTarget to the pod and deletes it. As in kube-apiserver, only the
// deletion validates its options, so a pod whose deletion is refused for them has the condition, too.
func (d *deletion) evict(ctx context.Context, key string) *Status {
	if !d.dry {
		item, err := d.store.Update(ctx, key, store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
			object := versioned(current.Value.tree(), current.Revision)
			if st := d.checkPreconditions(object.Value); st != nil {
				return nil, st
			}
			object = current.Value.tree()
			evicted := withPodCondition(object.Value,
				podCondition{kind: "DisruptionTarget", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting"}, formatTime(d.now))
			if d.rules != nil { // the condition is written like a write of the status
				evicted = d.rules.PrepareForUpdate(d.ep.kind, evicted, object.Value, defaults.Request{Subresource: "status", Now: d.now})
			}
			if document.Equal(evicted, object.Value) { // by an earlier eviction, after which finalizers keep the pod
				return current.Value, nil
			}
			object.Value = evicted
			return newRecord(object, document.Value{}), nil
		})
		var st *Status
		switch {
		case errors.As(err, &st):
			return st
		case err != nil:
			return storeStatus(d.ep, d.Name, err)
		}
		if d.options.ResourceVersion != nil {
			version := strconv.FormatInt(item.Revision, 10)
			d.options.ResourceVersion = &version
		}
	}
	if st := checkDeletion(&d.options, d.DryRun); st != nil {
		return st
	}
	_, st := d.deleteOne(ctx, d.Namespace, d.Name)
	return st
}

// ignoresBudget reports whether a pod is deleted without regard to PodDisruptionBudgets,
// because it serves nothing.
func ignoresBudget(pod document.Value) bool {
	switch pod.Lookup("status", "phase").StringOr("") {
	case "Succeeded", "Failed", "Pending":
		return true
	}
	return hasMeta(pod, "deletionTimestamp")
}

// budgetUpdates is the number of attempts to record a disruption in a PodDisruptionBudget that
// others change at the same time.
const budgetUpdates = 20

// checkBudget checks the pod's PodDisruptionBudget and records the disruption in its status. It
// returns the budget's name if the pod may be deleted without that, because it is not ready.
func (c *Cluster) checkBudget(ctx context.Context, t *task, pod document.Value, dry bool) (unready string, st *Status) {
	for range budgetUpdates {
		var budget document.Value
		if budget, st = c.budgetOf(ctx, t, pod); st != nil || !budget.Exists() {
			return "", st
		}
		if !conditionTrue(pod, "Ready") && toleratesUnready(budget) {
			return meta(budget, "name"), nil
		}
		if st = allowsDisruption(budget); st != nil || dry {
			return "", st
		}
		if st = c.disrupt(ctx, t, budget); st == nil || st.Reason != ReasonConflict {
			return "", st
		}
	}
	return "", st
}

// budgetOf returns the PodDisruptionBudget that selects a pod; absent if there is none.
func (c *Cluster) budgetOf(ctx context.Context, t *task, pod document.Value) (document.Value, *Status) {
	var budget document.Value
	budgets, st := c.do(ctx, &Request{Verb: List, Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Namespace: t.Namespace})
	if st != nil {
		return budget, st
	}
	for _, b := range budgets.Items() {
		if !kinds.Selects(b.Lookup("spec", "selector"), pod.Lookup("metadata", "labels")) {
			continue
		}
		if budget.Exists() {
			//lint:ignore ST1005 the API server answers with this sentence
			return budget, plainError(errors.New("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."))
		}
		budget = b
	}
	return budget, nil
}

// toleratesUnready reports whether a pod that is not ready may be deleted although its budget
// allows no disruption (KEP-3017).
func toleratesUnready(budget document.Value) bool {
	if budget.Lookup("spec", "unhealthyPodEvictionPolicy").StringOr("") == "AlwaysAllow" {
		return true
	}
	current, _ := budget.Lookup("status", "currentHealthy").Int()
	desired, _ := budget.Lookup("status", "desiredHealthy").Int()
	return current >= desired && desired > 0
}

// mostDisrupted is the number of evictions that a budget's status may hold.
const mostDisrupted = 2000

// allowsDisruption returns an error if the budget does not allow another disruption.
func allowsDisruption(budget document.Value) *Status {
	name, status := meta(budget, "name"), budget.Get("status")
	number := func(key string) int64 { n, _ := status.Get(key).Int(); return n }
	resource := groupResource{"policy", "poddisruptionbudget"}
	switch allowed := number("disruptionsAllowed"); {
	case number("observedGeneration") < metaInt(budget, "generation"):
		return stillProcessed(name)
	case allowed < 0:
		return refused(resource, name, "pdb disruptions allowed is negative")
	case status.Get("disruptedPods").Len() > mostDisrupted:
		return refused(resource, name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
	case allowed > 0:
		return nil
	}
	condition := findCondition(budget, disruptionAllowed)
	reason, message := condition.Get("reason").StringOr(""), condition.Get("message").StringOr("")
	failed := condition.Get("status").StringOr("") == "False" && message != ""
	current, desired := number("currentHealthy"), number("desiredHealthy")
	why := "The disruption budget " + name
	switch {
	case failed && reason == "SyncFailed":
		why += " does not allow evicting pods currently because it failed sync: " + message
	case current <= desired:
		why += fmt.Sprintf(" needs %d healthy pods and has %d currently", desired, current)
	case failed:
		why += " does not allow evicting pods currently (" + reason + "): " + message
	default:
		why += " does not allow evicting pods currently"
	}
	return overBudget(why, 0)
}

// disruptionAllowed is the condition of a PodDisruptionBudget that is True if it allows a
// disruption.
const disruptionAllowed = "DisruptionAllowed"

// disrupt records a disruption in the status of a budget.
func (c *Cluster) disrupt(ctx context.Context, t *task, budget document.Value) *Status {
	allowed, _ := budget.Lookup("status", "disruptionsAllowed").Int()
	status := document.NewObject().With("disruptionsAllowed", document.NewInt(allowed-1)).
		With("disruptedPods", document.NewObject().With(t.Name, document.NewString(formatTime(t.now))))
	if allowed == 1 {
		status = status.With("conditions", exhausted(budget, formatTime(t.now)))
	}
	body := document.NewObject().With("metadata", document.NewObject().With("resourceVersion", budget.Lookup("metadata", "resourceVersion"))).With("status", status)
	_, st := c.do(ctx, &Request{
		Verb: Patch, Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Namespace: t.Namespace, Name: meta(budget, "name"), Subresource: subStatus,
		Format: MergePatch, Body: body.JSON(), Options: Options{FieldManager: "kube-apiserver"},
	})
	return st
}

// exhausted returns the conditions of a budget that allows no further disruption.
func exhausted(budget document.Value, now string) document.Value {
	text := document.NewString
	next := document.NewObject().With("type", text(disruptionAllowed)).With("status", text("False")).
		With("reason", text("InsufficientPods")).With("message", text(""))
	if observed := budget.Lookup("status", "observedGeneration"); observed.Exists() {
		next = next.With("observedGeneration", observed)
	}
	return setCondition(budget, next, now).Lookup("status", "conditions")
}

func stillProcessed(budget string) *Status {
	return overBudget("The disruption budget "+budget+" is still being processed by the server.", 10)
}

func overBudget(why string, seconds int) *Status {
	return &Status{
		Code: 429, Reason: "TooManyRequests", Message: "Cannot evict pod as it would violate the pod's disruption budget.",
		Details: &StatusDetails{RetryAfterSeconds: seconds, Causes: []Cause{{Type: "DisruptionBudget", Message: why}}},
	}
}
