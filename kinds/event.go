package kinds

import (
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// coreEventStrategy is the strategy of v1 Event.
var coreEventStrategy = Strategy{
	Resource:       "events",
	AnyFinalizer:   true,
	MetadataLast:   true,
	Name:           segmentName,
	metadataAgain:  repeatsNothing,
	CreateOnUpdate: true,
	NotCollected:   true,
	Uncached:       true,
	Selectable: []SelectableField{
		{Label: "involvedObject.apiVersion"},
		{Label: "involvedObject.fieldPath"},
		{Label: "involvedObject.kind"},
		{Label: "involvedObject.namespace"},
		{Label: "involvedObject.name"},
		{Label: "involvedObject.resourceVersion"},
		{Label: "involvedObject.uid"},
		{Label: "reason"},
		{Label: "reportingComponent"},
		{Label: "source", Path: "source.component", Instead: "reportingComponent"},
		{Label: "type"},
	},
}

// eventsEventStrategy is the strategy of events.k8s.io/v1 Event.
var eventsEventStrategy = Strategy{
	Group:          "events.k8s.io",
	Resource:       "events",
	StorageVersion: "v1",
	Name:           subdomainName,
	CreateOnUpdate: true,
	NotCollected:   true,
	Uncached:       true,
	CoreKind:       true,
	Selectable: []SelectableField{
		{Label: "reason"},
		{Label: "regarding.apiVersion"},
		{Label: "regarding.fieldPath"},
		{Label: "regarding.kind"},
		{Label: "regarding.namespace"},
		{Label: "regarding.name"},
		{Label: "regarding.resourceVersion"},
		{Label: "regarding.uid"},
		{Label: "reportingController"},
		{Label: "type"},
	},
}

// eventLifetime is the default of kube-apiserver's --event-ttl.
const eventLifetime = time.Hour

// Lifetime returns how long kube-apiserver keeps an object after a write; 0 is without limit.
func Lifetime(object document.Value) time.Duration {
	if object.Get("kind").StringOr("") != "Event" {
		return 0
	}
	switch object.Get("apiVersion").StringOr("") {
	case "v1", "events.k8s.io/v1":
		return eventLifetime
	}
	return 0
}
