package defaults

import "github.com/patchlab-dev/patchlab/document"

// Events are one resource in two groups with different field names (pkg/apis/events/v1,
// conversion.go).

const eventsGroup = "events.k8s.io"

// eventNames maps the field names of v1 to those of events.k8s.io/v1.
var eventNames = [...][2]string{
	{"involvedObject", "regarding"},
	{"message", "note"},
	{"source", "deprecatedSource"},
	{"firstTimestamp", "deprecatedFirstTimestamp"},
	{"lastTimestamp", "deprecatedLastTimestamp"},
	{"count", "deprecatedCount"},
	{"reportingComponent", "reportingController"},
}

// eventTo renames an Event's fields to those of a group.
func eventTo(v document.Value, group string) document.Value {
	for _, names := range eventNames {
		from, to := names[0], names[1]
		if group == "" {
			from, to = to, from
		}
		if field := v.Get(from); field.Exists() {
			v = v.Without(from).With(to, field)
		}
	}
	return v
}
