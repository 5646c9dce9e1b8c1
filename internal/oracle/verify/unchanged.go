package verify

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// pruner replaces the parts of two objects that are equal and that our engine therefore skips,
// but for which the library fails or computes a patch. Each such part becomes a string.
type pruner struct {
	*judgement
	t *schema.Type
}

// input returns the input of a case with these equal parts replaced. A three-way patch is
// computed from two pairs of objects. It uses the original only to find deletions, so parts
// that the wanted object still has can be removed from the original.
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

// unchangedAround returns the value itself.
func unchangedAround(v document.Value) document.Value { return v }

// members prunes two objects of type t. whole returns the document with a part replaced.
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
		if document.Identical(was, now) && p.affects(around(was)) {
			// Equal values other than objects and lists have no effect.
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

// item prunes two items with the same merge key.
func (p *pruner) item(t *schema.Type, key string, was, now document.Value, whole func(document.Value) document.Value) (_, _ document.Value) {
	k := was.Get(key)
	around := func(v document.Value) document.Value { return whole(document.NewList(v.With(key, k))) }
	if document.Identical(was, now) {
		if differs, _ := p.differs(around(was)); !differs {
			return was, now
		}
	}
	was, now = p.members(t, was, now, around)
	if document.Identical(was, now) && p.affects(around(was)) {
		was = document.NewObject().With(key, k).With(theItem, held(was))
		return was, was
	}
	return was, now
}

const (
	// theValue is the prefix of a text that replaces a value, theItem the member that
	// replaces all of an item except its key.
	theValue = "!value:"
	theItem  = "!item"
)

func held(v document.Value) document.Value { return document.NewString(theValue + v.String()) }

// withoutHeld removes the members that replace others.
func withoutHeld(v document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		return rebuilt(v, func(member document.Value) document.Value {
			if strings.HasPrefix(member.StringOr(""), theValue) {
				return document.Value{}
			}
			return withoutHeld(member)
		})
	case document.List:
		return rebuilt(v, withoutHeld)
	}
	return v
}

// release restores the values that were replaced by texts; a patch may contain them as a
// whole.
func release(v document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		if item := v.Get(theItem); item.Exists() {
			return release(item)
		}
		return rebuilt(v, release)
	case document.List:
		return rebuilt(v, release)
	case document.String:
		if text, found := strings.CutPrefix(v.StringOr(""), theValue); found {
			return parse([]byte(text))
		}
	}
	return v
}

// affects reports whether the library fails to compute a patch between an object and
// itself, or computes one that is not empty, while our engine does neither.
func (p *pruner) affects(v document.Value) bool {
	differs, ours := p.differs(v)
	return differs && ours.Len() == 0
}

// differs reports whether the library returns another patch than ours, or fails, between an
// object and itself.
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

// sorted returns from with the merged lists of scalars that to only sorts in that order, as
// in the library, which has sorted its copy by then.
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

// onlySorts reports whether a list contains the scalars of another in sorted order, and the
// other is not sorted.
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
