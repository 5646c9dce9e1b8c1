package playground

import (
	"context"
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
)

// maxSteps is the maximum number of steps of a scenario, as in files.
const maxSteps = 1000

// run is a scenario with the results of its steps.
type run struct {
	scenario    Scenario
	runner      *scenario.Runner
	definitions []DefinitionResult
	objects     []ExistingObject
	existing    []scenario.Existing // the objects; the zero value for an invalid text
	results     []scenario.Result
	steps       []StepResult
	lines       map[int][]explain.Line // the lines of the object by state, computed on demand
	// defined is a runner with the definitions, which are slow to parse, and base a runner
	// that also has the objects.
	defined, base *scenario.Runner
	// checkpoint is a runner after the first checked steps, nil if there is none.
	checkpoint *scenario.Runner
	checked    int
}

// running runs a scenario. It continues the previous one if this one has the same beginning.
// at is the number of the step that is shown, from 1: the state before it is kept, because
// that step is likely to be changed next.
func (e *Engine) running(ctx context.Context, s *Scenario, at int) (*run, error) {
	if len(s.Steps) > maxSteps {
		return nil, errors.New("a scenario has at most 1000 steps")
	}
	r, err := e.resumed(ctx, s)
	if err != nil {
		return nil, err
	}
	e.last = nil // discard the run if a step panics
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
		r.steps = append(r.steps, stepResult(s, step.Body, &res))
		if res.Kind == nil || res.Target.Name == "" {
			r.keep(&res)
		}
		r.results = append(r.results, res)
	}
	r.scenario = *s
	e.last = r
	return r, nil
}

// keep gives a step that concerns no object, because its manifest cannot be parsed or has an
// unknown kind or no name, the object of the step before it or, at the first step, the first
// initial object. A visitor who is in the middle of typing still sees the object.
func (r *run) keep(res *scenario.Result) {
	var before *scenario.Result
	if n := len(r.results); n > 0 {
		before = &r.results[n-1]
	} else if at, err := r.result(0, 0); err == nil {
		before = at
	} else {
		return
	}
	res.Target, res.Kind, res.Before, res.After = before.Target, before.Kind, before.After, before.After
}

// resumed returns a run that can be continued for s: the last one if s only adds steps, the
// last one at its checkpoint or at its beginning if s is equal up to there, otherwise a new one.
func (e *Engine) resumed(ctx context.Context, s *Scenario) (*run, error) {
	r := e.last
	if r == nil || r.scenario.Kubernetes != s.Kubernetes || !slices.Equal(r.scenario.Definitions, s.Definitions) {
		return e.begin(ctx, s)
	}
	if !slices.Equal(r.scenario.Objects, s.Objects) {
		return (&run{defined: r.defined, definitions: r.definitions}).load(ctx, s)
	}
	same := 0
	for same < len(s.Steps) && same < len(r.results) && r.scenario.Steps[same] == s.Steps[same] {
		same++
	}
	from, kept := r.base, 0
	switch {
	case same == len(r.results):
		return r, nil
	case r.checkpoint != nil && same >= r.checked:
		from, kept = r.checkpoint, r.checked
	}
	runner, err := from.Fork()
	if err != nil {
		return nil, err
	}
	back := *r
	back.runner, back.lines = runner, map[int][]explain.Line{}
	back.results, back.steps = slices.Clone(r.results[:kept]), slices.Clone(r.steps[:kept])
	if kept == 0 {
		back.checkpoint, back.checked = nil, 0
	}
	for i, lines := range r.lines {
		if i < kept {
			back.lines[i] = lines
		}
	}
	return &back, nil
}

func (e *Engine) begin(ctx context.Context, s *Scenario) (*run, error) {
	runner, err := scenario.NewRunner(ctx, s.Kubernetes, nil, e.configure)
	if err != nil {
		return nil, err
	}
	r := &run{defined: runner}
	for _, text := range s.Definitions {
		var d DefinitionResult
		if err := define(ctx, runner, text); err != nil {
			d.Mark = markOf(err)
		} else if doc, err := document.ParseYAML([]byte(text), document.Options{}); err == nil {
			d.OK, d.Name = true, doc.Root.Lookup("metadata", "name").StringOr("")
		}
		r.definitions = append(r.definitions, d)
	}
	return r.load(ctx, s)
}

// load starts a new run with the same definitions and the objects of a scenario.
func (r *run) load(ctx context.Context, s *Scenario) (*run, error) {
	var err error
	if r.base, err = r.defined.Fork(); err != nil {
		return nil, err
	}
	for i, text := range s.Objects {
		var found []scenario.Existing
		err := tooDeep(text)
		if err == nil {
			found, err = r.base.Load(ctx, text)
		}
		if err != nil {
			r.objects = append(r.objects, ExistingObject{Text: i, Mark: markOf(err)})
			r.existing = append(r.existing, scenario.Existing{})
			continue
		}
		for _, x := range found {
			r.objects = append(r.objects, ExistingObject{Text: i, OK: true, Target: Target(x.Target), Notes: append(x.Notes, notServed(s, &x)...), Managers: managerNames(x.Object.Managed)})
			r.existing = append(r.existing, x)
		}
	}
	r.lines = map[int][]explain.Line{}
	r.runner, err = r.base.Fork()
	return r, err
}

