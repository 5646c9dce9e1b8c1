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

// The names of the ways out of a conflict.
const (
	Force      = "force"
	DropField  = "drop"
	AdoptValue = "adopt"
)

// ErrWay is the cause of the error that a conflict cannot be resolved as chosen.
var ErrWay = errors.New("no such way out of the conflict")

// Way is a way out of a conflict.
type Way struct {
	// Name is Force, DropField or AdoptValue.
	Name string
	// Summary says in a sentence what happens.
	Summary string
	// Force is set if the configuration is to be applied with force.
	Force bool

	conflict fieldmanager.Conflict
}

// Ways returns the ways out of one conflict of an apply: to take the field over
// by force; to drop it from the configuration; and, if the live object has it, to
// adopt the live value, so that both managers own it.
func Ways(c fieldmanager.Conflict) []Way {
	ways := []Way{
		{Name: Force, Summary: "apply with force: " + c.Manager + " loses the field", Force: true, conflict: c},
		{Name: DropField, Summary: "take the field out of the configuration: " + c.Manager + " keeps it", conflict: c},
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

// Resolution is a configuration without the conflicts that it had.
type Resolution struct {
	// Config is the configuration to apply, and Force says whether with force.
	Config document.Value
	Force  bool
	// Open are the conflicts for which no way was chosen. With Force they are no
	// longer conflicts either: force takes over every field of the configuration.
	Open []fieldmanager.Conflict
}

// Resolve takes a way out of each conflict of a configuration of type t. choose
// returns the name of the way for a conflict, "" to leave it open.
//
// An error wraps ErrWay: there is no way of that name, there is no live value to
// adopt, or the configuration has nothing at the path of the conflict. The latter is so
// where the owner's entry is in another apiVersion, in which the field has another
// path; such a field can be taken over by force.
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

// wayNamed returns the way of that name out of a conflict of a configuration.
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
	return Way{}, fmt.Errorf("%w: %q is none of %s, %s and %s", ErrWay, name, Force, DropField, AdoptValue)
}

// Drop returns a configuration of type t without the field at path, and without
// the objects and lists that are empty then. If there is nothing at path, it
// returns config.
func Drop(t *schema.Type, config document.Value, path document.Path) document.Value {
	return edit(t, config, path, document.Value{})
}

// Adopt returns a configuration of type t in which the field at path has the
// value given. If there is nothing at path, it returns config.
func Adopt(t *schema.Type, config document.Value, path document.Path, value document.Value) document.Value {
	return edit(t, config, path, value)
}

// edit replaces the part of v at path by value, or removes it if value is absent.
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
		if !ok || fieldset.Step(e) != path[0] && fieldset.Step(fieldset.Reread(e)) != path[0] { // a large number is read again as the nearest float64
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
