package verify

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// A pruner takes out of the objects that a patch is made of what is the same in
// them and what the library minds nevertheless, each by itself and no more of it
// than that: it refuses to make a patch of it, or makes one, and ours does not look
// into it. A text stands for what was taken out.
type pruner struct {
	*judgement
	t *schema.Type
}

// input returns an input with what is the same taken out. A patch of three is made
// of two pairs. Of the original only deletions are made, so that what the wanted
// object still has may be missing there.
func (p *pruner) input(in document.Value) document.Value {
	whole := unchangedAround
	if p.c.Work == Create {
		from, to := p.members(p.t, in.Get("from"), in.Get("to"), whole)
		return in.With("from", from).With("to", to)
	}
	original, modified, current := in.Get("original"), in.Get("modified"), in.Get("current")
	current, modified = p.members(p.t, current, modified, whole)
	original, _ = p.members(p.t, original, in.Get("modified"), whole)
	return in.With("original", withoutHeld(original)).With("modified", modified).With("current", current)
}

// unchangedAround puts nothing around a value.
func unchangedAround(v document.Value) document.Value { return v }

// members prunes two objects of type t. whole puts a part of them into all that is
// around it.
func (p *pruner) members(t *schema.Type, a, b document.Value, whole func(document.Value) document.Value) (_, _ document.Value) {
	if t == nil || a.Kind() != document.Object || b.Kind() != document.Object {
		return a, b
	}
	for i := range a.Len() {
		key := a.Key(i)
		was, now := a.At(i), b.Get(key)
		if was.Kind() < document.List || was.Kind() != now.Kind() {
			continue
		}
		around := func(v document.Value) document.Value { return whole(document.NewObject().With(key, v)) }
		if document.Identical(was, now) {
			if differs, _ := p.differs(around(was)); !differs {
				continue
			}
		}
		kind := t.Map.Member(key)
		if was.Kind() == document.Object {
			was, now = p.members(kind, was, now, around)
		} else if kind != nil && kind.List != nil {
			was, now = p.items(kind.List.Elem, mergeKeyOf(t.Map, key), was, now, around)
		}
		if document.Identical(was, now) && p.minds(around(was)) {
			// What is the same and no object or list makes no difference.
			was = held(was)
			now = was
		}
		a, b = a.With(key, was), b.With(key, now)
	}
	return a, b
}

// items prunes the items that two lists share by their merge key.
func (p *pruner) items(t *schema.Type, key string, a, b document.Value, whole func(document.Value) document.Value) (_, _ document.Value) {
	if key == "" {
		return a, b
	}
	before, after := items(a), items(b)
	for i, was := range a.Items() {
		for j, now := range b.Items() { // several may have the key
			if k := was.Get(key); k.Exists() && document.Identical(k, now.Get(key)) {
				if x, y := p.item(t, key, was, now, whole); !document.Identical(x, was) || !document.Identical(y, now) {
					before[i], after[j] = x, y
				}
			}
		}
	}
	return document.NewList(before...), document.NewList(after...)
}

// item prunes two items that have the same merge key.
func (p *pruner) item(t *schema.Type, key string, was, now document.Value, whole func(document.Value) document.Value) (_, _ document.Value) {
	k := was.Get(key)
	around := func(v document.Value) document.Value { return whole(document.NewList(v.With(key, k))) }
	if document.Identical(was, now) {
		if differs, _ := p.differs(around(was)); !differs {
			return was, now
		}
	}
	was, now = p.members(t, was, now, around)
	if document.Identical(was, now) && p.minds(around(was)) {
		was = document.NewObject().With(key, k).With(theItem, held(was))
		return was, was
	}
	return was, now
}

const (
	// theValue begins a text that stands for a value, theItem is the member that
	// stands for all of an item but its key.
	theValue = "!value:"
	theItem  = "!item"
)

func held(v document.Value) document.Value { return document.NewString(theValue + v.String()) }

