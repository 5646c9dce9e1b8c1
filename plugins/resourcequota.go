package plugins

import (
	"errors"
	"maps"
	"slices"
	"strings"

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
	if !counted || c.Namespace == "" || !resource.Charged(c.Request.Subresource, c.Object, c.Old) {
		return nil
	}
	quotas, st := c.list("", "resourcequotas", c.Namespace)
	if st != nil || len(quotas) == 0 {
		return st
	}
	// Two writes must not both use what is left.
	defer c.charging.lock(c.Namespace)()
	var left []string // the quotas whose status was written meanwhile
	for try := 1; try == 1 || len(left) > 0; try++ {
		if quotas, st = c.list("", "resourcequotas", c.Namespace); st != nil {
			return st
		}
		if try > 1 {
			quotas = slices.DeleteFunc(quotas, func(q document.Value) bool { return !slices.Contains(left, nameOf(q)) })
		}
		charged, st := c.charge(resource, quotas)
		if st != nil || c.DryRun {
			return st
		}
		left = nil
		for _, q := range charged {
			switch st := c.putStatus(q); {
			case st == nil, st.Code == 404: // it was deleted
			case st.Code == 409 && try < maxQuotaTries:
				left = append(left, nameOf(q))
			default:
				return st
			}
		}
	}
	return nil
}

func nameOf(object document.Value) string { return object.Lookup("metadata", "name").StringOr("") }

// state is a quota that limits a write, with the hard limits and the used amounts of its status.
type state struct {
	object     document.Value
	hard, used quota.Amounts
}

// charge returns the quotas of which a write uses more, with what is used after it. It refuses the
// write if it exceeds one, or if it is not known how much of one is used.
func (c *call) charge(resource quota.Resource, quotas []document.Value) ([]document.Value, *cluster.Status) {
	var states []state
	for _, q := range quotas {
		status := q.Get("status")
		s := state{q, podresources.Read(status.Get("hard")), podresources.Read(status.Get("used"))}
		limited := resource.Names(s.hard)
		if len(limited) == 0 || !resource.Selects(q.Get("spec"), c.Object) {
			continue
		}
		if missing := resource.Unspecified(c.Object, limited); missing != "" {
			return nil, c.Forbid("failed quota: " + nameOf(q) + ": " + missing)
		}
		if slices.ContainsFunc(limited, func(name string) bool { _, counted := s.used[name]; return !counted }) {
			return nil, c.Forbid("status unknown for quota: " + nameOf(q) + ", resources: " + strings.Join(limited, ","))
		}
		states = append(states, s)
	}
	if len(states) == 0 {
		return nil, nil
	}
	uses := resource.Usage(c.Object, c.now())
	more := uses
	if c.Old.Exists() {
		more = increase(uses, resource.Usage(c.Old, c.now()))
	}
	var changed []document.Value
	for _, s := range states {
		requested := more
		if c.Old.Exists() && !resource.Selects(s.object.Get("spec"), c.Old) {
			requested = uses // all of it is new to this quota
		}
		after, st := c.chargeOne(s, requested)
		if st != nil {
			return nil, st
		}
		if !after.Equal(s.used) {
			changed = append(changed, s.object.Set(after.Value(), "status", "used"))
		}
	}
	return changed, nil
}

// chargeOne returns what is used of a quota after a write, or refuses it.
func (c *call) chargeOne(s state, requested quota.Amounts) (quota.Amounts, *cluster.Status) {
	after := maps.Clone(s.used)
	var exceeded []string
	for _, name := range slices.Sorted(maps.Keys(requested)) {
		hard, limited := s.hard[name]
		if !limited || requested[name].IsZero() {
			continue
		}
		after.Add(quota.Amounts{name: requested[name]})
		if after[name].Cmp(hard) > 0 {
			exceeded = append(exceeded, name)
		}
	}
	if len(exceeded) > 0 && c.Request.Subresource != "status" {
		return nil, c.Forbid("exceeded quota: " + nameOf(s.object) + ", requested: " + listed(requested, exceeded) +
			", used: " + listed(s.used, exceeded) + ", limited: " + listed(s.hard, exceeded))
	}
	return after, nil
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
	r := &cluster.Request{
		Verb: cluster.Update, Version: "v1", Resource: "resourcequotas", Subresource: "status",
		Namespace: c.Namespace, Name: nameOf(q), Body: q.JSON(),
	}
	_, err := c.cluster.Do(c.ctx, r.AsServer())
	var st *cluster.Status
	if errors.As(err, &st) {
		return st
	}
	return nil
}
