package playground

import (
	"context"
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
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
	i := intent{t: typeOf(res.Kind), builtin: res.Kind.Builtin, live: res.After, want: d.Root, actor: in.Actor, target: res.Target}
	out := &PatchesOutput{}
	for _, do := range [...]scenario.Action{scenario.JSONPatch, scenario.MergePatch, scenario.Strategic, scenario.Apply} {
		p := i.patch(do)
		if p.Body != "" {
			i.try(&p, e.last.runner)
		}
		out.Patches = append(out.Patches, p)
	}
	return out, nil
}

// intent is an object in its current and its desired form.
type intent struct {
	t       *schema.Type
	builtin bool
	live    fieldmanager.Object
	want    document.Value
	actor   string
	target  scenario.Target
}

// patch returns the body of an action that changes the object to its desired form.
func (i *intent) patch(do scenario.Action) Patch {
	var v document.Value
	var err error
	switch do {
	case scenario.JSONPatch:
		v = patch.CreateJSON(i.live.Value, i.want)
	case scenario.MergePatch:
		v, err = patch.CreateMerge(i.live.Value, i.want, patch.Options{})
	case scenario.Strategic:
		if v, err = patch.CreateStrategic(i.live.Value, i.want, i.t, patch.Options{}); !i.builtin {
			err = errors.New("the API server does not support strategic merge patches for custom resources")
		}
	case scenario.Update:
		v = without(i.want, "metadata", "resourceVersion")
	default:
		v = i.configuration()
	}
	if err != nil {
		return Patch{Do: string(do), Message: err.Error()}
	}
	return Patch{Do: string(do), Body: string(v.YAML())}
}

// configuration returns the apply configuration for the desired object: all fields that the
// actor has applied so far, with their desired values, and the other changed fields. Fields
// that the actor has applied are removed by leaving them out.
func (i *intent) configuration() document.Value {
	fields := fieldmanager.Set{}
	for _, e := range i.live.Managed.Entries() {
		if e.Manager == i.actor && e.Operation == fieldmanager.OperationApply && e.Subresource == "" {
			fields = fields.Union(e.Fields)
		}
	}
	changed := map[string]bool{}
	for _, c := range explain.Changes(i.t, fieldmanager.Object{Value: i.live.Value}, fieldmanager.Object{Value: i.want}) {
		if c.After.Exists() {
			changed[c.Path.String()] = true
		}
	}
	pick := picker{fields: fields, changed: changed}
	return identified(pick.of(i.t, i.want, nil, fields, false), i.want)
}

// identified sets the fields of a configuration that identify the object.
func identified(v, object document.Value) document.Value {
	for _, keys := range [...][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		v = v.Set(object.Lookup(keys...), keys...)
	}
	return v
}

// picker extracts fields of an object.
type picker struct {
	fields  fieldmanager.Set
	changed map[string]bool // by Path.String
}

// of returns the parts of v that are owned or changed, absent if there are none. owned are the
// owned fields below it; whole reports whether v itself is owned.
func (p *picker) of(t *schema.Type, v document.Value, path document.Path, owned fieldmanager.Set, whole bool) document.Value {
	kept := document.Value{}
	switch {
	case p.changed[path.String()]:
		return v
	case v.Kind() == document.Object && v.Len() > 0 && (t == nil || t.Map == nil || !t.Map.Atomic):
		kept = p.members(t, v, path, owned)
	case v.Kind() == document.List && v.Len() > 0 && t != nil && t.List != nil && t.List.Kind != schema.AtomicList:
		kept = p.items(t, v, path, owned)
	case whole:
		return v
	}
	return kept
}

func (p *picker) members(t *schema.Type, v document.Value, path document.Path, owned fieldmanager.Set) document.Value {
	var b document.ObjectBuilder
	for name, kid := range v.Members() {
		var kt *schema.Type
		if t != nil {
			kt = t.Map.Member(name)
		}
		step := document.Keys(name)
		b.Set(name, p.of(kt, kid, path.Join(step...), owned.Below(step), owned.Has(step)))
	}
	if b.Len() == 0 {
		return document.Value{}
	}
	return b.Object()
}

// items extracts the items that have extracted fields, with their keys.
func (p *picker) items(t *schema.Type, v document.Value, path document.Path, owned fieldmanager.Set) document.Value {
	var b document.ListBuilder
	for _, kid := range v.Items() {
		e, ok := structured.ItemElement(t.List, kid)
		if !ok {
			continue
		}
		step, _, err := document.ParseElement(e)
		if err != nil {
			continue
		}
		member := owned.Has(document.Path{step})
		kept := p.of(t.List.Elem, kid, path.Join(step), owned.Below(document.Path{step}), member)
		if !kept.Exists() && !member {
			continue
		}
		if !kept.Exists() {
			kept = document.NewObject()
		}
		for _, key := range t.List.Keys {
			kept = kept.With(key.Name, kid.Get(key.Name))
		}
		b.Append(kept)
	}
	if b.Len() == 0 {
		return document.Value{}
	}
	return b.List()
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
	done := explain.Changes(i.t, i.live, res.After)
	p.Changes = changes(done, nil)
	p.Follows = follows(i.t, i.live, i.actor, step.Do, res.Config, done)
	after := res.After.Value
	if step.Do == scenario.ClientApply { // its annotation is not part of the edit
		after = requested(after, i.live.Value)
	}
	for _, c := range explain.Changes(i.t, fieldmanager.Object{Value: i.want}, fieldmanager.Object{Value: after}) {
		if c.Effect == explain.Set || c.Effect == explain.Removed {
			p.Message = "the API server accepts it, but the result differs from the edited object at " + c.Path.String()
			return
		}
	}
	p.OK = true
}
