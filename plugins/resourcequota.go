package plugins

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/internal/engine/quota"
)

// maxQuotaTries is how often a quota is read again if its status was written meanwhile.
const maxQuotaTries = 4

// chargeQuotas refuses a write that exceeds a ResourceQuota of its namespace, and adds what it uses to
// the status of the quotas.
func chargeQuotas(c *call) *cluster.Status {
	resource, counted := quota.Of(c.Resource)
	if !counted || c.Namespace == "" || !c.consumes() {
		return nil
	}
	quotas, st := c.list("", "resourcequotas", c.Namespace)
	if st != nil || len(quotas) == 0 {
		return st
	}
	// Two writes must not both use what is left.
	lock, _ := c.charging.LoadOrStore(c.Namespace, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if quotas, st = c.list("", "resourcequotas", c.Namespace); st != nil {
		return st
	}
	for try := 1; len(quotas) > 0; try++ {
		charged, st := c.charge(resource, quotas)
		if st != nil || c.DryRun {
			return st
		}
		var conflicted []string
		for _, q := range charged {
			switch st := c.putStatus(q); {
			case st == nil, st.Code == 404: // it was deleted
			case st.Code == 409 && try < maxQuotaTries:
				conflicted = append(conflicted, nameOf(q))
			default:
				return st
			}
		}
		if len(conflicted) == 0 {
			return nil
		}
		if quotas, st = c.list("", "resourcequotas", c.Namespace); st != nil {
			return st
		}
		quotas = slices.DeleteFunc(quotas, func(q document.Value) bool { return !slices.Contains(conflicted, nameOf(q)) })
	}
	return nil
}

func nameOf(object document.Value) string { return object.Lookup("metadata", "name").StringOr("") }

// consumes reports whether a write can change what is used of quotas. An update does for claims,
// Services and resized pods, and for a pod that another scope selects afterwards.
func (c *call) consumes() bool {
	builtin := c.Resource.Builtin && c.Resource.Group == ""
	if c.Operation == cluster.OperationCreate {
		return c.Request.Subresource == ""
	}
	switch sub := c.Request.Subresource; c.Resource.Resource {
	case "pods":
		return builtin && (sub == "resize" || sub == "" && quota.Terminating(c.Object) != quota.Terminating(c.Old))
	case "persistentvolumeclaims":
		return builtin && (sub == "" || sub == "status")
	case "services":
		return builtin && sub == ""
	case "resourceclaims":
		return c.Resource.Builtin && sub == ""
	}
	return false
}

// charge returns the quotas of which a write uses more, with what is used after it. It refuses the
// write if it exceeds one, or if it is not known how much of one is used.
func (c *call) charge(resource quota.Resource, quotas []document.Value) ([]document.Value, *cluster.Status) {
	now := c.now()
	var selecting []document.Value
	for _, q := range quotas {
		hard, used := podresources.Read(q.Lookup("status", "hard")), podresources.Read(q.Lookup("status", "used"))
		limited := resource.Names(hard)
		if len(limited) == 0 || !resource.Selects(q.Get("spec"), c.Object) {
			continue
		}
		if c.Resource.Builtin && c.Resource.Group == "" && c.Resource.Resource == "pods" {
			if missing := quota.Unspecified(c.Object, limited); missing != "" {
				return nil, c.Forbid("failed quota: " + nameOf(q) + ": " + missing)
			}
		}
		if slices.ContainsFunc(limited, func(name string) bool { _, counted := used[name]; return !counted }) {
			return nil, c.Forbid("status unknown for quota: " + nameOf(q) + ", resources: " + strings.Join(limited, ","))
		}
		selecting = append(selecting, q)
	}
	var changed []document.Value
	uses := resource.Usage(c.Object, now)
	for _, q := range selecting {
		more := uses
		if c.Old.Exists() && resource.Selects(q.Get("spec"), c.Old) {
			more = increase(uses, resource.Usage(c.Old, now))
		}
		hard, used := podresources.Read(q.Lookup("status", "hard")), podresources.Read(q.Lookup("status", "used"))
		requested := quota.Amounts{}
		for name, amount := range more {
			if _, limited := hard[name]; limited && !amount.IsZero() {
				requested[name] = amount
			}
		}
		if len(requested) == 0 {
			continue
		}
		var exceeded []string
		after := maps.Clone(used)
		after.Add(requested)
		for _, name := range slices.Sorted(maps.Keys(requested)) {
			if after[name].Cmp(hard[name]) > 0 {
				exceeded = append(exceeded, name)
			}
		}
		if len(exceeded) > 0 && c.Request.Subresource != "status" {
			return nil, c.Forbid("exceeded quota: " + nameOf(q) + ", requested: " + listed(requested, exceeded) +
				", used: " + listed(used, exceeded) + ", limited: " + listed(hard, exceeded))
		}
		changed = append(changed, q.Set(after.Value(), "status", "used"))
	}
	return changed, nil
}

// increase returns by how much more is used than before; never less than nothing.
func increase(uses, before quota.Amounts) quota.Amounts {
	more := quota.Amounts{}
	for name, amount := range uses {
		if had, ok := before[name]; ok {
			amount = amount.Sub(had)
		}
		if amount.Cmp(quantity.Quantity{}) > 0 {
			more[name] = amount
		}
	}
	return more
}

// listed returns amounts as messages show them.
func listed(amounts quota.Amounts, names []string) string {
	var texts []string
	for _, name := range names {
		if amount, ok := amounts[name]; ok {
			texts = append(texts, name+"="+amount.String())
		}
	}
	return strings.Join(texts, ",")
}

// putStatus writes the status of a quota.
func (c *call) putStatus(q document.Value) *cluster.Status {
	_, err := c.cluster.Do(c.ctx, &cluster.Request{
		Verb: cluster.Update, Version: "v1", Resource: "resourcequotas", Subresource: "status",
		Namespace: c.Namespace, Name: nameOf(q), Body: q.JSON(), UserAgent: "kube-apiserver",
	})
	var st *cluster.Status
	if errors.As(err, &st) {
		return st
	}
	return nil
}
