package playground

import (
	"context"
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/scenario"
)

// manifests are the actions whose body is a manifest, so that its text can be kept when one is
// converted to another.
var manifests = map[scenario.Action]bool{scenario.Apply: true, scenario.ForceApply: true, scenario.ClientApply: true, scenario.Create: true}

// convert converts a step to another action that sets the same values.
func (e *Engine) convert(in *ConvertInput) (*ConvertOutput, error) {
	res, err := e.result(&in.Scenario, in.At, 0)
	if err != nil {
		return nil, err
	}
	if in.At < 1 {
		return nil, errors.New("there is no step before the first")
	}
	out := &ConvertOutput{Step: in.Scenario.Steps[in.At-1]}
	from, to := scenario.Action(out.Step.Do), scenario.Action(in.Do)
	out.Step.Do = in.Do
	i, err := e.intentOf(res, &in.Scenario.Steps[in.At-1])
	if err != nil {
		return nil, err
	}
	if from == to || manifests[from] && manifests[to] {
		out.Kept, out.Patch = true, Patch{Do: in.Do, Body: out.Step.Body}
	} else {
		if !i.live.Value.Exists() {
			return nil, errors.New("there is no object before the step that could be patched or updated")
		}
		out.Patch = i.patch(to, e.last.runner)
		if out.Patch.Body == "" {
			return nil, errors.New(out.Patch.Message)
		}
		out.Step.Body = out.Patch.Body
		out.Step.Target = Target(i.target)
	}
	i.try(&out.Patch, e.last.runner)
	return out, nil
}

// intentOf returns the intended effect of a step: the resulting object, or the object that
// would result if no other manager owned the fields.
func (e *Engine) intentOf(res *scenario.Result, s *Step) (*intent, error) {
	step := s.step()
	switch {
	case step.Do == scenario.Delete:
		return nil, errors.New("a deletion does not change fields")
	case step.Subresource != "":
		return nil, errors.New("a step on the subresource " + step.Subresource + " cannot be converted")
	}
	wanted := *res
	if len(res.Conflicts()) > 0 {
		step.Do = scenario.ForceApply
		wanted = e.last.runner.Try(context.Background(), &step, res.Before)
	}
	if wanted.Err != nil {
		return nil, errors.New("the step itself is refused: " + wanted.Err.Error())
	}
	return &intent{kind: res.Kind, live: res.Before, want: requested(wanted.After.Value, res.Before.Value), actor: s.Actor, target: res.Target}, nil
}

// requested returns the object after a change with the fields that the API server and kubectl
// update themselves, such as counters, set to their previous values.
func requested(after, before document.Value) document.Value {
	for _, field := range [...][]string{{"metadata", "resourceVersion"}, {"metadata", "generation"}, {"metadata", "annotations", patch.LastApplied}} {
		if was := before.Lookup(field...); was.Exists() {
			after = after.Set(was, field...)
		} else {
			after = without(after, field...)
		}
	}
	return after
}

// without returns an object without a field, and without the objects that become empty.
func without(v document.Value, field ...string) document.Value {
	if len(field) == 1 {
		return v.Without(field[0])
	}
	kid := v.Get(field[0])
	if !kid.Exists() {
		return v
	}
	if kid = without(kid, field[1:]...); kid.Len() == 0 {
		return v.Without(field[0])
	}
	return v.With(field[0], kid)
}
