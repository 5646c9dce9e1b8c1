package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// horizontalPodAutoscalerStrategy is the strategy of autoscaling/v1 HorizontalPodAutoscaler.
var horizontalPodAutoscalerStrategy = Strategy{
	Group:          "autoscaling",
	Resource:       "horizontalpodautoscalers",
	Name:           subdomainName,
	Reset:          []string{"status"},
	ResetStatus:    []string{"spec"},
	StorageVersion: "autoscaling/v2",
	internal:       internalAutoscaler,
	since:          "1.37", // the feature HPAGeneration
	later:          func(s *Strategy) { s.Generation = []string{"spec"} },
}

// internalAutoscaler converts an autoscaling/v1 object, which has one metric and keeps the
// others in annotations, to autoscaling/v2.
func internalAutoscaler(k *schema.Kind, object document.Value) document.Value {
	if k.Version != "v1" || !object.Exists() {
		return object
	}
	return defaults.AutoscalerFromV1(object)
}

const (
	maxStabilization = 3600 // seconds
	maxPeriod        = 1800
)

// validateAutoscaler validates an autoscaling/v2 object, to which the other versions are
// converted.
func validateAutoscaler(c *check, object, old field) {
	spec := object.get("spec")
	least, most := spec.get("minReplicas"), spec.get("maxReplicas")
	lowest := int64(1)
	if was := old.get("spec.minReplicas"); was.isSet() && was.number() == 0 || c.kind.Since("1.37") {
		lowest = 0 // the HPAScaleToZero feature is enabled, or was
	}
	c.minimum(least, lowest)
	switch n := most.number(); {
	case n == 0 && c.kind.Since("1.36"):
		c.required(most, c.undeclared("must be set and greater than 0"))
	case n < 0 && c.kind.Since("1.36"):
		c.invalid(most, "must be greater than or equal to 1")
	case n <= 0:
		c.invalid(most, "must be greater than 0")
	}
	if least.isSet() && most.number() < least.number() {
		c.invalid(most, "must be greater than or equal to `minReplicas`")
	}
	c.scaleTarget(spec.get("scaleTargetRef"), old.get("spec.scaleTargetRef"))
	c.metrics(spec, old)
	for _, name := range [...]string{"behavior.scaleUp", "behavior.scaleDown"} {
		c.scalingRules(spec.get(name))
	}
}

// scaleTarget requires a reference to an object; from Kubernetes 1.34 on, a new one has an API group
// unless it is a ReplicationController.
func (c *check) scaleTarget(ref, old field) {
	c.reference(ref)
	version, kind := ref.get("apiVersion"), ref.get("kind").text()
	if !c.kind.Since("1.34") || old.isSet() && old.get("apiVersion").text() == version.text() && old.get("kind").text() == kind {
		return
	}
	group, _, ok := schema.SplitAPIVersion(version.text())
	if !ok {
		c.invalid(version, "unexpected GroupVersion string: "+version.text())
	} else if group == "" && kind != "ReplicationController" {
		c.invalid(version, "apiVersion must specify API group")
	}
}

// reference requires the kind and the name of an object.
func (c *check) reference(ref field) {
	c.needSyntax(ref.get("kind"), names.PathSegment)
	c.needSyntax(ref.get("name"), names.PathSegment)
}

func (c *check) metrics(spec, old field) {
	list := spec.get("metrics")
	outside := false
	for i := range list.items() {
		metric := list.item(i)
		c.metric(metric, !c.kind.Since("1.34") || hasWrongObject(old.get("spec.metrics").Value))
		outside = outside || among(metric.get("type").text(), "Object,External")
	}
	if least := spec.get("minReplicas"); least.isSet() && least.number() == 0 && !outside {
		c.forbidden(list, "must specify at least one Object or External metric to support scaling to zero replicas")
	}
}

// hasWrongObject reports whether a metric describes an object with a malformed apiVersion.
func hasWrongObject(metrics document.Value) bool {
	for _, m := range metrics.Items() {
		if _, _, ok := schema.SplitAPIVersion(m.Lookup("object", "describedObject", "apiVersion").StringOr("")); !ok {
			return true
		}
	}
	return false
}

const metricTypes = "ContainerResource,External,Object,Pods,Resource"

// metricSource returns the name of the source field for a type of metric.
func metricSource(kind string) string {
	if !among(kind, metricTypes) {
		return ""
	}
	return strings.ToLower(kind[:1]) + kind[1:]
}

