package explain

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// Way is a way out of a conflict.
type Way struct {
	// Name is force, drop or adopt.
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
		{Name: "force", Summary: "apply with force: " + c.Manager + " loses the field", Force: true, conflict: c},
		{Name: "drop", Summary: "take the field out of the configuration: " + c.Manager + " keeps it", conflict: c},
	}
	if c.Live.Exists() {
		ways = append(ways, Way{Name: "adopt", Summary: "set the field to the live value: both own it", conflict: c})
	}
	return ways
}

// Config returns the configuration to apply in place of config, whose type is t.
func (w Way) Config(t *schema.Type, config document.Value) document.Value {
	switch w.Name {
	case "drop":
		return Drop(t, config, w.conflict.Path)
	case "adopt":
		return Adopt(t, config, w.conflict.Path, w.conflict.Live)
	}
	return config
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
		if e, ok := structured.ItemElement(t.List, item); !ok || fieldset.Step(e) != path[0] {
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
