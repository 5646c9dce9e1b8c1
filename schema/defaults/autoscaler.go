package defaults

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// HorizontalPodAutoscalers of autoscaling/v1 have a single CPU utilization target. Metrics,
// behavior and conditions of newer versions are kept as JSON in annotations
// (pkg/apis/autoscaling/v1).

const annotated = "autoscaling.alpha.kubernetes.io/"

var roundTrip = [...]string{
	annotated + "metrics", annotated + "behavior", annotated + "scale-down-tolerance", annotated + "scale-up-tolerance",
	annotated + "current-metrics", annotated + "conditions",
}

// Convert converts an object of a built-in kind to another version of its group: it sets
// apiVersion, converts the fields of a HorizontalPodAutoscaler, and drops fields that the
// version lacks. An Event may be converted to the other of its two groups.
func Convert(v document.Value, to *schema.Kind) document.Value {
	version := to.APIVersion()
	if v.Get("apiVersion").StringOr("") == version {
		return v
	}
	if to.Group == "autoscaling" && to.Kind == "HorizontalPodAutoscaler" {
		const first = "autoscaling/v1"
		if version == first {
			v = autoscalerTo1(v)
		} else if v.Get("apiVersion").StringOr("") == first { // v2beta2, which is no longer served, has the fields of v2
			v = AutoscalerFromV1(v)
		}
	}
	if to.Kind == "Event" && (to.Group == "" || to.Group == eventsGroup) {
		v = eventTo(v, to.Group)
	}
	v = v.With("apiVersion", document.NewString(version))
	if out, _, err := Decode(to, v, FromTree); err == nil {
		return out
	}
	return v
}

func withoutRoundTrip(v document.Value) document.Value {
	all := v.Lookup("metadata", "annotations")
	left := all
	for _, key := range roundTrip {
		left = left.Without(key)
	}
	if left.Len() == all.Len() {
		return v
	}
	return withAnnotations(v, left)
}

// autoscaler1 converts an object of autoscaling/v1 to the newest version and back.
func autoscaler1(v document.Value) document.Value {
	changed := v.Lookup("status", "currentCPUUtilizationPercentage").Exists()
	for _, key := range roundTrip {
		changed = changed || v.Lookup("metadata", "annotations", key).Exists()
	}
	if !changed {
		return v
	}
	next := only1(autoscalerTo1(AutoscalerFromV1(v)))
	if document.Identical(next, v) {
		return v
	}
	return next
}

// only1 removes the fields that autoscaling/v1 lacks.
func only1(v document.Value) document.Value {
	for _, key := range [...]string{"metrics", "behavior"} {
		v = v.Remove("spec", key)
	}
	for _, key := range [...]string{"currentMetrics", "conditions"} {
		v = v.Remove("status", key)
	}
	return v
}

// A metricField maps a metric's field in autoscaling/v1 to its path in v2.
type metricField struct {
	name string
	path [2]string // the first is "" for a path of one name
	zero string    // the value written for a missing field, "" for none
}

func (f metricField) keys() []string {
	if f.path[0] == "" {
		return f.path[1:]
	}
	return f.path[:]
}

// A metricForm describes one metric source in both versions.
type metricForm struct {
	key          string
	spec, status []metricField
}