func (c *check) metric(metric field, anyVersion bool) {
	kind := metric.get("type")
	c.needWith(kind, "must specify a metric source type")
	c.oneOf(kind, metricTypes)
	expected := metricSource(kind.text())
	found := 0
	for _, name := range [...]string{"object", "external", "pods", "resource", "containerResource"} {
		source := metric.get(name)
		if !source.isSet() {
			if name == expected {
				c.required(source, "must populate information for the given metric source")
			}
			continue
		}
		if found++; found == 1 {
			c.source(name, source, anyVersion)
		}
	}
	if expected == "" {
		c.oneOf(kind, metricTypes) // kube-apiserver checks the type before and after the sources
	}
	if found == 1 {
		return
	}
	for _, name := range [...]string{"object", "external", "pods", "resource", "containerResource"} {
		if source := metric.get(name); source.isSet() && name != expected {
			c.forbidden(source, "must populate the given metric source only")
		}
	}
}

// source validates the source of a metric: first what is measured, then its target.
func (c *check) source(kind string, source field, anyVersion bool) {
	target := source.get("target")
	value, average, utilization := target.get("value"), target.get("averageValue"), target.get("averageUtilization")
	c.measured(kind, source, anyVersion)
	c.metricTarget(target)
	switch kind {
	case "object":
		if !value.isSet() && !average.isSet() {
			c.required(average, "must set either a target value or averageValue")
		}
	case "external":
		if !value.isSet() && !average.isSet() {
			c.required(average, "must set either a target value for metric or a per-pod target")
		}
		if value.isSet() && average.isSet() {
			c.forbidden(value, "may not set both a target value for metric and a per-pod target")
		}
	case "pods":
		if !average.isSet() {
			c.required(average, "must specify a positive target averageValue")
		}
	case "resource", "containerResource":
		if !utilization.isSet() && !average.isSet() {
			c.required(utilization, "must set either a target raw value or a target utilization")
		}
		if utilization.isSet() && average.isSet() {
			c.forbidden(average, "may not set both a target raw value and a target utilization")
		}
	}
}

// measured validates the object, metric, resource and container of a source.
func (c *check) measured(kind string, source field, anyVersion bool) {
	switch kind {
	case "resource":
		c.needWith(source.get("name"), "must specify a resource name")
		return
	case "containerResource":
		if name := source.get("name"); c.needWith(name, "must specify a resource name") {
			c.containerResource(name, name.text())
		}
		if container := source.get("container"); c.needWith(container, "must specify a container") {
			c.syntax(container, names.DNSLabel)
		}
		return
	case "object":
		object := source.get("describedObject")
		c.reference(object)
		if _, _, ok := schema.SplitAPIVersion(object.get("apiVersion").text()); !ok && !anyVersion {
			c.invalid(object.get("apiVersion"), "unexpected GroupVersion string: "+object.get("apiVersion").text())
		}
	}
	if name := source.get("metric.name"); c.needWith(name, "must specify a metric name") {
		c.syntax(name, names.PathSegment)
	}
}

func (c *check) metricTarget(target field) {
	kind := target.get("type")
	c.needWith(kind, "must specify a metric target type")
	if !among(kind.text(), "Utilization,Value,AverageValue") {
		c.invalid(kind, "must be either Utilization, Value, or AverageValue")
	}
	const positive = "must be positive"
	c.positive(target.get("value"), positive)
	c.positive(target.get("averageValue"), positive)
	if n := target.get("averageUtilization"); n.isSet() && n.number() < 1 {
		c.invalid(n, "must be greater than 0")
	}
}

func (c *check) scalingRules(rules field) {
	if !rules.isSet() {
		return
	}
	window := rules.get("stabilizationWindowSeconds")
	c.natural(window, zeroOrMore)
	if window.number() > maxStabilization {
		c.invalid(window, "must be less than or equal to "+strconv.Itoa(maxStabilization))
	}
	c.oneOfIfSet(rules.get("selectPolicy"), "Disabled,Max,Min")
	policies := rules.get("policies")
	if policies.items() == 0 {
		c.required(policies, "must specify at least one Policy")
	}
	for i := range policies.items() {
		policy := policies.item(i)
		c.oneOf(policy.get("type"), "Percent,Pods")
		if value := policy.get("value"); value.number() <= 0 {
			c.invalid(value, "must be greater than zero")
		}
		switch period := policy.get("periodSeconds"); {
		case period.number() > maxPeriod:
			c.invalid(period, "must be less than or equal to 1800")
		case period.number() <= 0:
			c.invalid(period, "must be greater than zero")
		}
	}
	c.notNegative(rules.get("tolerance"))
}

func validateAutoscalerStatus(c *check, object, _ field) {
	status := object.get("status")
	c.counts(status, "currentReplicas", "desiredReplicas")
	conditions := status.get("conditions")
	for i := range conditions.items() {
		c.natural(conditions.item(i).get("observedGeneration"), zeroOrMore)
	}
}
