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
	// Summary says what happens, in a sentence.
	Summary string
	// Config is the configuration to apply instead.
	Config document.Value
	// Force says to apply it with force.
	Force bool
}

// Ways are the ways out of one conflict of an apply: to take the field over by
// force, to drop it from the configuration, and to adopt the live value, so that
// both own it. t is the type of the configuration.
func Ways(t *schema.Type, config document.Value, c fieldmanager.Conflict) []Way {
	ways := []Way{
		{Name: "force", Summary: "apply with force: " + c.Manager + " loses the field", Config: config, Force: true},
		{Name: "drop", Summary: "take the field out of the configuration: " + c.Manager + " keeps it", Config: Drop(t, config, c.Path)},
	}
	if c.Live.Exists() {
		ways = append(ways, Way{Name: "adopt", Summary: "set the field to the live value: both own it", Config: Adopt(t, config, c.Path, c.Live)})
	}
	return ways
}

// Drop returns a configuration without the field at path. Objects and lists that
// have nothing left in them go with it. A path that leads nowhere changes nothing.
func Drop(t *schema.Type, config document.Value, path document.Path) document.Value {
	return edit(t, config, path, document.Value{})
}

// Adopt returns a configuration whose field at path has the value given. A path
// that leads nowhere changes nothing.
func Adopt(t *schema.Type, config document.Value, path document.Path, value document.Value) document.Value {
	return edit(t, config, path, value)
}

// edit replaces the part of v at path by value, or takes it out where that is absent.
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

// orNothing turns an empty object or list into an absent value.
func orNothing(v document.Value) document.Value {
	if v.Len() == 0 {
		return document.Value{}
	}
	return v
}