// metricForms are the metric sources in the order of Go's struct fields.
var metricForms = [...]metricForm{
	{
		key: "object",
		spec: []metricField{
			{"target", [2]string{"", "describedObject"}, `{"kind":"","name":""}`},
			{"metricName", [2]string{"metric", "name"}, `""`},
			{"targetValue", [2]string{"target", "value"}, `"0"`},
			{"selector", [2]string{"metric", "selector"}, ""},
			{"averageValue", [2]string{"target", "averageValue"}, ""},
		},
		status: []metricField{
			{"target", [2]string{"", "describedObject"}, `{"kind":"","name":""}`},
			{"metricName", [2]string{"metric", "name"}, `""`},
			{"currentValue", [2]string{"current", "value"}, `"0"`},
			{"selector", [2]string{"metric", "selector"}, ""},
			{"averageValue", [2]string{"current", "averageValue"}, ""},
		},
	},
	{
		key: "pods",
		spec: []metricField{
			{"metricName", [2]string{"metric", "name"}, `""`},
			{"targetAverageValue", [2]string{"target", "averageValue"}, `"0"`},
			{"selector", [2]string{"metric", "selector"}, ""},
		},
		status: []metricField{
			{"metricName", [2]string{"metric", "name"}, `""`},
			{"currentAverageValue", [2]string{"current", "averageValue"}, `"0"`},
			{"selector", [2]string{"metric", "selector"}, ""},
		},
	},
	{
		key: "resource",
		spec: []metricField{
			{"name", [2]string{"", "name"}, `""`},
			{"targetAverageUtilization", [2]string{"target", "averageUtilization"}, ""},
			{"targetAverageValue", [2]string{"target", "averageValue"}, ""},
		},
		status: []metricField{
			{"name", [2]string{"", "name"}, `""`},
			{"currentAverageUtilization", [2]string{"current", "averageUtilization"}, ""},
			{"currentAverageValue", [2]string{"current", "averageValue"}, `"0"`},
		},
	},
	{
		key: "containerResource",
		spec: []metricField{
			{"name", [2]string{"", "name"}, `""`},
			{"targetAverageUtilization", [2]string{"target", "averageUtilization"}, ""},
			{"targetAverageValue", [2]string{"target", "averageValue"}, ""},
			{"container", [2]string{"", "container"}, `""`},
		},
		status: []metricField{
			{"name", [2]string{"", "name"}, `""`},
			{"currentAverageUtilization", [2]string{"current", "averageUtilization"}, ""},
			{"currentAverageValue", [2]string{"current", "averageValue"}, `"0"`},
			{"container", [2]string{"", "container"}, `""`},
		},
	},
	{
		key: "external",
		spec: []metricField{
			{"metricName", [2]string{"metric", "name"}, `""`},
			{"metricSelector", [2]string{"metric", "selector"}, ""},
			{"targetValue", [2]string{"target", "value"}, ""},
			{"targetAverageValue", [2]string{"target", "averageValue"}, ""},
		},
		status: []metricField{
			{"metricName", [2]string{"metric", "name"}, `""`},
			{"metricSelector", [2]string{"metric", "selector"}, ""},
			{"currentValue", [2]string{"current", "value"}, `"0"`},
			{"currentAverageValue", [2]string{"current", "averageValue"}, ""},
		},
	},
}

// A goObject prints a JSON object with its members in the order of a Go struct.
type goObject struct{ strings.Builder }

func (o *goObject) member(name, text string) {
	if text == "" {
		return
	}
	if o.Len() == 0 {
		o.WriteByte('{')
	} else {
		o.WriteByte(',')
	}
	o.WriteString(`"` + name + `":` + text)
}

func (o *goObject) text() string {
	if o.Len() == 0 {
		return "{}"
	}
	return o.String() + "}"
}

func textOr(v document.Value, zero string) string {
	if !v.Exists() || v.IsNull() {
		return zero
	}
	return v.String()
}

// goText prints the objects within metrics like Go: the fields of references and selectors
// are not sorted by name.
func goText(v document.Value, field string) string {
	var o goObject
	switch {
	case v.Kind() != document.Object:
		return textOr(v, "")
	case field == "target":
		o.member("kind", textOr(v.Get("kind"), `""`))
		o.member("name", textOr(v.Get("name"), `""`))
		if textOf(v, "apiVersion") != "" {
			o.member("apiVersion", v.Get("apiVersion").String())
		}
	default:
		o.member("matchLabels", textOr(v.Get("matchLabels"), ""))
		var items []string
		for _, e := range v.Get("matchExpressions").Items() {
			var item goObject
			for _, key := range [...]string{"key", "operator", "values"} {
				item.member(key, textOr(e.Get(key), ""))
			}
			items = append(items, item.text())
		}
		if items != nil {
			o.member("matchExpressions", "["+strings.Join(items, ",")+"]")
		}
	}
	return o.text()
}