// withoutHeld leaves out the members that stand for others.
func withoutHeld(v document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for name, val := range v.Members() {
			if !strings.HasPrefix(val.StringOr(""), theValue) {
				b.Set(name, withoutHeld(val))
			}
		}
		return b.Object()
	case document.List:
		var b document.ListBuilder
		for _, item := range v.Items() {
			b.Append(withoutHeld(item))
		}
		return b.List()
	}
	return v
}

// release restores the values for which texts were substituted; a patch may contain them
// as a whole.
func release(v document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		if item := v.Get(theItem); item.Exists() {
			return release(item)
		}
		var b document.ObjectBuilder
		for name, val := range v.Members() {
			b.Set(name, release(val))
		}
		return b.Object()
	case document.List:
		var b document.ListBuilder
		for _, item := range v.Items() {
			b.Append(release(item))
		}
		return b.List()
	case document.String:
		if text, found := strings.CutPrefix(v.StringOr(""), theValue); found {
			return parse([]byte(text))
		}
	}
	return v
}

// minds reports whether the library refuses to make a patch between an object and
// the same object, or makes one that says something, and ours does neither.
func (p *pruner) minds(v document.Value) bool {
	differs, ours := p.differs(v)
	return differs && ours.Len() == 0
}

// differs reports whether the library returns a different patch than ours, or fails,
// between an object and itself.
func (p *pruner) differs(v document.Value) (differs bool, ours document.Value) {
	o := patch.Options{ListTypes: !p.c.Kinds[0].Builtin}
	ours, err := patch.CreateStrategic(v, v, p.t, o)
	if err != nil {
		return false, ours
	}
	o.Engine = p.reference
	theirs, err := patch.CreateStrategic(v, v, p.t, o)
	return err != nil || !sameText(ours, theirs), ours
}

// sorted returns from with the lists of scalars that merge and that to only sorts
// in that order. The library takes them so: it has sorted its copy by then.
func (j *judgement) sorted(t *schema.Type, from, to document.Value) document.Value {
	if t == nil || from.Kind() != document.Object || to.Kind() != document.Object {
		return from
	}
	for i := range from.Len() {
		key := from.Key(i)
		was, now := from.At(i), to.Get(key)
		kind := t.Map.Member(key)
		switch {
		case kind == nil || was.Kind() != now.Kind():
		case was.Kind() == document.Object:
			from = from.With(key, j.sorted(kind, was, now))
		case was.Kind() != document.List || kind.List == nil:
		case onlySorts(was, now):
			if f := t.Map.Field(key); kind.List.Kind != schema.AtomicList || f != nil && f.Strategy&schema.StrategyMerge != 0 {
				from = from.With(key, now)
			}
		default:
			list := items(was)
			for i, item := range list {
				for _, other := range now.Items() {
					if sameItem(t.Map, key, item, other) {
						list[i] = j.sorted(kind.List.Elem, item, other)
					}
				}
			}
			from = from.With(key, document.NewList(list...))
		}
	}
	return from
}

// sameItem reports whether two items of a member have the same merge keys.
func sameItem(m *schema.MapType, name string, a, b document.Value) bool {
	key := mergeKeyOf(m, name)
	if key == "" || !document.Identical(a.Get(key), b.Get(key)) {
		return false
	}
	if f := m.Field(name); f != nil && f.MergeKey != "" {
		return true
	}
	for _, k := range m.Member(name).List.Keys {
		if !document.Identical(a.Get(k.Name), b.Get(k.Name)) {
			return false
		}
	}
	return true
}

// onlySorts reports whether a list has the scalars of another, which is in another
// order, sorted.
func onlySorts(from, to document.Value) bool {
	was, now := texts(from), texts(to)
	if !slices.IsSorted(now) || slices.Equal(was, now) {
		return false
	}
	slices.Sort(was)
	return slices.Equal(was, now)
}

func texts(list document.Value) []string {
	out := make([]string, 0, list.Len())
	for _, item := range list.Items() {
		text, ok := item.Text()
		if !ok {
			text = item.String()
		}
		out = append(out, text)
	}
	return out
}
