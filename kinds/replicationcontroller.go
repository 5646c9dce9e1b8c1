package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// replicationControllerStrategy is the strategy of v1 ReplicationController.
var replicationControllerStrategy = Strategy{
	Resource:        "replicationcontrollers",
	Storage:         "controllers",
	Name:            finalSubdomainName,
	formerName:      subdomainName,
	renamed:         "1.35",
	validatedOnce:   "1.35",
	Generation:      []string{"spec"},
	OrphanByDefault: true,
	Reset:           []string{"status"},
	ResetStatus:     []string{"spec"},
	Selectable: []SelectableField{
		{Label: "status.replicas", Missing: "0"},
	},
}

func validateReplicationController(c *check, object, old field) {
	spec := object.get("spec")
	selector, template, replicas := spec.get("selector"), spec.get("template"), spec.get("replicas")
	c.minimum(spec.get("minReadySeconds"), 0)
	c.need(selector)
	c.need(replicas)
	c.minimum(replicas, 0)
	if template.isSet() {
		c.controllerTemplate(selector, template)
	} else {
		c.required(template, "")
	}
	if old.isSet() {
		c.nonConvertible(selector, old)
	}
}

// controllerTemplate validates a template, which the selector must select.
func (c *check) controllerTemplate(selector, template field) {
	labels := template.get("metadata.labels")
	for key, value := range selector.Value.Members() {
		if !document.Equal(labels.Get(key), value) {
			c.invalid(labels, "`selector` does not match template `labels`")
			break
		}
	}
	c.podTemplate(template)
	c.runsForEver(template, "ReplicationController")
}

func (c *check) nonConvertible(selector, old field) {
	annotations := old.get("metadata.annotations")
	for i := range annotations.members() {
		value, key := annotations.memberAt(i)
		prefix, name, _ := strings.Cut(key, "/")
		switch {
		case !strings.HasPrefix(prefix, "non-convertible.kubernetes.io") || name == "" || strings.Contains(name, "/"):
		case !strings.Contains(name, "selector"):
			c.addValue(schema.ErrorNotFound, old.getAs("", name), value.text(), "unknown non-convertible field")
		case !c.same(selector, old.get("spec.selector")):
			c.invalid(selector, "cannot update non-convertible selector")
		}
	}
}

func validateReplicationControllerStatus(c *check, object, _ field) {
	status := object.get("status")
	c.counts(status, "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration")
	c.atMost(status, "replicas", aboveReplicas, "fullyLabeledReplicas", "readyReplicas", "availableReplicas")
	c.atMost(status, "readyReplicas", aboveReadyReplicas, "availableReplicas")
}

// warnReplicationController warns about the pod template. For an update it is the previous one,
// as in kube-apiserver, which exchanges the two (WarningsOnUpdate of rcStrategy).
func warnReplicationController(a *advice, object, old field) {
	a.podNames(object, old, podsAndHosts)
	switch {
	case !old.isSet():
		a.template(object, old, "spec.template")
	case respecified(object, old):
		a.podSpec(old.get("spec.template"), true)
	}
}
