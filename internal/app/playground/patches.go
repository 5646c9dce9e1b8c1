package playground

import (
	"context"
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
)

// patches creates the four patches that change the object to its edited form, and sends each
// to a cluster of its own for its result.
func (e *Engine) patches(in *PatchesInput) (*PatchesOutput, error) {
	res, err := e.result(&in.Scenario, in.At, in.Object)
	if err != nil {
		return nil, err
	}
	if !res.After.Value.Exists() {
		return nil, errors.New("there is no object to edit")
	}
	if err := tooDeep(in.Edited); err != nil {
		return nil, err
	}
	d, err := document.ParseYAML([]byte(in.Edited), document.Options{})
	if err != nil {
		return nil, err
	}
	if d.Root.Kind() != document.Object {
		return nil, errors.New("an object cannot become a " + d.Root.Kind().String())
	}
	i := intent{kind: res.Kind, live: res.After, want: d.Root, actor: in.Actor, target: res.Target}
	out := &PatchesOutput{}
	for _, do := range [...]scenario.Action{scenario.JSONPatch, scenario.MergePatch, scenario.Strategic, scenario.Apply} {
		p := i.patch(do, e.last.runner)
		if p.Body != "" {
			i.try(&p, e.last.runner)
		}
		out.Patches = append(out.Patches, p)
	}
	return out, nil
}

// intent is an object in its current and its desired form.
type intent struct {
	kind   *schema.Kind
	live   fieldmanager.Object
	want   document.Value
	actor  string
	target scenario.Target
}

// patch returns the body of an action that changes the object to its desired form.
func (i *intent) patch(do scenario.Action, runner *scenario.Runner) Patch {
	var v document.Value
	var err error
	switch do {
	case scenario.JSONPatch:
		v = patch.CreateJSON(i.live.Value, i.want)
	case scenario.MergePatch:
		v, err = patch.CreateMerge(i.live.Value, i.want, patch.Options{})
	case scenario.Strategic:
		if v, err = patch.CreateStrategic(i.live.Value, i.want, i.kind.Type(), patch.Options{}); !i.kind.Builtin {
			err = errors.New("the API server does not support strategic merge patches for custom resources")
		}
	case scenario.Update:
		v = without(i.want, "metadata", "resourceVersion")
	default:
		v, err = configuration(runner, i.kind, i.live, i.want, i.actor)
	}
	if err != nil {
		return Patch{Do: string(do), Message: err.Error()}
	}
	return Patch{Do: string(do), Body: string(v.YAML())}
}

// configuration returns the configuration that a manager must apply to change the live object to
// wanted; see fieldmanager.Manager.Configuration.
func configuration(runner *scenario.Runner, kind *schema.Kind, live fieldmanager.Object, wanted document.Value, manager string) (document.Value, error) {
	m, err := runner.Manager(kind)
	if err != nil {
		return document.Value{}, err
	}
	return m.Configuration(live, wanted, manager)
}

// try sends a patch to the live object, and sets its result and the commands for it.
func (i *intent) try(p *Patch, runner *scenario.Runner) {
	step := scenario.Step{Actor: i.actor, Do: scenario.Action(p.Do), Target: i.target, Body: p.Body}
	res := runner.Try(context.Background(), &step, i.live)
	p.Kubectl, p.Curl, p.Go = scenario.Command(&step, &res), curl(&step, &res), clientGo(&step, &res)
	if res.Err != nil {
		p.Message = res.Err.Error()
		return
	}
	done := explain.Changes(i.kind.Type(), i.live, res.After)
	p.Changes = changes(done, nil)
	p.Follows = follows(i.kind.Type(), i.live, i.actor, step.Do, res.Config, done)
	after := res.After.Value
	if step.Do == scenario.ClientApply { // its annotation is not part of the edit
		after = requested(after, i.live.Value)
	}
	for _, c := range explain.Changes(i.kind.Type(), fieldmanager.Object{Value: i.want}, fieldmanager.Object{Value: after}) {
		if c.Effect == explain.Set || c.Effect == explain.Removed {
			p.Message = "the API server accepts it, but the result differs from the edited object at " + c.Path.String()
			return
		}
	}
	p.OK = true
}
