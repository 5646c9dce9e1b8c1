package defaults

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
)

// filler is the state of one Apply.
type filler struct {
	options Options
	path    document.Path
	skip    map[string]bool // features whose rules do not apply
	update  bool            // rules for new objects do not apply
	batch   batch
}

// walk applies a type's rules to a value and then visits its members, in the order in which
// the API server calls default functions: those of a type before those of its fields'
// types.
func (f *filler) walk(p *plan, v, live document.Value) document.Value {
	if remake.Shared(v, live) {
		return v
	}
	// What the rules and the members change is collected, so that the members are copied once.
	var room [usualDepth]remake.Change
	v, changes := f.rules(p.rules, v, room[:0])
	before := remake.EarlierOf(live)
	for i := range p.kids {
		k := &p.kids[i]
		old, at := v.Get(k.name), remake.IndexOf(changes, k.name)
		if at >= 0 {
			old = changes[at].Value
		}
		if !old.Exists() {
			continue
		}
		f.path = append(f.path, document.FieldStep(k.name))
		switch w := f.walk(k.plan, old, before.Member(k.name)); {
		case document.SameNode(w, old):
		case at >= 0:
			changes[at].Value = w
		default:
			changes = append(changes, remake.Change{Key: k.name, Value: w})
		}
		f.path = f.path[:len(f.path)-1]
	}
	remake.SortChanges(changes)
	v = remake.WithChanges(v, changes)
	if p.each != nil {
		v = f.each(v, live, func(item, live document.Value) document.Value { return f.walk(p.each, item, live) })
	}
	return v
}

// rules applies the rules of a type to a value. Changes to its own members that are not yet made are
// appended to changes.
func (f *filler) rules(rules []*Rule, v document.Value, changes []remake.Change) (document.Value, []remake.Change) {
	for _, r := range rules {
		switch {
		case r.Feature != "" && f.skip[r.Feature], r.When == "new" && f.update:
		case r.single:
			v = f.single(r, v)
		default:
			v = f.batch.flush(v)
			v = f.rule(r, r.field, v, v, v)
		}
	}
	if len(f.batch.of) > 0 {
		return f.batch.flush(v), changes
	}
	changes = append(changes, f.batch.changes...)
	f.batch.changes = f.batch.changes[:0]
	return v, changes
}

// single applies a rule that sets one field of one object. The field is added to the batch.
func (f *filler) single(r *Rule, v document.Value) document.Value {
	last := len(r.field) - 1
	if !f.batch.takes(r) {
		v = f.batch.flush(v)
	}
	within := v
	for _, s := range r.field[:last] {
		within = within.Get(s.name)
	}
	for _, s := range r.field {
		f.path = append(f.path, document.FieldStep(s.name))
	}
	old := within.Get(r.field[last].name)
	if now := f.apply(r, old, v, v); !document.SameNode(now, old) {
		f.batch.add(r.field, now)
	}
	f.path = f.path[:len(f.path)-len(r.field)]
	return v
}

// each replaces the items of a list or the members of an object by the results of change,
// which also receives the part of live that an item or member was derived from.
func (f *filler) each(v, live document.Value, change func(part, live document.Value) document.Value) document.Value {
	f.path = append(f.path, document.Step{})
	top := len(f.path) - 1
	switch v.Kind() {
	case document.List:
		v = remake.ItemsUpdate(v, live, func(i int, item, was document.Value) document.Value {
			f.path[top] = document.IndexStep(i)
			return change(item, was)
		})
	case document.Object:
		whole, before := v, remake.EarlierOf(live)
		v = remake.Members(v, func(i int, member document.Value) document.Value {
			f.path[top] = document.FieldStep(whole.Key(i))
			return change(member, before.Member(whole.Key(i)))
		})
	}
	f.path = f.path[:top]
	return v
}