// metricsText prints metrics in the form of autoscaling/v1.
func metricsText(metrics []document.Value, fields func(metricForm) []metricField) string {
	var all []string
	for _, m := range metrics {
		var o goObject
		o.member("type", textOr(m.Get("type"), `""`))
		for _, form := range metricForms {
			source := m.Get(form.key)
			if !source.Exists() || source.IsNull() {
				continue
			}
			var s goObject
			for _, f := range fields(form) {
				text := goText(source.Lookup(f.keys()...), f.name)
				if text == "" {
					text = f.zero
				}
				s.member(f.name, text)
			}
			o.member(form.key, s.text())
		}
		all = append(all, o.text())
	}
	return "[" + strings.Join(all, ",") + "]"
}

func behaviorText(behavior document.Value) string {
	var o goObject
	for _, key := range [...][2]string{{"ScaleUp", "scaleUp"}, {"ScaleDown", "scaleDown"}} {
		rules := behavior.Get(key[1])
		if !rules.Exists() || rules.IsNull() {
			o.member(key[0], "null")
			continue
		}
		var r goObject
		r.member("StabilizationWindowSeconds", textOr(rules.Get("stabilizationWindowSeconds"), "null"))
		r.member("SelectPolicy", textOr(rules.Get("selectPolicy"), "null"))
		policies := "null"
		if list := rules.Get("policies"); list.Kind() == document.List {
			var items []string
			for _, p := range list.Items() {
				var item goObject
				item.member("Type", textOr(p.Get("type"), `""`))
				item.member("Value", textOr(p.Get("value"), "0"))
				item.member("PeriodSeconds", textOr(p.Get("periodSeconds"), "0"))
				items = append(items, item.text())
			}
			policies = "[" + strings.Join(items, ",") + "]"
		}
		r.member("Policies", policies)
		r.member("Tolerance", textOr(rules.Get("tolerance"), "null"))
		o.member(key[0], r.text())
	}
	return o.text()
}

func conditionsText(conditions document.Value) string {
	var all []string
	for _, c := range conditions.Items() {
		var o goObject
		o.member("type", textOr(c.Get("type"), `""`))
		o.member("status", textOr(c.Get("status"), `""`))
		o.member("lastTransitionTime", textOr(c.Get("lastTransitionTime"), "null"))
		for _, key := range [...]string{"reason", "message"} {
			if textOf(c, key) != "" {
				o.member(key, c.Get(key).String())
			}
		}
		all = append(all, o.text())
	}
	return "[" + strings.Join(all, ",") + "]"
}

// cpuUtilization returns the average CPU utilization in a metric's target or status; absent
// for other metrics.
func cpuUtilization(m document.Value, part string) document.Value {
	if textOf(m, "type") != "Resource" || textOf(m.Get("resource"), "name") != "cpu" {
		return document.Value{}
	}
	return m.Lookup("resource", part, "averageUtilization")
}

// autoscalerTo1 converts an object from autoscaling/v2 to v1.
func autoscalerTo1(v document.Value) document.Value {
	v = withoutRoundTrip(v)
	note := func(key, text string) {
		v = v.Set(document.NewString(text), "metadata", "annotations", annotated+key)
	}
	var others, current []document.Value
	var wanted, shown document.Value
	for _, m := range v.Lookup("spec", "metrics").Items() {
		n := cpuUtilization(m, "target")
		if !n.Exists() {
			others = append(others, m)
		} else if !wanted.Exists() {
			wanted = n
		}
	}
	for _, m := range v.Lookup("status", "currentMetrics").Items() {
		current = append(current, m)
		if n := cpuUtilization(m, "current"); n.Exists() {
			shown = n
		}
	}
	if len(others) > 0 {
		note("metrics", metricsText(others, func(f metricForm) []metricField { return f.spec }))
	}
	if len(current) > 0 {
		note("current-metrics", metricsText(current, func(f metricForm) []metricField { return f.status }))
	}
	if b := v.Lookup("spec", "behavior"); b.Exists() && !b.IsNull() {
		note("behavior", behaviorText(b))
	}
	if c := v.Lookup("status", "conditions"); c.Len() > 0 {
		note("conditions", conditionsText(c))
	}
	v = v.Set(wanted, "spec", "targetCPUUtilizationPercentage")
	return v.Set(shown, "status", "currentCPUUtilizationPercentage")
}
