package kinds

import "github.com/patchlab-dev/patchlab/document"

// replicaSetStrategy is the strategy of apps/v1 ReplicaSet.
var replicaSetStrategy = Strategy{
	Group:         "apps",
	Resource:      "replicasets",
	Name:          subdomainName,
	validatedOnce: "1.34",
	Generation:    []string{"spec"},
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
	ZeroNumbers:   []string{"spec.replicas"},
}

func validateReplicaSet(c *check, object, old field) {
	spec := object.get("spec")
	c.minimum(spec.get("replicas"), 0)
	c.minimum(spec.get("minReadySeconds"), 0)
	c.selectedTemplate(spec)
	if old.isSet() {
		c.immutable(spec.get("selector"), old.get("spec.selector"))
	}
}

// selectedTemplate requires a selector that is not empty, and a pod template that it matches
// and whose restartPolicy is Always.
func (c *check) selectedTemplate(spec field) {
	selector := spec.get("selector")
	c.needSelector(selector, "deployment") // also for ReplicaSets
	if !isSelector(selector.Value) {
		c.invalid(selector, "invalid label selector")
		return
	}
	template := spec.get("template")
	c.selects(selector, template)
	c.podTemplate(template)
	c.runsForEver(template, "ReplicaSet") // also for Deployments
}

// needSelector requires a label selector that selects something; owner is the kind in messages.
func (c *check) needSelector(selector field, owner string) {
	if !selector.isSet() {
		c.required(selector, "")
		return
	}
	c.labelSelector(selector)
	if selector.get("matchLabels").members()+selector.get("matchExpressions").items() == 0 {
		c.invalid(selector, "empty selector is invalid for "+owner)
	}
}

// selects requires that the labels of a template match the selector.
func (c *check) selects(selector, template field) {
	if labels := template.get("metadata.labels"); !Selects(selector.Value, labels.Value) {
		c.invalid(labels, "`selector` does not match template `labels`")
	}
}

// runsForEver requires restartPolicy Always, and no activeDeadlineSeconds, in the template of a
// kind.
func (c *check) runsForEver(template field, owner string) {
	c.oneOf(template.get("spec.restartPolicy"), "Always")
	if deadline := template.get("spec.activeDeadlineSeconds"); deadline.isSet() {
		c.forbidden(deadline, "activeDeadlineSeconds in "+owner+" is not Supported")
	}
}

func validateReplicaSetStatus(c *check, object, old field) {
	status := object.get("status")
	c.counts(status, "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration", "terminatingReplicas")
	c.atMost(status, "replicas", aboveReplicas, "fullyLabeledReplicas", "readyReplicas", "availableReplicas")
	c.atMost(status, "readyReplicas", aboveReadyReplicas, "availableReplicas")
}

// counts requires non-negative numbers.
func (c *check) counts(f field, names ...string) {
	for _, name := range names {
		c.minimum(f.get(name), 0)
	}
}

const (
	aboveReplicas      = "cannot be greater than status.replicas"
	aboveReadyReplicas = "cannot be greater than readyReplicas"
)

// atMost requires numbers that do not exceed the field most.
func (c *check) atMost(f field, most, detail string, names ...string) {
	limit := f.get(most).number()
	for _, name := range names {
		if n := f.get(name); n.number() > limit {
			c.invalidValue(n, document.NewInt(n.number()), detail)
		}
	}
}

// notDecremented refuses a number that is smaller than the old one.
func (c *check) notDecremented(n, old field) {
	if old.isSet() && (!n.isSet() || n.number() < old.number()) {
		c.invalidValue(n, document.NewInt(n.number()), "cannot be decremented")
	}
}
