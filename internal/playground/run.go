package playground

import (
	"context"
	"errors"
	"reflect"
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
}

// running runs a scenario as far as it has not been run: the one before is gone
// on with where this one begins like it.
func (e *Engine) running(ctx context.Context, s *Scenario) (*run, error) {
	if len(s.Steps) > maxSteps {
		return nil, errors.New("a scenario has at most 1000 steps")
	}
	r := e.last
	if r == nil || !r.begins(s) {
		var err error
		if r, err = begin(ctx, s); err != nil {
			return nil, err
		}
	}
	e.last = nil // a panic in a step leaves nothing half done behind
	for i := len(r.results); i < len(s.Steps); i++ {
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

// begins reports whether s is r's scenario, or one with more steps.
func (r *run) begins(s *Scenario) bool {
	old := &r.scenario
	return old.Kubernetes == s.Kubernetes && slices.Equal(old.Definitions, s.Definitions) &&
		len(old.Steps) <= len(s.Steps) && reflect.DeepEqual(old.Steps, s.Steps[:len(old.Steps)])
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
	r, err := e.running(context.Background(), &in.Scenario)
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
	out.Changes = changes(typeOf(res.Kind), before, after, lines)
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
		lines = explain.Lines(typeOf(res.Kind), res.After)
		r.lines[step] = lines
	}
	return lines
}

// result runs a scenario and returns the result of a step, counted from 1.
func (e *Engine) result(s *Scenario, at int) (*scenario.Result, error) {
	r, err := e.running(context.Background(), s)
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
