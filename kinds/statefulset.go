package kinds

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// statefulSetStrategy is the strategy of apps/v1 StatefulSet.
var statefulSetStrategy = Strategy{
	Group:       "apps",
	Resource:    "statefulsets",
	Name:        labelName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
	ZeroNumbers: []string{"spec.replicas"},
}

func validateStatefulSet(c *check, object, old field) {
	spec := object.get("spec")
	if !old.isSet() {
		c.statefulSetSpec(spec, true)
		return
	}
	from, to := c.statefulSetSpec(spec, false)
	if c.failed(0) && !validStatefulSet(c.kind, old.Value) {
		c.errs = slices.Delete(c.errs, from, to)
	}
	was := old.get("spec")
	if c.kind.Since("1.37") {
		for _, name := range [...]string{"selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"} {
			c.immutable(spec.get(name), was.get(name))
		}
		return
	}
	fixed := spec.Value
	for _, name := range [...]string{"replicas", "template", "updateStrategy", "minReadySeconds", "ordinals", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"} {
		if name != "revisionHistoryLimit" || c.kind.Since("1.33") {
			fixed = fixed.With(name, was.Get(name))
		}
	}
	if !c.sameAs(spec, fixed, was) {
		c.forbidden(spec, "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "+
			"'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden")
		c.nameChanges(spec, fixed, was.Value)
	}
}

// validStatefulSet reports whether the stored spec is valid. If it is not, the pod template of
// its update is not validated.
func validStatefulSet(k *schema.Kind, object document.Value) bool {
	c := newCheck(k, "", object)
	defer c.release()
	c.statefulSetSpec(c.root(object).get("spec"), false)
	return len(c.errs) == 0
}

// statefulSetSpec validates the spec of a StatefulSet; the claim templates and the name of the
// Service only if it is new. The errors that it returns the indices of are those in the pod template,
// without the StatefulSet's own rules for it. Before Kubernetes 1.34, these rules are the only ones
// for the template, and there are none for the claim templates.
func (c *check) statefulSetSpec(spec field, isNew bool) (from, to int) {
	if policy := spec.get("podManagementPolicy"); c.need(policy) && !among(policy.text(), "OrderedReady,Parallel") {
		c.invalid(policy, "must be 'OrderedReady' or 'Parallel'")
	}
	c.statefulSetStrategy(spec.get("updateStrategy"))
	if policy := spec.get("persistentVolumeClaimRetentionPolicy"); policy.isSet() {
		c.oneOf(policy.get("whenDeleted"), "Retain,Delete")
		c.oneOf(policy.get("whenScaled"), "Retain,Delete")
	}
	complete := c.kind.Since("1.34")
	if isNew && complete {
		c.claimTemplates(spec.get("volumeClaimTemplates"))
	}
	c.counts(spec, "replicas", "minReadySeconds", "ordinals.start")
	if isNew {
		c.syntaxIfSet(spec.get("serviceName"), names.DNSLabel)
	}
	selector := spec.get("selector")
	c.needSelector(selector, "statefulset")
	if !isSelector(selector.Value) {
		c.invalid(selector, "")
	} else {
		template := spec.get("template")
		c.selects(selector, template)
		p := c.templateCheck(template)
		p.claims, p.inSet = spec.get("volumeClaimTemplates"), true
		from = len(c.errs)
		if complete {
			p.checkTemplate(template)
		}
		to = len(c.errs)
		p.checkTemplateMetadata() // once more
	}
	c.runsForEver(spec.get("template"), "StatefulSet")
	return from, to
}

func (c *check) statefulSetStrategy(strategy field) {
	rolling := strategy.get("rollingUpdate")
	switch kind := strategy.get("type"); kind.text() {
	case "":
		c.required(strategy, "")
	case "OnDelete":
		if rolling.isSet() {
			c.invalid(rolling, "only allowed for updateStrategy 'RollingUpdate'")
		}
	case "RollingUpdate":
		c.minimum(rolling.get("partition"), 0)
		if unavailable := rolling.get("maxUnavailable"); unavailable.isSet() {
			c.numberOrPercent(unavailable)
			if isNone(unavailable) {
				c.invalid(unavailable, "cannot be 0")
			}
			c.atMost100Percent(unavailable)
		}
	default:
		c.invalid(strategy, "must be 'RollingUpdate' or 'OnDelete'")
	}
}

func (c *check) claimTemplates(list field) {
	for i := range list.items() {
		validateClaimSpec(c, list.item(i).get("spec"), false)
	}
}

func validateStatefulSetStatus(c *check, object, old field) {
	status := object.get("status")
	c.counts(status, "replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", "observedGeneration", "collisionCount")
	c.atMost(status, "replicas", aboveReplicas, "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
	c.atMost(status, "readyReplicas", "cannot be greater than status.readyReplicas", "availableReplicas")
	c.notDecremented(status.get("collisionCount"), old.get("status.collisionCount"))
}

// warnStatefulSet warns about a StatefulSet. The fields of the claims' warnings differ between a
// create and an update, as in kube-apiserver.
func warnStatefulSet(a *advice, object, old field) {
	a.template(object, old, "spec.template")
	spec := object.get("spec")
	claims := spec.get("volumeClaimTemplates")
	shown := ""
	if old.isSet() {
		shown = "Spec"
	}
	for i := range claims.items() {
		a.claim(claims.item(i).getAs("spec", shown))
	}
	if limit := spec.get("revisionHistoryLimit"); limit.number() < 0 {
		a.warn(limit, "a negative value retains all historical revisions; a value >= 0 is recommended")
	}
}
