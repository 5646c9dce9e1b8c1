package playground

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/scenario"
)

// whole is the scenario with the expectations of its steps and its race, which the page
// keeps as JSON and does not run. An error is one of their form.
func (s *Scenario) whole() (*scenario.Scenario, error) {
	out := s.scenario()
	var actors, steps, race document.ListBuilder
	var expecting []int // the steps with expectations
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Expect == "" {
			continue
		}
		expect, err := document.Parse([]byte(step.Expect), document.Options{})
		if err != nil {
			return nil, err
		}
		var o document.ObjectBuilder
		o.SetString("actor", step.Actor)
		o.SetString("do", step.Do)
		o.Set("expect", expect.Root)
		steps.AppendObject(&o)
		expecting = append(expecting, i)
	}
	for _, text := range s.Race {
		change, err := document.Parse([]byte(text), document.Options{})
		if err != nil {
			return nil, err
		}
		race.Append(change.Root)
	}
	if steps.Len()+race.Len() == 0 {
		return out, nil
	}
	for _, a := range s.Actors {
		var o document.ObjectBuilder
		o.SetString("name", a.Name)
		actors.AppendObject(&o)
	}
	var o document.ObjectBuilder
	o.SetString("scenario", scenario.Version)
	o.Set("actors", actors.List())
	o.Set("steps", steps.List())
	o.Set("race", race.List())
	read, err := scenario.Parse(o.Object().JSON(), "")
	if err != nil {
		return nil, err
	}
	for n, i := range expecting {
		out.Steps[i].Expect = read.Steps[n].Expect
	}
	out.Race = read.Race
	return out, nil
}

// keepExpectations sets the expectations of the steps and the race to those of a
// scenario, as JSON.
func (s *Scenario) keepExpectations(from *scenario.Scenario) {
	if len(from.Race) == 0 && !slices.ContainsFunc(from.Steps, func(step scenario.Step) bool { return step.Expect != nil }) {
		return
	}
	d, err := document.Parse(from.JSON(), document.Options{MaxBytes: 2 * scenario.MaxBytes})
	if err != nil {
		return // what was read is printed so that it can be read
	}
	for i, step := range d.Root.Get("steps").Items() {
		if e := step.Get("expect"); e.Exists() {
			s.Steps[i].Expect = string(e.JSON())
		}
	}
	for _, change := range d.Root.Get("race").Items() {
		s.Race = append(s.Race, string(change.JSON()))
	}
}
