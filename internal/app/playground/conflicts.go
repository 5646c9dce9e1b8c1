package playground

import (
	"context"
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/scenario"
)

func conflicts(res *scenario.Result, lines []explain.Line) []Conflict {
	var out []Conflict
	finder := lineFinder{lines: lines}
	for _, c := range res.Conflicts() {
		view := Conflict{Path: c.Path.String(), Owner: manager(c.Owner, c.Time), Live: shown(c.Live), Wanted: shown(c.Wanted), Note: explain.ConflictNote(typeOf(res.Kind), c)}
		view.Line = finder.first(c.Path)
		view.Mark = placeIn(res.Body, c.Path)
		for _, w := range explain.Ways(c) {
			view.Ways = append(view.Ways, Way{Name: w.Name, Summary: w.Summary})
		}
		out = append(out, view)
	}
	return out
}

func (e *Engine) way(in *WayInput) (*WayOutput, error) {
	res, err := e.result(&in.Scenario, in.At, 0)
	if err != nil {
		return nil, err
	}
	if in.At < 1 {
		return nil, errors.New("there is no step before the first")
	}
	step, err := resolution(in.Scenario.Steps[in.At-1], res, in.Conflict, in.Way)
	if err != nil {
		return nil, err
	}
	next := step.step()
	then := e.last.runner.Try(context.Background(), &next, res.Before)
	t := typeOf(then.Kind)
	return &WayOutput{
		Step: step, Result: stepResult(&in.Scenario, step.Body, &then),
		Rows: rows(then.Kind, explain.Lines(t, then.Before), explain.Lines(t, then.After), managers(then.Before), managers(then.After)),
	}, nil
}

// resolution returns the step changed to resolve a conflict, or all conflicts for number -1.
func resolution(step Step, res *scenario.Result, number int, name string) (Step, error) {
	list := res.Conflicts()
	switch {
	case number >= 0 && number < len(list):
		list = list[number : number+1]
	case number != -1 || len(list) == 0:
		return step, errors.New("the step has no such conflict")
	}
	resolved, err := explain.Resolve(typeOf(res.Kind), res.Config, list, func(fieldmanager.Conflict) string { return name })
	if err == nil && len(resolved.Open) > 0 { // without a name
		err = explain.ErrWay
	}
	if err != nil {
		return step, err
	}
	if resolved.Force {
		step.Do = string(scenario.ForceApply)
	}
	if document.SameNode(resolved.Config, res.Config) {
		return step, nil
	}
	step.Body, err = manifest.Rewrite(step.Body, 0, resolved.Config)
	if err != nil { // without the comments
		step.Body = string(resolved.Config.YAML())
	}
	return step, nil
}
