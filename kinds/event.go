package kinds

// coreEventStrategy is the strategy of v1 Event.
var coreEventStrategy = Strategy{
	Group:          "",
	Resource:       "events",
	Name:           segmentName,
	CreateOnUpdate: true,
	NotCollected:   true,
	Selectable: []SelectableField{
		{Label: "involvedObject.apiVersion"},
		{Label: "involvedObject.fieldPath"},
		{Label: "involvedObject.kind"},
		{Label: "involvedObject.namespace"},
		{Label: "involvedObject.name"},
		{Label: "involvedObject.resourceVersion"},
		{Label: "involvedObject.uid"},
		{Label: "reason"},
		{Label: "reportingComponent", Path: "reportingComponent"},
		{Label: "source", Path: "source.component"},
		{Label: "type"},
	},
	validate: validateEvent,
}

// eventsEventStrategy is the strategy of events.k8s.io/v1 Event.
var eventsEventStrategy = Strategy{
	Group:          "events.k8s.io",
	Resource:       "events",
	Name:           subdomainName,
	CreateOnUpdate: true,
	NotCollected:   true,
	Selectable: []SelectableField{
		{Label: "reason"},
		{Label: "regarding.apiVersion"},
		{Label: "regarding.fieldPath"},
		{Label: "regarding.kind"},
		{Label: "regarding.namespace"},
		{Label: "regarding.name"},
		{Label: "regarding.resourceVersion"},
		{Label: "regarding.uid"},
		{Label: "reportingController", Path: "reportingComponent"},
		{Label: "type"},
	},
	validate: validateEvent,
}
