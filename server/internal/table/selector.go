package table

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// labels prints a map of labels: "a=1,b=2".
func labels(m document.Value) string {
	var out []string
	for key, value := range m.Members() {
		out = append(out, key+"="+value.StringOr(""))
	}
	return or(strings.Join(out, ","), "<none>")
}

// selector returns the text of a label selector, with its requirements sorted by key.
func selector(s document.Value) string {
	var parts [][2]string
	for key, value := range s.Get("matchLabels").Members() {
		parts = append(parts, [2]string{key, key + "=" + value.StringOr("")})
	}
	for _, e := range s.Get("matchExpressions").Items() {
		key := e.Get("key").StringOr("")
		var values []string
		for _, v := range e.Get("values").Items() {
			values = append(values, v.StringOr(""))
		}
		slices.Sort(values)
		list := " (" + strings.Join(values, ",") + ")"
		switch e.Get("operator").StringOr("") {
		case "In":
			parts = append(parts, [2]string{key, key + " in" + list})
		case "NotIn":
			parts = append(parts, [2]string{key, key + " notin" + list})
		case "Exists":
			parts = append(parts, [2]string{key, key})
		case "DoesNotExist":
			parts = append(parts, [2]string{key, "!" + key})
		}
	}
	slices.SortStableFunc(parts, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p[1]
	}
	return strings.Join(out, ",")
}

// selectorMessage returns a label selector as the code generated for its protobuf message
// prints it.
func selectorMessage(s document.Value) string {
	var b strings.Builder
	b.WriteString("&LabelSelector{MatchLabels:map[string]string{")
	for key, value := range s.Get("matchLabels").Members() {
		b.WriteString(key + ": " + value.StringOr("") + ",")
	}
	b.WriteString("},MatchExpressions:[]LabelSelectorRequirement{")
	for _, e := range s.Get("matchExpressions").Items() {
		values := joined(e.Get("values"), " ", func(v document.Value) string { return v.StringOr("") })
		b.WriteString("LabelSelectorRequirement{Key:" + e.Get("key").StringOr("") + ",Operator:" + e.Get("operator").StringOr("") + ",Values:[" + values + "],},")
	}
	b.WriteString("},}")
	return b.String()
}
