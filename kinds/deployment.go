package kinds

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
)

// deploymentStrategy is the strategy of apps/v1 Deployment.
var deploymentStrategy = Strategy{
	Group:       "apps",
	Resource:    "deployments",
	Name:        subdomainName,
	Generation:  []string{"spec", "metadata.annotations"},
	Reset:       []string{"status"},
	ResetStatus: []string{"spec", "metadata.labels"},
	ZeroNumbers: []string{"spec.replicas"},
}

func validateDeployment(c *check, object, old field) {
	spec := object.get("spec")
	c.minimum(spec.get("replicas"), 0)
	c.selectedTemplate(spec)
	c.deploymentStrategy(spec.get("strategy"))
	c.counts(spec, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
	if deadline := spec.get("progressDeadlineSeconds"); deadline.isSet() && deadline.number() <= spec.get("minReadySeconds").number() {
		c.invalid(deadline, "must be greater than minReadySeconds")
	}
	c.rollback(object)
	if old.isSet() {
		c.immutable(spec.get("selector"), old.get("spec.selector"))
	}
}

// rollback validates the annotation that was the field rollbackTo in early versions, and that
// the conversion between versions reads as one.
func (c *check) rollback(object field) {
	revision, err := strconv.ParseInt(object.get("metadata.annotations").key("deprecated.deployment.rollback.to").text(), 10, 64)
	if err == nil && revision < 0 {
		c.invalidValue(object.getAs("spec", "spec.rollback.version"), document.NewInt(revision), zeroAtLeast)
	}
}

func (c *check) deploymentStrategy(strategy field) {
	rolling := strategy.get("rollingUpdate")
	switch kind := strategy.get("type"); kind.text() {
	case "Recreate":
		if rolling.isSet() {
			c.forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'")
		}
	case "RollingUpdate":
		if !rolling.isSet() {
			c.required(rolling, "")
			return
		}
		unavailable, surge := rolling.get("maxUnavailable"), rolling.get("maxSurge")
		c.numberOrPercent(unavailable)
		c.numberOrPercent(surge)
		if isNone(unavailable) && isNone(surge) {
			c.invalid(unavailable, "may not be 0 when `maxSurge` is 0")
		}
		c.atMost100Percent(unavailable)
	default:
		c.notSupported(strategy, "Recreate,RollingUpdate")
	}
}

// isNone reports whether a number or percentage is 0. A malformed value counts as 0.
func isNone(f field) bool {
	if n, ok := percent(f.text()); ok {
		return n == 0
	}
	if f.text() != "" {
		n, _ := strconv.Atoi(f.text())
		return n == 0
	}
	return f.number() == 0
}

func validateDeploymentStatus(c *check, object, old field) {
	status := object.get("status")
	c.counts(status, "observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount")
	c.atMost(status, "replicas", aboveReplicas, "updatedReplicas", "readyReplicas", "availableReplicas")
	c.atMost(status, "readyReplicas", aboveReadyReplicas, "availableReplicas")
	c.notDecremented(status.get("collisionCount"), old.get("status.collisionCount"))
}

// warnDeployment warns about a Deployment or ReplicaSet.
func warnDeployment(a *advice, object, old field) {
	a.podNames(object, old, podsAndHosts)
	a.template(object, old, "spec.template")
}
