package explain

import (
	"errors"
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// The names of the ways to resolve a conflict.
const (
	Force      = "force"
	DropField  = "drop"
	AdoptValue = "adopt"
)

// ErrWay is the cause of an error if a conflict cannot be resolved in the chosen way.
var ErrWay = errors.New("the conflict cannot be resolved in this way")

// Way is a way to resolve a conflict.
type Way struct {
	// Name is Force, DropField or AdoptValue.
	Name string `json:"name"`
	// Summary is a sentence about the effect.
	Summary string `json:"summary"`
	// Force is set if the configuration must be applied with force.
	Force bool `json:"force,omitempty"`

	conflict fieldmanager.Conflict
}

// Ways returns the ways to resolve a conflict of an apply: to take over the field by force;
// to drop it from the configuration; and, if the live object has it, to adopt the live
// value, so that both managers own it.
func Ways(c fieldmanager.Conflict) []Way {
	ways := []Way{
		{Name: Force, Summary: "apply with force: " + c.Manager + " loses the field", Force: true, conflict: c},
		{Name: DropField, Summary: "remove the field from the configuration: " + c.Manager + " keeps it", conflict: c},
	}
	if c.Live.Exists() {
		ways = append(ways, Way{Name: AdoptValue, Summary: "set the field to the live value: both own it", conflict: c})
	}
	return ways
}

// Config returns the configuration to apply in place of config, whose type is t.
func (w Way) Config(t *schema.Type, config document.Value) document.Value {
	switch w.Name {
	case DropField:
		return Drop(t, config, w.conflict.Path)
	case AdoptValue:
		return Adopt(t, config, w.conflict.Path, w.conflict.Live)
	}
	return config
}

// Resolution is a configuration with resolved conflicts.
type Resolution struct {
	// Config is the configuration to apply, with force if Force is set.
	Config document.Value `json:"config,omitzero"`
	Force  bool           `json:"force,omitempty"`
	// Open holds the conflicts that were left open. If Force is set, these do not conflict
	// either, because force takes over every field of the configuration.
	Open []fieldmanager.Conflict `json:"open,omitempty"`
}

// Resolve resolves the conflicts of a configuration of type t. choose returns the name of
// the way to resolve a conflict, or "" to leave it open; a nil choose leaves all of them open.
//
// An error wraps ErrWay: the name is unknown, there is no live value to adopt, or the
// configuration has no value at the path of the conflict. The last happens if the owner's
// entry has another apiVersion, in which the field has another path; such a field can be
// taken over by force.
func Resolve(t *schema.Type, config document.Value, conflicts []fieldmanager.Conflict, choose func(fieldmanager.Conflict) string) (Resolution, error) {
	r := Resolution{Config: config}
	var edits []edit
	var of []fieldmanager.Conflict // by index of edits
	for _, c := range conflicts {
		name := ""
		if choose != nil {
			name = choose(c)
		}
		switch {
		case name == "":
			r.Open = append(r.Open, c)
		case name == Force:
			r.Force = true
		case name == DropField:
			edits, of = append(edits, edit{path: c.Path}), append(of, c)
		case name == AdoptValue && c.Live.Exists():
			edits, of = append(edits, edit{path: c.Path, value: c.Live}), append(of, c)
		case name == AdoptValue:
			return Resolution{}, fmt.Errorf("%w: %s: the live object has no value to adopt", ErrWay, c.Path)
		default:
			return Resolution{}, fmt.Errorf("%w: %q is not one of %s, %s and %s", ErrWay, name, Force, DropField, AdoptValue)
		}
	}
	if len(edits) == 0 {
		return r, nil
	}
	var found []bool
	r.Config, found = edited(t, config, edits)
	if i := slices.Index(found, false); i >= 0 {
		return Resolution{}, fmt.Errorf("%w: %s: the configuration has no such field; %q owns it in %s", ErrWay, of[i].Path, of[i].Manager, of[i].APIVersion)
	}
	return r, nil
}

// Drop returns a configuration of type t without the field at path and without the objects
// and lists that become empty. If there is no value at path, it returns config.
func Drop(t *schema.Type, config document.Value, path document.Path) document.Value {
	out, _ := edited(t, config, []edit{{path: path}})
	return out
}

// Adopt returns a configuration of type t with the field at path set to value. If there is
// no value at path, it returns config.
func Adopt(t *schema.Type, config document.Value, path document.Path, value document.Value) document.Value {
	out, _ := edited(t, config, []edit{{path: path, value: value}})
	return out
}

// edit replaces the part of a configuration at a path with a value, or removes it, with the objects
// and lists that become empty, if the value is absent.
type edit struct {
	path  document.Path
	value document.Value
	index int // in the list of all edits
}

// edited returns a configuration of type t after edits, and which of them found the part at their
// path. Each object and list is copied once, however many edits it has.
func edited(t *schema.Type, config document.Value, edits []edit) (out document.Value, found []bool) {
	e := editor{found: make([]bool, len(edits))}
	for i := range edits {
		edits[i].index = i
	}
	return e.edit(t, config, edits), e.found
}

type editor struct{ found []bool }

func (e *editor) edit(t *schema.Type, v document.Value, edits []edit) document.Value {
	for i, one := range slices.Backward(edits) {
		if len(one.path) == 0 { // the whole; edits before it have no effect
			for _, replaced := range edits[:i+1] {
				e.found[replaced.index] = true
			}
			v, edits = one.value, edits[i+1:]
			break
		}
	}
	if len(edits) == 0 {
		return v
	}
	below := map[document.Step][]edit{}
	for _, one := range edits {
		step := one.path[0]
		below[step] = append(below[step], edit{one.path[1:], one.value, one.index})
	}
	switch {
	case v.Kind() == document.Object:
		return e.object(t, v, below)
	case v.Kind() == document.List && t != nil && t.List != nil:
		return e.list(t, v, below)
	}
	return v
}

func (e *editor) object(t *schema.Type, v document.Value, below map[document.Step][]edit) document.Value {
	var out document.ObjectBuilder
	changed := false
	for i := range v.Len() {
		name := v.Key(i)
		edits := below[document.FieldStep(name)]
		if edits == nil {
			out.Keep(v, i)
			continue
		}
		var kt *schema.Type
		if t != nil {
			kt = t.Map.Member(name)
		}
		kid := e.edit(kt, v.At(i), edits)
		changed = changed || kid != v.At(i)
		if kid.Exists() {
			out.Set(name, kid)
		}
	}
	return orNothing(v, out.Object(), changed)
}

func (e *editor) list(t *schema.Type, v document.Value, below map[document.Step][]edit) document.Value {
	var out document.ListBuilder
	changed := false
	for i, item := range v.Items() {
		step, edits := e.itemEdits(t, item, i, below)
		if edits == nil {
			out.AppendItems(v, i, i+1)
			continue
		}
		delete(below, step) // the first item with the key counts
		next := e.edit(t.List.Elem, item, edits)
		changed = changed || next != item
		if next.Exists() {
			out.Append(next)
		}
	}
	return orNothing(v, out.List(), changed)
}

// itemEdits returns the edits of the item at index i and their step, which is the index or the key.
func (e *editor) itemEdits(t *schema.Type, item document.Value, i int, below map[document.Step][]edit) (document.Step, []edit) {
	if at := document.IndexStep(i); below[at] != nil {
		return at, below[at]
	}
	element, ok := structured.ItemElement(t.List, item)
	if !ok {
		return document.Step{}, nil
	}
	step := fieldset.Step(element)
	if below[step] == nil {
		step = fieldset.Step(fieldset.Reread(element)) // a large number is decoded as the nearest float64
	}
	return step, below[step]
}

// orNothing returns the edited object or list, v itself if nothing changed, and an absent value if
// everything was removed.
func orNothing(v, edited document.Value, changed bool) document.Value {
	switch {
	case !changed:
		return v
	case edited.Len() == 0:
		return document.Value{}
	}
	return edited
}
