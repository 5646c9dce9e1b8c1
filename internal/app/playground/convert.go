package playground

import (
	"github.com/patchlab-dev/patchlab/scenario"
)

func (s *Scenario) scenario() *scenario.Scenario {
	out := &scenario.Scenario{Title: s.Title, About: s.About, Kubernetes: s.Kubernetes, Definitions: s.Definitions, Objects: s.Objects}
	for _, a := range s.Actors {
		out.Actors = append(out.Actors, scenario.Actor(a))
	}
	for i := range s.Steps {
		out.Steps = append(out.Steps, s.Steps[i].step())
	}
	return out
}

func (s *Step) step() scenario.Step {
	return scenario.Step{Actor: s.Actor, Do: scenario.Action(s.Do), Subresource: s.Subresource,
		Target: scenario.Target(s.Target), Body: s.Body, Note: s.Note}
}

func fromScenario(s *scenario.Scenario) Scenario {
	out := Scenario{Title: s.Title, About: s.About, Kubernetes: s.Kubernetes, Definitions: s.Definitions, Objects: s.Objects}
	for _, a := range s.Actors {
		out.Actors = append(out.Actors, Actor(a))
	}
	for _, step := range s.Steps {
		out.Steps = append(out.Steps, Step{Actor: step.Actor, Do: string(step.Do), Subresource: step.Subresource,
			Target: Target(step.Target), Body: step.Body, Note: step.Note})
	}
	out.keepExpectations(s)
	return out
}
