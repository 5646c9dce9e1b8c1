package controllers

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/quota"
	"github.com/patchlab-dev/patchlab/schema"
)

// changesUsage reports whether the quotas of a namespace have to be counted again: a quota has new
// limits, or an object was deleted, uses another amount than before, or is in another scope. New
// objects are counted when they are admitted: counting them here could miss one that is admitted
// but not stored yet.
func (r *runner) changesUsage(change cluster.Change) bool {
	if isQuota(change.Kind) && change.Object.Exists() &&
		!document.Identical(change.Object.Lookup("spec", "hard"), change.Previous.Lookup("spec", "hard")) {
		return true
	}
	if r.graph.quotas[namespaceOf(change)] == nil {
		return false
	}
	resource, counted := quota.Of(change.Kind)
	switch {
	case !counted:
		return false
	case !change.Object.Exists():
		return true
	case !change.Previous.Exists() || resource.Alike():
		return false
	}
	before, after := resource.Usage(change.Previous, never), resource.Usage(change.Object, never)
	return !before.Equal(after) || resource.Rescoped(change.Object, change.Previous)
}

// never is the time at which usage is computed: pods that stay longer than their grace period count
// until they are gone, because the controllers have no clock.
var never time.Time

// namespaceOf returns the namespace of a changed object.
func namespaceOf(change cluster.Change) string {
	object := change.Object
	if !object.Exists() {
		object = change.Previous
	}
	return object.Lookup("metadata", "namespace").StringOr("")
}

// countUsage sets the status of each quota of a namespace
// (k8s.io/kubernetes/pkg/controller/resourcequota).
func (r *runner) countUsage(ctx context.Context, namespace string) error {
	var failed error
	for _, n := range inOrder(r.graph.quotas[namespace]) {
		err := r.countQuota(ctx, n)
		if isConflict(err) {
			return err // it is counted again
		}
		if !isNotFound(err) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func (r *runner) countQuota(ctx context.Context, n *node) error {
	live, err := r.live(ctx, n)
	if err != nil {
		return err
	}
	hard := podresources.Read(live.Lookup("spec", "hard"))
	counted, err := r.usage(ctx, n.namespace, live.Get("spec"), hard)
	if err != nil {
		return err
	}
	status := live.Get("status")
	used := podresources.Read(status.Get("used"))
	maps.Copy(used, counted)
	for name := range used {
		if _, limited := hard[name]; !limited {
			delete(used, name)
		}
	}
	if status.Get("hard").Exists() && status.Get("used").Exists() &&
		hard.Equal(podresources.Read(status.Get("hard"))) && used.Equal(podresources.Read(status.Get("used"))) {
		return nil
	}
	request := r.request(n, cluster.Update)
	request.Subresource = "status"
	request.Body = live.With("status", document.NewObject().With("hard", hard.Value()).With("used", used.Value())).JSON()
	_, err = r.cluster.Do(ctx, request)
	return err
}

// usage returns what the objects of a namespace use of the names that a quota limits. A name of no known
// resource is left out.
func (r *runner) usage(ctx context.Context, namespace string, spec document.Value, hard quota.Amounts) (quota.Amounts, error) {
	total := quota.Amounts{}
	seen := map[string]bool{}
	for k := range r.cluster.Kinds().Kinds() {
		resource, counted := quota.Of(k)
		names := resource.Names(hard)
		if !counted || len(names) == 0 || seen[k.Resource+"."+k.Group] {
			continue
		}
		seen[k.Resource+"."+k.Group] = true
		used, err := r.usageOf(ctx, namespace, spec, k, resource)
		if err != nil {
			return nil, err
		}
		limited := quota.Amounts{}
		for _, name := range names {
			limited[name] = used[name] // zero if nothing is used
		}
		total.Add(limited)
	}
	return total, nil
}

// usageOf returns what the objects of one resource use that the scopes of a quota select.
func (r *runner) usageOf(ctx context.Context, namespace string, spec document.Value, k *schema.Kind, resource quota.Resource) (quota.Amounts, error) {
	if resource.Alike() {
		n := 0
		for _, object := range r.graph.content[namespace] {
			if object.kind.Group == k.Group && object.kind.Resource == k.Resource {
				n++
			}
		}
		if !resource.Selects(spec, document.Value{}) {
			n = 0
		}
		return resource.Count(n), nil
	}
	objects, err := r.list(ctx, &cluster.Request{Verb: cluster.List, Group: k.Group, Version: k.Version, Resource: k.Resource,
		Namespace: namespace, UserAgent: agent})
	if err != nil {
		return nil, err
	}
	used := quota.Amounts{}
	for _, object := range objects {
		if resource.Selects(spec, object) {
			used.Add(resource.Usage(object, never))
		}
	}
	return used, nil
}
