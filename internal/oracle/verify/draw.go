package verify

import (
	"math/rand/v2"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Source generates cases. The same seed yields the same case.
type Source struct {
	// Kinds is the set of kinds for cases; kinds with the same group and kind are its
	// versions.
	Kinds []*schema.Kind
	// Custom uses a random custom resource, with lists and maps of every merge behavior, in
	// every second case.
	Custom bool
}

// Case returns the case for a seed.
func (s *Source) Case(seed uint64) *Case {
	c := &Case{Seed: seed, Work: workOf(seed)}
	g := generate.New(seed, generate.Options{Odd: seed%3 != 0, Depth: 5 + int(seed%5), Breadth: 2 + int(seed%4), Long: c.long()})
	if s.Custom && (len(s.Kinds) == 0 || g.IntN(2) == 0) {
		c.drawn = true
		c.Kinds = drawnKinds(g)
		if c.Work == Ownership && g.IntN(4) == 0 {
			for _, k := range c.Kinds {
				c.Changed = append(c.Changed, g.Changed(k))
			}
		}
	} else {
		c.Kinds = versions(s.Kinds, g.IntN(len(s.Kinds)))
	}
	if c.Work == Ownership {
		c.Input = steps(g, c)
		return c
	}
	c.Input = patchInput(g, c)
	if c.drawn && (c.Work == StrategicPatch || c.Work == Create || c.Work == ThreeWay) {
		c.Input = scalarKeys(c.Kinds[0].Type(), c.Input)
	}
	return c
}

// scalarKeys returns an input with a text in place of each object or list that is one of
// several merge keys. No API server stores such an item, and the library, which supports
// lists with one key only, cannot handle it (see keying).
func scalarKeys(t *schema.Type, input document.Value) document.Value {
	found := false
	scalar := mapKeys(t, input, func(l *schema.ListType, key document.Value) document.Value {
		if !manyKeys(l) || key.Kind() < document.List {
			return key
		}
		found = true
		return document.NewString(key.String())
	})
	if !found {
		return input
	}
	return parse(generate.Text(scalar)) // one text, as it was sent
}

// workOf chooses the work for a seed: two cases in five are about ownership.
func workOf(seed uint64) Work {
	r := rand.New(rand.NewPCG(seed, 0x6b1d))
	if r.IntN(5) < 2 {
		return Ownership
	}
	return 1 + Work(r.IntN(int(works)-1))
}

// long returns the length of long lists in a case; one case in 29 has some. A few hundred
// items cover everything that is special to long lists except the tree of a JSON patch, and
// the libraries are slow for more.
func (c *Case) long() int {
	switch every := c.Seed % 29; {
	case every != 7:
		return 0
	case c.Seed/29%8 != 0:
		return 100
	case c.Work == JSONPatch:
		return 1200
	}
	return 300
}

// drawnKinds generates a custom resource, sometimes with a second version of the same or
// another type.
func drawnKinds(g *generate.Generator) []*schema.Kind {
	one := g.Kind("lab.example.com/v1")
	if g.IntN(3) > 0 {
		return []*schema.Kind{one}
	}
	two := g.Kind("lab.example.com/v2")
	if g.IntN(3) > 0 {
		two = schema.NewKind(two.GroupVersionKind, one.Type())
	}
	return []*schema.Kind{one, two}
}

// versions returns the kind at an index of a list and its other versions in it.
func versions(kinds []*schema.Kind, at int) []*schema.Kind {
	out := []*schema.Kind{kinds[at]}
	for i, k := range kinds {
		if i != at && k.Kind == out[0].Kind && k.Group == out[0].Group {
			out = append(out, k)
		}
	}
	return out
}

// patchInput generates objects in the server's spelling and patches in which numbers have
// any spelling.
func patchInput(g *generate.Generator, c *Case) document.Value {
	k := c.Kinds[0]
	object := reread(g.Object(k))
	in := document.NewObject()
	mutated := func() document.Value { return reread(g.Mutate(object, k.Type())) }
	switch c.Work {
	case JSONPatch, MergePatch, StrategicPatch:
		change := drawnPatch(g, c, object, mutated)
		if g.IntN(4) == 0 {
			object = mutated() // the object has changed since the patch was computed
		}
		return in.With("object", object).With("patch", parse(g.Spell(change)))
	case Create:
		return in.With("from", object).With("to", mutated())
	}
	return in.With("original", object).With("modified", mutated()).With("current", mutated())
}

// drawnPatch generates a patch for an object. Every fourth is computed from two objects, as
// kubectl does.
func drawnPatch(g *generate.Generator, c *Case, object document.Value, mutated func() document.Value) document.Value {
	t := c.Kinds[0].Type()
	made := g.IntN(4) == 0
	switch c.Work {
	case JSONPatch:
		if made {
			return patch.CreateJSON(object, mutated())
		}
		return g.JSONPatch(object, 6)
	case MergePatch:
		if change, err := patch.CreateMerge(object, mutated(), patch.Options{}); made && err == nil {
			return change
		}
		return g.MergePatch(object, t)
	}
	if change, err := patch.CreateStrategic(object, mutated(), t, patch.Options{ListTypes: !c.Kinds[0].Builtin}); made && err == nil {
		return change
	}
	return g.StrategicPatch(object, t)
}

// steps generates requests, most of them related to the result of the preceding ones.
func steps(g *generate.Generator, c *Case) document.Value {
	status := g.IntN(4) == 0
	if status {
		c.Input = c.Input.With("status", document.NewBool(true))
	}
	var live fieldmanager.Object
	if g.IntN(8) == 0 {
		live.Value = reread(g.Object(c.Kinds[0]))
		c.Input = c.Input.With("live", live.Value)
	}
	var list document.ListBuilder
	n := 2 + g.IntN(4)
	change := n + 1
	if c.Changed != nil {
		change = 1 + g.IntN(n)
	}
	for i := range n {
		kinds := c.Kinds
		if i >= change {
			kinds = c.Changed
		}
		k := kinds[0]
		if g.IntN(3) == 0 {
			k = kinds[g.IntN(len(kinds))]
		}
		drawn := g.Request(k, live.Value)
		step := document.NewObject().
			With("manager", document.NewString(drawn.Manager)).
			With("apply", document.NewBool(drawn.Apply)).
			With("force", document.NewBool(drawn.Force)).
			With("body", parse(g.Spell(drawn.Body.With("apiVersion", document.NewString(k.APIVersion())))))
		if status && g.IntN(3) == 0 {
			step = step.With("subresource", document.NewString("status"))
		}
		if i >= change {
			step = step.With("changed", document.NewBool(true))
		}
		if list.Append(step); i == n-1 {
			break
		}
		q := request{step, time.Unix(int64(i), 0), c}
		if after, err := q.send(nil, live); err == nil {
			live = after
		}
	}
	return c.Input.With("steps", list.List())
}
