package playground

import (
	"context"
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
)

// maxSteps is the most steps of a scenario, as in its files.
const maxSteps = 1000

// run is a scenario that was run, with all that came of it.
type run struct {
	scenario    Scenario
	runner      *scenario.Runner
	definitions []DefinitionResult
	results     []scenario.Result
	steps       []StepResult
	lines       map[int][]explain.Line // of the object after a step, as far as asked for
	// checkpoint is a runner as it was after the first checked steps, nil for none.
	checkpoint *scenario.Runner
	checked    int
}

// running runs a scenario as far as it has not been run: the one before is gone
// on with where this one begins like it. at is the step that is shown, counted from
// 1: it may well be changed next, so that what is before it is kept.
func (e *Engine) running(ctx context.Context, s *Scenario, at int) (*run, error) {
	if len(s.Steps) > maxSteps {
		return nil, errors.New("a scenario has at most 1000 steps")
	}
	r, err := e.last.goOn(ctx, s)
	if err != nil {
		return nil, err
	}
	e.last = nil // a panic in a step leaves nothing half done behind
	for i := len(r.results); i < len(s.Steps); i++ {
		if i == at-1 {
			if r.checkpoint, err = r.runner.Fork(); err != nil {
				return nil, err
			}
			r.checked = i
		}
		step := s.Steps[i].step()
		res := scenario.Result{Err: tooDeep(step.Body)}
		if res.Err == nil {
			res = r.runner.Step(ctx, &step)
		}
		r.results = append(r.results, res)
		r.steps = append(r.steps, stepResult(&res))
	}
	r.scenario = *s
	e.last = r
	return r, nil
}

// goOn returns a run to go on with for s: r itself where s is r's scenario with
// more steps, r as it was at its checkpoint where s is like it up to there, or else
// a new one.
func (r *run) goOn(ctx context.Context, s *Scenario) (*run, error) {
	if r == nil || r.scenario.Kubernetes != s.Kubernetes || !slices.Equal(r.scenario.Definitions, s.Definitions) {
		return begin(ctx, s)
	}
	same := 0
	for same < len(s.Steps) && same < len(r.results) && r.scenario.Steps[same] == s.Steps[same] {
		same++
	}
	switch {
	case same == len(r.results):
		return r, nil
	case r.checkpoint == nil || same < r.checked:
		return begin(ctx, s)
	}
	runner, err := r.checkpoint.Fork()
	if err != nil {
		return nil, err
	}
	back := &run{runner: runner, definitions: r.definitions, checkpoint: r.checkpoint, checked: r.checked, lines: map[int][]explain.Line{},
		results: slices.Clone(r.results[:r.checked]), steps: slices.Clone(r.steps[:r.checked])}
	for i, lines := range r.lines {
		if i < r.checked {
			back.lines[i] = lines
		}
	}
	return back, nil
}

func begin(ctx context.Context, s *Scenario) (*run, error) {
	runner, err := scenario.NewRunner(ctx, s.Kubernetes, nil)
	if err != nil {
		return nil, err
	}
	r := &run{runner: runner, lines: map[int][]explain.Line{}}
	for _, text := range s.Definitions {
		var d DefinitionResult
		if err := define(ctx, runner, text); err != nil {
			d.Mark = Mark{Message: reason(err)}
			d.Mark.Line, d.Mark.Column = place(err)
		} else if doc, err := document.ParseYAML([]byte(text), document.Options{}); err == nil {
			d.OK, d.Name = true, doc.Root.Lookup("metadata", "name").StringOr("")
		}
		r.definitions = append(r.definitions, d)
	}
	return r, nil
}

func define(ctx context.Context, runner *scenario.Runner, text string) error {
	if err := tooDeep(text); err != nil {
		return err
	}
	return runner.Define(ctx, text)
}

func (e *Engine) run(in *RunInput) (*RunOutput, error) {
	r, err := e.running(context.Background(), &in.Scenario, in.At)
	if err != nil {
		return nil, err
	}
	out := &RunOutput{Steps: r.steps, Definitions: r.definitions}
	out.At = min(max(in.At, 0), len(r.results))
	out.Against = min(max(in.Against, 0), out.At)
	if out.At == 0 {
		return out, nil
	}
	res := &r.results[out.At-1]
	last := r.state(res, out.Against)
	before, after := fieldmanager.Object{}, res.After
	if last >= 0 {
		before = r.results[last].After
	}
	lines := r.linesAfter(out.At - 1)
	out.Rows = rows(r.linesAfter(last), lines, managers(before), managers(after))
	list := explain.Changes(typeOf(res.Kind), before, after)
	out.Changed = len(list)
	if in.Changes > 0 && len(list) > in.Changes {
		list = list[:in.Changes]
	}
	out.Changes = changes(list, lines)
	out.Conflicts = conflicts(res)
	if after.Value.Exists() {
		out.Object = object(res, after)
	}
	return out, nil
}

// linesAfter are the lines of the object after a step, none for the step -1.
func (r *run) linesAfter(step int) []explain.Line {
	if step < 0 {
		return nil
	}
	lines, ok := r.lines[step]
	if !ok {
		res := &r.results[step]
		before := r.state(res, step)
		if known, ok := r.lines[before]; ok && r.results[before].Kind == res.Kind {
			lines = explain.LinesAfter(typeOf(res.Kind), res.After, r.results[before].After, known)
		} else {
			lines = explain.Lines(typeOf(res.Kind), res.After)
		}
		r.lines[step] = lines
	}
	return lines
}

// result runs a scenario and returns the result of a step, counted from 1.
func (e *Engine) result(s *Scenario, at int) (*scenario.Result, error) {
	r, err := e.running(context.Background(), s, at)
	if err != nil {
		return nil, err
	}
	if at < 1 || at > len(r.results) {
		return nil, errors.New("there is no such step")
	}
	return &r.results[at-1], nil
}

// state finds which of the first n steps was the last for a step's object: its
// position, or -1 where there was none.
func (r *run) state(of *scenario.Result, n int) int {
	for i := n - 1; i >= 0; i-- {
		if r.results[i].Target == of.Target {
			return i
		}
	}
	return -1
}

func typeOf(k *schema.Kind) *schema.Type {
	if k == nil {
		return schema.Deduced()
	}
	return k.Type()
}

func stepResult(res *scenario.Result) StepResult {
	out := StepResult{OK: res.Err == nil, Code: res.Code, Warnings: res.Warnings, Conflicts: len(res.Conflicts()),
		Target: Target(res.Target), Marks: marks(res)}
	if res.Err != nil {
		out.Message = res.Err.Error()
	}
	before, after := res.Before.Join(), res.After.Join()
	out.Changed = before.Exists() != after.Exists() || !document.SameNode(before, after) && !document.Identical(before, after)
	out.ResourceVersion, out.Generation = counters(res.After.Value)
	return out
}

func counters(v document.Value) (resourceVersion, generation string) {
	m := v.Get("metadata")
	return m.Get("resourceVersion").StringOr(""), m.Get("generation").NumberText()
}