func markOf(err error) Mark {
	m := Mark{Message: reason(err)}
	m.Line, m.Column = place(err)
	return m
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
	out := &RunOutput{Steps: r.steps, Definitions: r.definitions, Objects: r.objects, Unvalidated: !complete}
	rules, policies := r.runner.NotRun(context.Background())
	out.PoliciesNotRun = policies
	out.At = min(max(in.At, 0), len(r.results))
	out.Against = min(max(in.Against, 0), out.At)
	res, err := r.result(out.At, in.Object)
	if err != nil {
		return out, nil // there is no object yet
	}
	if rules > 0 && res.Kind != nil {
		out.RulesNotRun = res.Kind.Rules
	}
	now := shownState(out.At, in.Object)
	last := r.state(res, out.Against)
	before, after := r.objectAt(last), res.After
	lines := r.linesAfter(now)
	out.Rows = rows(res.Kind, r.linesAfter(last), lines, managers(before), managers(after))
	list := explain.Changes(typeOf(res.Kind), before, after)
	out.Changed = len(list)
	if in.Changes > 0 && len(list) > in.Changes {
		list = list[:in.Changes]
	}
	out.Changes = changes(list, lines)
	out.Conflicts = conflicts(res, lines)
	if after.Value.Exists() {
		out.Object = object(Target(res.Target), after)
	}
	return out, nil
}

// A state of an object is the index, from 0, of the step after which it holds. Negative values
// are absent, if there is no object, and the initial objects of the scenario, from -2
// downwards.
const absent = -1

// shownState returns the state after a number of steps, or that of an initial object.
func shownState(at, object int) int {
	if at == 0 {
		return absent - 1 - object
	}
	return at - 1
}

// objectAt returns the object in a state.
func (r *run) objectAt(state int) fieldmanager.Object {
	switch {
	case state == absent:
		return fieldmanager.Object{}
	case state < absent:
		return r.existing[absent-1-state].Object
	}
	return r.results[state].After
}

// linesAfter returns the lines of the object in a state.
func (r *run) linesAfter(state int) []explain.Line {
	if state == absent {
		return nil
	}
	lines, ok := r.lines[state]
	if ok {
		return lines
	}
	if state < absent {
		x := &r.existing[absent-1-state]
		lines = explain.Lines(typeOf(x.Kind), x.Object)
	} else {
		res := &r.results[state]
		before := r.state(res, state)
		if known, ok := r.lines[before]; ok && (before < 0 || r.results[before].Kind == res.Kind) {
			lines = explain.LinesAfter(typeOf(res.Kind), res.After, r.objectAt(before), known)
		} else {
			lines = explain.Lines(typeOf(res.Kind), res.After)
		}
	}
	r.lines[state] = lines
	return lines
}

// result runs a scenario and returns the result of a step, from 1; for step 0 it is that of an
// initial object.
func (e *Engine) result(s *Scenario, at, object int) (*scenario.Result, error) {
	r, err := e.running(context.Background(), s, at)
	if err != nil {
		return nil, err
	}
	return r.result(at, object)
}

func (r *run) result(at, object int) (*scenario.Result, error) {
	switch {
	case at == 0 && object >= 0 && object < len(r.objects) && r.objects[object].OK:
		x := &r.existing[object]
		return &scenario.Result{Target: x.Target, Kind: x.Kind, Before: x.Object, After: x.Object}, nil
	case at < 1 || at > len(r.results):
		return nil, errors.New("there is no such step")
	}
	return &r.results[at-1], nil
}

// state returns the last state of a step's object within the first n steps.
func (r *run) state(of *scenario.Result, n int) int {
	for i := n - 1; i >= 0; i-- {
		if r.results[i].Target == of.Target {
			return i
		}
	}
	for i := range r.existing {
		if r.objects[i].OK && r.existing[i].Target == of.Target {
			return absent - 1 - i
		}
	}
	return absent
}

func typeOf(k *schema.Kind) *schema.Type {
	if k == nil {
		return schema.Deduced()
	}
	return k.Type()
}

func stepResult(s *Scenario, body string, res *scenario.Result) StepResult {
	out := StepResult{OK: res.Err == nil, Code: res.Code, Warnings: res.Warnings, Conflicts: len(res.Conflicts()),
		Target: Target(res.Target), Marks: marks(body, res)}
	if res.Err != nil {
		out.Message = res.Err.Error()
		out.Unapplied = errors.Is(res.Err, patch.ErrCannotApply)
	}
	hint := unknownKind(s, res)
	if hint.Message == "" {
		hint = missingName(res)
	}
	if hint.Message != "" {
		out.Message += "; " + hint.Message
		out.Marks = []Mark{hint}
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
