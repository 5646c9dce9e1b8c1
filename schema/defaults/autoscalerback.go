package defaults

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
)

// AutoscalerFromV1 converts a HorizontalPodAutoscaler from autoscaling/v1 to autoscaling/v2. Conversion
// annotations without valid JSON are dropped like the others.
func AutoscalerFromV1(v document.Value) document.Value {
	annotation := func(key string) document.Value {
		text, _ := v.Lookup("metadata", "annotations", annotated+key).Text()
		d, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesLast})
		if err != nil {
			return document.Value{}
		}
		return d.Root
	}
	metrics, current, behavior, conditions := annotation("metrics"), annotation("current-metrics"), annotation("behavior"), annotation("conditions")

	var wanted document.ListBuilder
	for _, m := range metrics.Items() {
		wanted.Append(metricFrom1(m, func(f metricForm) []metricField { return f.spec }, "target"))
	}
	if n := v.Lookup("spec", "targetCPUUtilizationPercentage"); n.Exists() {
		wanted.Append(utilization(n))
	}
	v = v.Remove("spec", "targetCPUUtilizationPercentage")
	if wanted.Len() == 0 { // the API server sets this default in the conversion
		const defaultUtilization = 80
		wanted.Append(utilization(document.NewInt(defaultUtilization)))
	}
	v = v.Set(wanted.List(), "spec", "metrics")
	var shown document.ListBuilder
	for _, m := range current.Items() {
		shown.Append(metricFrom1(m, func(f metricForm) []metricField { return f.status }, ""))
	}
	if n := v.Lookup("status", "currentCPUUtilizationPercentage"); n.Exists() && current.Kind() != document.List {
		shown.Append(cpuMetric("current", document.NewObject().With("averageUtilization", n)))
	}
	v = v.Remove("status", "currentCPUUtilizationPercentage")
	if shown.Len() > 0 {
		v = v.Set(shown.List(), "status", "currentMetrics")
	}
	if b := behaviorFrom1(behavior); b.Len() > 0 {
		v = v.Set(b, "spec", "behavior")
	}
	if conditions.Len() > 0 && conditions.Kind() == document.List {
		v = v.Set(conditions, "status", "conditions")
	}
	return withoutRoundTrip(v)
}

// utilization returns the metric of a target for the utilization of the CPU.
func utilization(percentage document.Value) document.Value {
	return cpuMetric("target", document.NewObject().With("averageUtilization", percentage).With("type", document.NewString("Utilization")))
}

func cpuMetric(part string, value document.Value) document.Value {
	resource := document.NewObject().With("name", document.NewString("cpu")).With(part, value)
	return document.NewObject().With("resource", resource).With("type", document.NewString("Resource"))
}

// metricFrom1 converts a metric from autoscaling/v1. If the metric has a target, part is
// its field, and the target type follows from the values.
func metricFrom1(m document.Value, fields func(metricForm) []metricField, part string) document.Value {
	out := document.NewObject().With("type", m.Get("type"))
	for _, form := range metricForms {
		source := m.Get(form.key)
		if !source.Exists() || source.IsNull() {
			continue
		}
		to := document.NewObject()
		for _, f := range fields(form) {
			value := source.Get(f.name)
			if value.Exists() && !value.IsNull() {
				to = to.Set(value, f.keys()...)
			}
		}
		if part != "" {
			to = to.With(part, targetType(form.key, to.Get(part)))
		}
		out = out.With(form.key, to)
	}
	return out
}

func targetType(key string, target document.Value) document.Value {
	name := "AverageValue"
	switch key {
	case "resource", "containerResource":
		if target.Get("averageUtilization").Exists() {
			name = "Utilization"
		}
	case "object":
		if !target.Get("averageValue").Exists() {
			name = "Value"
		} else if isZeroAmount(target.Get("value")) {
			target = target.Without("value")
		}
	case "external":
		if target.Get("value").Exists() {
			name = "Value"
		}
	}
	return target.With("type", document.NewString(name))
}

func isZeroAmount(v document.Value) bool {
	text, _ := v.Text()
	q, err := quantity.Parse(strings.TrimSpace(text))
	return err == nil && q.IsZero()
}

// behaviorFrom1 decodes the behavior, which is encoded with Go field names.
func behaviorFrom1(v document.Value) document.Value {
	out := document.NewObject()
	for key, rules := range v.Members() {
		if rules.Kind() == document.Object {
			out = out.With(lowerFirst(key), lowerKeys(rules))
		}
	}
	return out
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// lowerKeys makes the first letter of keys lower case and removes null members.
func lowerKeys(v document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		out := document.NewObject()
		for key, w := range v.Members() {
			if !w.IsNull() {
				out = out.With(lowerFirst(key), lowerKeys(w))
			}
		}
		return out
	case document.List:
		var b document.ListBuilder
		for _, w := range v.Items() {
			b.Append(lowerKeys(w))
		}
		return b.List()
	}
	return v
}
