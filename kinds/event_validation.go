package kinds

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// The Events of both groups are validated by the same function. Messages have the field names
// of the core group, because that is kube-apiserver's internal version
// (pkg/apis/core/validation/events.go of Kubernetes 1.36).

// eventFields are the fields whose names differ between the two versions of Event.
type eventFields struct{ object, note, controller, first, last, count, source string }

// eventFields returns the field names of the event's version.
func (c *check) eventFields() eventFields {
	if c.kind.Group == "" {
		return eventFields{"involvedObject", "message", "reportingComponent", "firstTimestamp", "lastTimestamp", "count", "source"}
	}
	return eventFields{"regarding", "note", "reportingController", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount", "deprecatedSource"}
}

func validateEvent(c *check, object, old field) {
	f := c.eventFields()
	validateEventParts(c, object, f)
	if c.kind.Group == "" {
		return
	}
	c.metadataAt = len(c.errs)
	series := object.get("series")
	if !old.isSet() || !c.same(series, old.get("series")) {
		validateEventSeries(c, series)
	}
	if old.isSet() {
		validateEventUpdate(c, object, old, f)
		return
	}
	if time := object.get("eventTime"); !time.isSet() {
		c.required(time, "")
	}
	if kind := object.get("type"); kind.text() != "Normal" && kind.text() != "Warning" {
		c.invalidText(kind, "", "has invalid value: "+kind.text())
	}
	source := object.getAs(f.source, "source")
	component, host := source.get("component"), source.get("host")
	for _, n := range [...]field{object.getAs(f.first, "firstTimestamp"), object.getAs(f.last, "lastTimestamp")} {
		if n.isSet() {
			c.invalidText(n, "", "needs to be unset")
		}
	}
	if count := object.getAs(f.count, "count"); count.number() != 0 {
		c.invalidText(count, "", "needs to be unset")
	}
	if !component.isEmpty() || !host.isEmpty() {
		c.invalidText(source, "", "needs to be unset")
	}
}

// validateEventParts applies the rules that core/v1 Events have had from the beginning.
func validateEventParts(c *check, object field, f eventFields) {
	about := object.getAs(f.object, "involvedObject")
	namespace, of := object.get("metadata.namespace"), about.get("namespace")
	time := object.get("eventTime")
	if !time.isSet() {
		ok := of.text() == namespace.text()
		if of.isEmpty() {
			ok = namespace.isEmpty() || namespace.text() == "default"
		}
		if !ok {
			c.invalidText(of, of.text(), "does not match event.namespace")
		}
	} else {
		if of.isEmpty() && namespace.text() != "default" && namespace.text() != "kube-system" {
			c.invalidText(of, of.text(), "does not match event.namespace")
		}
		controller := object.get(f.controller)
		c.need(controller)
		c.syntax(controller, names.QualifiedName)
		c.textUpTo(object.get("reportingInstance"), 128, true)
		c.textUpTo(object.get("action"), 128, true)
		c.textUpTo(object.get("reason"), 128, true)
		c.textUpTo(object.getAs(f.note, "message"), 1024, false)
	}
	if why := names.DNSSubdomain(namespace.text()); why != "" {
		c.unmet(object.getAs("metadata.namespace", "namespace"), why)
	}
}

// textUpTo limits the length of a string, and requires it if required is true.
func (c *check) textUpTo(n field, limit int, required bool) {
	if required {
		c.need(n)
	}
	if len(n.text()) > limit {
		c.invalidText(n, "", "can have at most "+strconv.Itoa(limit)+" characters")
	}
}

func validateEventSeries(c *check, series field) {
	if !series.isSet() {
		return
	}
	if count := series.get("count"); count.number() < 2 {
		c.invalidText(count, "", "should be at least 2")
	}
	if last := series.get("lastObservedTime"); !last.isSet() {
		c.required(last, "")
	}
}

// validateEventUpdate requires that nothing but the series changes. kube-apiserver compares the
// reason twice.
func validateEventUpdate(c *check, object, old field, f eventFields) {
	for _, field := range [...][2]string{
		{f.object, "involvedObject"}, {"reason", "reason"}, {f.note, "message"}, {f.source, "source"}, {f.first, "firstTimestamp"},
		{f.last, "lastTimestamp"}, {f.count, "count"}, {"reason", "reason"}, {"type", "type"}, {"eventTime", "eventTime"}, {"action", "action"}, {"related", "related"},
		{"reportingController", "reportingController"}, {"reportingInstance", "reportingInstance"},
	} {
		c.immutable(object.getAs(field[0], field[1]), old.get(field[0]))
	}
}
