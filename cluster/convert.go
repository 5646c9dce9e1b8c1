package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Built-in kinds that the API server serves in several versions differ in more
// than their apiVersion only here: HorizontalPodAutoscalers of autoscaling/v1 and
// v2. (Events of v1 and events.k8s.io/v1 are of different groups and are not
// shown in each other's place.)

// convertBuiltin returns a built-in object in another version of its kind; the
// apiVersion has been set already.
func convertBuiltin(object document.Value, to *schema.Kind) document.Value {
	if to.Group != "autoscaling" || to.Kind != "HorizontalPodAutoscaler" {
		return object
	}
	if to.Version == "v1" {
		object = autoscalerV1(object)
	} else {
		object = autoscalerV2(object)
	}
	if out, _, err := defaults.Decode(to, object, defaults.FromTree); err == nil {
		return out
	}
	return object
}

// autoscalerV1 turns the metric of the processors' utilization into the one
// number that autoscaling/v1 has for it.
func autoscalerV1(object document.Value) document.Value {
	spec, status := object.Get("spec"), object.Get("status")
	if n := cpuUtilization(spec.Get("metrics"), "target"); n.Exists() {
		spec = spec.With("targetCPUUtilizationPercentage", n)
	}
	if n := cpuUtilization(status.Get("currentMetrics"), "current"); n.Exists() {
		status = status.With("currentCPUUtilizationPercentage", n)
	}
	if status.Kind() == document.Object {
		object = object.With("status", status)
	}
	return object.With("spec", spec)
}

// cpuUtilization finds the average utilization of the processors among metrics.
func cpuUtilization(metrics document.Value, part string) document.Value {
	if metrics.Kind() != document.List {
		return document.Value{}
	}
	for _, m := range metrics.Items() {
		r := m.Get("resource")
		if m.Get("type").StringOr("") == "Resource" && r.Get("name").StringOr("") == "cpu" {
			if n := r.Lookup(part, "averageUtilization"); n.Exists() {
				return n
			}
		}
	}
	return document.Value{}
}

// autoscalerV2 is the way back.
func autoscalerV2(object document.Value) document.Value {
	spec, status := object.Get("spec"), object.Get("status")
	if n := spec.Get("targetCPUUtilizationPercentage"); n.Exists() {
		target := document.NewObject().With("averageUtilization", n).With("type", document.NewString("Utilization"))
		spec = spec.Without("targetCPUUtilizationPercentage").With("metrics", document.NewList(cpuMetric("target", target)))
	}
	if n := status.Get("currentCPUUtilizationPercentage"); n.Exists() {
		current := document.NewObject().With("averageUtilization", n)
		status = status.Without("currentCPUUtilizationPercentage").With("currentMetrics", document.NewList(cpuMetric("current", current)))
	}
	if status.Kind() == document.Object {
		object = object.With("status", status)
	}
	return object.With("spec", spec)
}

func cpuMetric(part string, value document.Value) document.Value {
	resource := document.NewObject().With("name", document.NewString("cpu")).With(part, value)
	return document.NewObject().With("resource", resource).With("type", document.NewString("Resource"))
}
