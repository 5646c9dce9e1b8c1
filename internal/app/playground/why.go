package playground

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/scenario"
)

// why returns the reasons for the effects of a step, or for its failure. It runs the step
// again, so the page calls it while the user is idle.
func (e *Engine) why(in *WhyInput) (*WhyOutput, error) {
	res, err := e.result(&in.Scenario, in.At, 0)
	if err != nil {
		return nil, err
	}
	out := &WhyOutput{}
	if in.At == 0 || res.Kind == nil || in.Scenario.Steps[in.At-1].Do == string(scenario.Delete) {
		return out, nil
	}
	step := in.Scenario.Steps[in.At-1].step()
	step.Target = res.Target
	finder := lineFinder{lines: e.last.linesAfter(in.At - 1)}
	for _, r := range e.last.runner.Explain(context.Background(), &step, res.Before) {
		view := Reason{Path: r.Path.String(), Effect: string(r.Effect), Rule: string(r.Rule), Text: r.Text, Expected: r.Expected,
			Hint: r.Hint, Wanted: shown(r.Wanted), KeptBy: ownerNames(r.KeptBy)}
		if len(r.Path) > 0 {
			view.Line = finder.first(r.Path)
			view.Mark = placeIn(res.Body, r.Path)
		}
		out.Reasons = append(out.Reasons, view)
	}
	return out, nil
}

// placeIn returns the position of a field in a body, the zero Mark without a body.
func placeIn(body *document.Document, field document.Path) Mark {
	if body == nil {
		return Mark{}
	}
	at := manifest.Object{Value: body.Root, Document: body}.Locate(field)
	return Mark{Line: at.Line, Column: at.Column}
}
