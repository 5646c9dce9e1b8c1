//go:build js && !complete

package playground

// complete is not set in the page's first engine, see later.go.
const complete = false

func laterCalls() map[string]call { return nil }

func parseScenario(string) (*Scenario, error) { return nil, errLater }
