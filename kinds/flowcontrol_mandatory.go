package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
)

// mandatoryFlowSchema returns the spec that a FlowSchema with a name must have; absent if its
// spec is not fixed (apiserver's apis/flowcontrol/bootstrap).
func mandatoryFlowSchema(name string) document.Value {
	const everything = `"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"],"clusterScope":true}],` +
		`"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]`
	switch name {
	case "exempt":
		return constant(`{"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":1,` +
			`"rules":[{"subjects":[{"kind":"Group","group":{"name":"system:masters"}}],` + everything + `}]}`)
	case "catch-all":
		return constant(`{"priorityLevelConfiguration":{"name":"catch-all"},"matchingPrecedence":10000,"distinguisherMethod":{"type":"ByUser"},` +
			`"rules":[{"subjects":[{"kind":"Group","group":{"name":"system:unauthenticated"}},{"kind":"Group","group":{"name":"system:authenticated"}}],` +
			everything + `}]}`)
	}
	return document.Value{}
}

// mandatoryPriorityLevel is mandatoryFlowSchema for PriorityLevelConfigurations.
func mandatoryPriorityLevel(name string) document.Value {
	switch name {
	case "exempt":
		return constant(`{"type":"Exempt","exempt":{"nominalConcurrencyShares":0,"lendablePercent":0}}`)
	case "catch-all":
		return constant(`{"type":"Limited","limited":{"nominalConcurrencyShares":5,"lendablePercent":0,"limitResponse":{"type":"Reject"}}}`)
	}
	return document.Value{}
}

// constant parses a valid JSON text.
func constant(text string) document.Value {
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		panic(err) // the text is one of this file
	}
	return d.Root
}
