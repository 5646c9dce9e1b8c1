package explain

import (
	"errors"
	"fmt"

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
	Name string
	// Summary is a sentence about the effect.
	Summary string
	// Force is set if the configuration must be applied with force.
	Force bool

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
	Config document.Value
	Force  bool
	// Open holds the conflicts that were left open. If Force is set, these do not conflict
	// either, because force takes over every field of the configuration.
	Open []fieldmanager.Conflict
}

// Resolve resolves the conflicts of a configuration of type t. choose returns the name of
// the way to resolve a conflict, or "" to leave it open.
//
// An error wraps ErrWay: the name is unknown, there is no live value to adopt, or the
// configuration has no value at the path of the conflict. The last happens if the owner's
// entry has another apiVersion, in which the field has another path; such a field can be
// taken over by force.
func Resolve(t *schema.Type, config document.Value, conflicts []fieldmanager.Conflict, choose func(fieldmanager.Conflict) string) (Resolution, error) {
	r := Resolution{Config: config}
	for _, c := range conflicts {
		name := choose(c)
		if name == "" {
			r.Open = append(r.Open, c)
			continue
		}
		way, err := wayNamed(t, config, c, name)
		if err != nil {
			return Resolution{}, err
		}
		r.Config, r.Force = way.Config(t, r.Config), r.Force || way.Force
	}
	return r, nil
}

// wayNamed returns the way with a name to resolve a conflict of a configuration.
func wayNamed(t *schema.Type, config document.Value, c fieldmanager.Conflict, name string) (Way, error) {
	for _, w := range Ways(c) {
		if w.Name != name {
			continue
		}
		if !w.Force && document.SameNode(config, Drop(t, config, c.Path)) {
			return w, fmt.Errorf("%w: %s: the configuration has no such field; %q owns it in %s", ErrWay, c.Path, c.Manager, c.APIVersion)
		}
		return w, nil
	}
	if name == AdoptValue {
		return Way{}, fmt.Errorf("%w: %s: the live object has no value to adopt", ErrWay, c.Path)
	}
	return Way{}, fmt.Errorf("%w: %q is not one of %s, %s and %s", ErrWay, name, Force, DropField, AdoptValue)
}

// Drop returns a configuration of type t without the field at path and without the objects
// and lists that become empty. If there is no value at path, it returns config.
func Drop(t *schema.Type, config document.Value, path document.Path) document.Value {
	return edit(t, config, path, document.Value{})
}

// Adopt returns a configuration of type t with the field at path set to value. If there is
// no value at path, it returns config.
func Adopt(t *schema.Type, config document.Value, path document.Path, value document.Value) document.Value {
	return edit(t, config, path, value)
}

// edit replaces the part of v at path with value, or removes it if value is absent.
func edit(t *schema.Type, v document.Value, path document.Path, value document.Value) document.Value {
	if len(path) == 0 {
		return value
	}
	if name, ok := path[0].Name(); ok {
		kid := v.Get(name)
		if !kid.Exists() {
			return v
		}
		var kt *schema.Type
		if t != nil {
			kt = t.Map.Member(name)
		}
		out := v.With(name, edit(kt, kid, path[1:], value))
		return orNothing(out)
	}
	if t == nil || t.List == nil {
		return v
	}
	for i, item := range v.Items() {
		e, ok := structured.ItemElement(t.List, item)
		if !ok || fieldset.Step(e) != path[0] && fieldset.Step(fieldset.Reread(e)) != path[0] { // a large number is decoded as the nearest float64
			continue
		}
		next := edit(t.List.Elem, item, path[1:], value)
		if !next.Exists() {
			return orNothing(v.Splice(i, 1))
		}
		return v.WithItem(i, next)
	}
	return v
}

// orNothing returns an absent value in place of an empty object or list.
func orNothing(v document.Value) document.Value {
	if v.Len() == 0 {
		return document.Value{}
	}
	return v
}