// rule applies a rule at a path of steps below v. far is the object of the rule's type,
// near the innermost list item on the path.
func (f *filler) rule(r *Rule, steps []step, v, far, near document.Value) document.Value {
	s := steps[0]
	old := v.Get(s.name)
	var now document.Value
	f.path = append(f.path, document.FieldStep(s.name))
	switch {
	case s.each && len(steps) == 1:
		now = f.each(old, document.Value{}, func(item, _ document.Value) document.Value { return f.apply(r, item, far, item) })
		if r.value.nothing && now.Len() == 0 {
			now = document.Value{} // as a Go list without items
		}
	case s.each:
		now = f.each(old, document.Value{}, func(item, _ document.Value) document.Value { return f.rule(r, steps[1:], item, far, item) })
	case len(steps) > 1:
		now = old
		if old.Exists() && !old.IsNull() || f.creates(r, steps[1:], far, near) {
			now = f.rule(r, steps[1:], old, far, near)
		}
	default:
		now = f.apply(r, old, far, near)
	}
	f.path = f.path[:len(f.path)-1]
	if document.SameNode(now, old) {
		return v
	}
	return v.With(s.name, now)
}

// creates reports whether a rule creates the missing objects on the path to its field.
func (f *filler) creates(r *Rule, rest []step, far, near document.Value) bool {
	for _, s := range rest {
		if s.each {
			return false
		}
	}
	return !r.value.nothing && !r.value.rounded && r.holds(far, near)
}

func (r *Rule) holds(far, near document.Value) bool {
	for i := range r.conditions {
		if !r.conditions[i].holds(far, near) {
			return false
		}
	}
	return true
}

// apply returns the field's value after the rule.
func (f *filler) apply(r *Rule, old, far, near document.Value) document.Value {
	if r.value.rounded {
		return f.round(r, old)
	}
	if !r.value.members {
		switch r.When {
		case "missing":
			if old.Exists() && !old.IsNull() {
				return old
			}
		case "empty":
			if old.Exists() && !empty(old) {
				return old
			}
		}
	}
	if !r.holds(far, near) {
		return old
	}
	now := r.value.json
	switch {
	case r.value.nothing:
		if old.Exists() {
			f.observe(r, now)
		}
		return document.Value{}
	case r.value.copy != nil:
		now = r.value.copy.find(far, near)
	case r.value.call != nil:
		now = r.value.call(f, r.value.arg.find(far, near))
	}
	if r.value.members {
		return f.members(r, old, now)
	}
	if !now.Exists() || now.IsNull() || document.Identical(now, old) || !old.Exists() && r.When == "empty" && empty(now) {
		return old
	}
	f.observe(r, now)
	return now
}

// members adds the members of from that old lacks. The API server allocates the map, so an
// empty map equals a missing one.
func (f *filler) members(r *Rule, old, from document.Value) document.Value {
	var added document.ObjectBuilder
	for key, val := range from.Members() {
		if !old.Get(key).Exists() {
			added.Set(key, val)
			f.path = append(f.path, document.FieldStep(key))
			f.observe(r, val)
			f.path = f.path[:len(f.path)-1]
		}
	}
	switch {
	case added.Len() > 0:
		for i := range old.Len() {
			added.Keep(old, i)
		}
		return added.Object()
	case old.Len() == 0:
		return document.Value{}
	}
	return old
}

// round rounds a quantity up to thousandths.
func (f *filler) round(r *Rule, old document.Value) document.Value {
	s, ok := old.Text()
	if !ok {
		return old
	}
	want, err := quantity.Canonical(s, true)
	if err != nil || want == s {
		return old
	}
	if plain, _ := quantity.Canonical(s, false); plain == want {
		return old // only the spelling differs, see InMemory
	}
	now := document.NewString(want)
	f.observe(r, now)
	return now
}

func (f *filler) observe(r *Rule, v document.Value) {
	if f.options.Observe != nil {
		f.options.Observe(Filled{Path: slices.Clone(f.path), Value: v, Rule: r})
	}
}
