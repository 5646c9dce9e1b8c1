//go:build !js || lab

package playground

import (
	"errors"
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// labCalls are the calls for objects that the message itself contains.
func labCalls() map[string]call {
	return map[string]call{
		"labKinds":   callOf((*Engine).labKinds),
		"labChange":  callOf((*Engine).labChange),
		"labOwners":  callOf((*Engine).labOwners),
		"labExplain": callOf((*Engine).labExplain),
		"labCompare": callOf((*Engine).labCompare),
	}
}

// keptLab is a Lab and the options that it was made with.
type keptLab struct {
	options LabOptions
	lab     *patchlab.Lab
}

// labOf returns a Lab. The last one is cached, because most callers use the same options
// repeatedly, and parsing definitions is slow.
func (e *Engine) labOf(o LabOptions) (*patchlab.Lab, error) {
	if e.lab != nil && e.lab.options.Kubernetes == o.Kubernetes && slices.Equal(e.lab.options.Definitions, o.Definitions) {
		return e.lab.lab, nil
	}
	catalog, err := schema.Builtin(o.Kubernetes)
	if err != nil {
		return nil, err
	}
	kinds := schema.NewRegistry(catalog)
	for i, text := range o.Definitions {
		if err := addDefinitions(kinds, text); err != nil {
			return nil, fmt.Errorf("definition %d: %w", i+1, err)
		}
	}
	lab, err := patchlab.New(patchlab.Options{Kinds: kinds, Rules: e.rules})
	if err != nil {
		return nil, err
	}
	e.lab = &keptLab{o, lab}
	return lab, nil
}

func addDefinitions(kinds *schema.Registry, text string) error {
	if err := tooDeep(text); err != nil {
		return err
	}
	docs, err := manifest.Parse("", []byte(text))
	if err != nil {
		return err
	}
	objects := manifest.Split(docs...)
	if len(objects) == 0 {
		return errors.New("there is no CustomResourceDefinition in it")
	}
	for _, o := range objects {
		crd, err := manifest.CRD(o)
		if err != nil {
			return err
		}
		kinds.AddCRD(crd)
	}
	return nil
}

// input returns a text as an Input, nil for "".
func input(text string) (patchlab.Input, error) {
	if text == "" {
		return nil, nil
	}
	if err := tooDeep(text); err != nil {
		return nil, err
	}
	return patchlab.Bytes(text), nil
}

// labKinds reports whether options are valid.
func (e *Engine) labKinds(in *LabKindsInput) (*LabKindsOutput, error) {
	if _, err := e.labOf(in.Lab); err != nil {
		return nil, err
	}
	return &LabKindsOutput{Versions: schema.Versions()}, nil
}

func (e *Engine) labChange(in *LabChangeInput) (*LabChangeOutput, error) {
	lab, err := e.labOf(in.Lab)
	if err != nil {
		return nil, err
	}
	live, err := input(in.Live)
	if err != nil {
		return nil, fmt.Errorf("the live object: %w", err)
	}
	change, err := input(in.Change)
	if err != nil {
		return nil, err
	}
	out := &LabChangeOutput{}
	result, err := performChange(lab, live, change, in)
	var refused *patchlab.Error
	switch {
	case errors.As(err, &refused):
		out.refuse(refused)
	case err != nil:
		return nil, err
	default:
		out.accept(result)
	}
	return out, nil
}

// performChange makes a change with a Lab.
func performChange(lab *patchlab.Lab, live, change patchlab.Input, in *LabChangeInput) (*patchlab.Result, error) {
	switch action := patchlab.Action(in.Action); action {
	case patchlab.ActionApply, patchlab.ActionClientApply:
		o := patchlab.ApplyOptions{FieldManager: in.FieldManager, Force: in.Force, Subresource: in.Subresource,
			FieldValidation: in.FieldValidation, Namespace: in.Namespace}
		if action == patchlab.ActionApply {
			return lab.Apply(live, change, o)
		}
		return lab.ClientApply(live, change, o)
	case patchlab.ActionCreate, patchlab.ActionUpdate:
		o := patchlab.WriteOptions{FieldManager: in.FieldManager, Subresource: in.Subresource, FieldValidation: in.FieldValidation, Namespace: in.Namespace}
		if action == patchlab.ActionCreate {
			return lab.Create(change, o)
		}
		return lab.Update(live, change, o)
	case actionPatch, patchlab.ActionJSONPatch, patchlab.ActionMergePatch, patchlab.ActionStrategicPatch:
		return lab.Patch(live, change, patchlab.PatchOptions{Type: patchTypes[action], FieldManager: in.FieldManager,
			Subresource: in.Subresource, FieldValidation: in.FieldValidation, Namespace: in.Namespace})
	}
	return nil, errors.New("unknown action " + in.Action)
}

// actionPatch is a patch whose type is detected from its contents.
const actionPatch patchlab.Action = "patch"

// patchTypes are the patch types of actions; actionPatch has the zero Type.
var patchTypes = map[patchlab.Action]patch.Type{
	patchlab.ActionJSONPatch: patch.TypeJSON, patchlab.ActionMergePatch: patch.TypeMerge, patchlab.ActionStrategicPatch: patch.TypeStrategic,
}

// accept sets the result of an accepted change.
func (out *LabChangeOutput) accept(r *patchlab.Result) {
	out.Target, out.Action, out.FieldManager = Target(r.Target), string(r.Action), r.FieldManager
	out.Created, out.Changed = r.Created(), r.Changed()
	object := r.Object()
	out.Object, out.YAML = string(object.JSON()), string(object.YAML())
	out.Managers, out.Owners = managerList(r.After.Managed), fieldOwners(r.After.Managed)
	out.Changes = differences(r.Changes())
	out.Warnings, out.Notes = r.Warnings, noteTexts(r.Notes)
}

func noteTexts(notes []patchlab.Note) []string {
	var texts []string
	for _, n := range notes {
		texts = append(texts, n.String())
	}
	return texts
}

// refuse sets the reason for which a change was refused.
func (out *LabChangeOutput) refuse(e *patchlab.Error) {
	out.Target, out.Action, out.FieldManager, out.Notes = Target(e.Target), string(e.Action), e.FieldManager, noteTexts(e.Notes)
	out.Refusal = &Refusal{Message: e.Error(), Code: e.Code, Reason: e.Reason, Line: e.Position.Line, Column: e.Position.Column}
	for _, f := range e.Fields {
		out.Refusal.Fields = append(out.Refusal.Fields, RefusedField{Path: f.Path.String(), Line: f.Position.Line, Column: f.Position.Column,
			Message: f.Message, Value: jsonText(f.Value), Hint: f.Hint})
	}
	for _, o := range e.Options {
		out.Refusal.Fields = append(out.Refusal.Fields, RefusedField{Path: o.Name, Message: o.Message})
	}
	if e.Conflicts == nil {
		return
	}
	for i, c := range e.Conflicts.List {
		view := LabConflict{Path: c.Path.String(), Manager: manager(c.Owner, c.Time), Live: jsonText(c.Live), Wanted: jsonText(c.Wanted)}
		if i < len(e.Fields) {
			view.Line, view.Column = e.Fields[i].Position.Line, e.Fields[i].Position.Column
		}
		for _, w := range explain.Ways(c) {
			view.Ways = append(view.Ways, Way{Name: w.Name, Summary: w.Summary})
		}
		out.Conflicts = append(out.Conflicts, view)
	}
}

func (e *Engine) labOwners(in *LabObjectInput) (*LabOwnersOutput, error) {
	object, path, err := e.labObject(in)
	if err != nil {
		return nil, err
	}
	out := &LabOwnersOutput{Managers: managerList(object.Managed)}
	if len(path) == 0 {
		out.Owners = fieldOwners(object.Managed)
		return out, nil
	}
	entries, err := object.Owners(path)
	if err != nil {
		return nil, err
	}
	owner := FieldOwner{Path: in.Path}
	for i, all := range object.Managed.Entries() {
		if slices.ContainsFunc(entries, func(e fieldmanager.Entry) bool { return e.Owner == all.Owner }) {
			owner.Managers = append(owner.Managers, i)
		}
	}
	out.Owners = []FieldOwner{owner}
	return out, nil
}

func (e *Engine) labExplain(in *LabObjectInput) (*LabExplainOutput, error) {
	object, path, err := e.labObject(in)
	if err != nil {
		return nil, err
	}
	asked := object.Value.Follow(path)
	out := &LabExplainOutput{Managers: managerList(object.Managed)}
	var last document.Path
	for i, l := range object.Lines() {
		if i > 0 && slices.Equal(last, l.Path) {
			continue
		}
		last = l.Path
		value := object.Value.Follow(l.Path)
		if len(path) > 0 && !document.SameNode(value, asked) {
			continue
		}
		out.Fields = append(out.Fields, Explained{Path: l.Path.String(), Value: jsonText(value), Line: i + 1, Merges: l.Merges, Managers: l.Owners})
		if len(path) > 0 {
			return out, nil
		}
	}
	if len(path) > 0 {
		return nil, errors.New("the object has no field " + in.Path)
	}
	return out, nil
}

func (e *Engine) labCompare(in *LabCompareInput) (*LabCompareOutput, error) {
	lab, err := e.labOf(in.Lab)
	if err != nil {
		return nil, err
	}
	before, err := input(in.Before)
	if err != nil {
		return nil, err
	}
	after, err := input(in.After)
	if err != nil {
		return nil, err
	}
	list, err := lab.Changes(before, after)
	if err != nil {
		return nil, err
	}
	return &LabCompareOutput{Changes: differences(list)}, nil
}

// labObject parses an object and a path in it.
func (e *Engine) labObject(in *LabObjectInput) (*patchlab.Object, document.Path, error) {
	lab, err := e.labOf(in.Lab)
	if err != nil {
		return nil, nil, err
	}
	text, err := input(in.Object)
	if err != nil {
		return nil, nil, err
	}
	object, err := lab.Open(text)
	if err != nil {
		return nil, nil, err
	}
	if in.Path == "" {
		return object, nil, nil
	}
	path, err := document.ParsePath(in.Path)
	return object, path, err
}

// fieldOwners lists the fields in managedFields with their owners.
func fieldOwners(m fieldmanager.Managed) []FieldOwner {
	all := fieldmanager.Set{}
	for _, e := range m.Entries() {
		all = all.Union(e.Fields)
	}
	var out []FieldOwner
	for p := range all.All() {
		f := FieldOwner{Path: p.String()}
		for i, e := range m.Entries() {
			if e.Fields.Has(p) {
				f.Managers = append(f.Managers, i)
			}
		}
		out = append(out, f)
	}
	return out
}

func differences(list []explain.Change) []LabChange {
	var out []LabChange
	for _, c := range list {
		out = append(out, LabChange{Path: c.Path.String(), Effect: string(c.Effect), Before: jsonText(c.Before), After: jsonText(c.After),
			OwnersBefore: ownerNames(c.OwnersBefore), OwnersAfter: ownerNames(c.OwnersAfter)})
	}
	return out
}

// jsonText returns a value as JSON, "" if it is absent.
func jsonText(v document.Value) string {
	if !v.Exists() {
		return ""
	}
	return string(v.JSON())
}
