//go:build !js || complete

package playground

import "github.com/patchlab-dev/patchlab/scenario"

// complete is true if the engine supports every call and validates built-in kinds. The page's
// first engine lacks the calls that are triggered by buttons.
const complete = true

func laterCalls() map[string]call {
	return map[string]call{
		"import":  callOf((*Engine).read),
		"lesson":  callOf((*Engine).lesson),
		"paste":   callOf((*Engine).paste),
		"starts":  callOf((*Engine).starts),
		"patches": callOf((*Engine).patches),
		"convert": callOf((*Engine).convert),
		"export":  callOf((*Engine).write),
		"script":  callOf((*Engine).script),
		"goTest":  callOf((*Engine).goTest),
		"managed": callOf((*Engine).managed),
		"way":     callOf((*Engine).way),
	}
}

// parseScenario parses a scenario file.
func parseScenario(text string) (*Scenario, error) {
	s, err := scenario.Parse([]byte(text), "")
	if err != nil {
		return nil, err
	}
	out := fromScenario(s)
	return &out, nil
}
