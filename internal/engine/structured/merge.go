package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// merge returns live with config merged into it (rule "merge"). It removes nothing.
//
//   - Fields that config lacks are kept; fields that live lacks are added.
//   - A scalar, and an atomic list or object, is replaced.
//   - Objects are merged member by member, sets and keyed lists item by item.
//   - An empty or null object or list in config replaces that of live only if that
//     is empty or null too, so that {} and null differ.
//   - A field without a schema whose kind differs is replaced, but null in config
//     does not replace an object in live.
//
// Unchanged parts of live are shared.
func (w *work) merge(t *schema.Type, live, config document.Value) document.Value {
	if !config.Exists() || document.SameNode(live, config) {
		return live
	}
	if !live.Exists() {
		return config
	}
	switch formsOf(t, config).lead() {
	case mapForm:
		l, c := contents(live, document.Object), contents(config, document.Object)
		if t.Map.Atomic || l.Len() == 0 && c.Len() == 0 {
			return pick(live, config)
		}
		if c.Len() == 0 {
			return live
		}
		if l.Len() == 0 {
			return config
		}
		return w.mergeMembers(t.Map, live, config)
	case listForm:
		l, c := contents(live, document.List), contents(config, document.List)
		if t.List.Kind == schema.AtomicList || l.Len() == 0 && c.Len() == 0 {
			return pick(live, config)
		}
		if c.Len() == 0 {
			return live
		}
		if l.Len() == 0 {
			return config
		}
		return w.mergeItems(t.List, live, config)
	}
	return pick(live, config)
}

// pick returns config, or live if they are identical.
func pick(live, config document.Value) document.Value {
	if document.Identical(live, config) {
		return live
	}
	return config
}

func (w *work) mergeMembers(m *schema.MapType, live, config document.Value) document.Value {
	var out document.ObjectBuilder
	changed := false
	i, field := 0, 0
	for j := range config.Len() {
		name := config.Key(j)
		for i < live.Len() && live.Key(i) < name {
			if changed {
				out.Keep(live, i)
			}
			i++
		}
		if i < live.Len() && live.Key(i) == name {
			var t *schema.Type
			t, field = memberFrom(m, name, field)
			v := w.merge(t, live.At(i), config.At(j))
			if !changed && !document.SameNode(v, live.At(i)) {
				changed = true
				keepFirst(&out, live, i, config.Len()-j)
			}
			if changed {
				out.Set(name, v)
			}
			i++
			continue
		}
		if !changed {
			changed = true
			keepFirst(&out, live, i, config.Len()-j)
		}
		out.Keep(config, j)
	}
	if !changed {
		return live
	}
	for ; i < live.Len(); i++ {
		out.Keep(live, i)
	}
	return out.Object()
}

// keepFirst copies the first n members of live to a changed object. more is the maximum
// number of members added from config.
func keepFirst(out *document.ObjectBuilder, live document.Value, n, more int) {
	out.Grow(live.Len() + more)
	for i := range n {
		out.Keep(live, i)
	}
}

// mergeItems merges two sets or keyed lists. The items of config have the order of config
// (rule "order"). An item that only live has precedes the same item of config
// as before the merge, as far as the two orders agree: live [a,b,c] and config [c,x,a,z] yield [b,c,x,a,z].
//
// An item of config replaces duplicate items in live.
func (w *work) mergeItems(l *schema.ListType, live, config document.Value) document.Value {
	o := w.newOrder(w.indexPair(l, live, config))
	elements := w.slab.texts.take(live.Len() + config.Len())[:0]
	var out document.ListBuilder
	out.Grow(max(live.Len(), config.Len()))
	same := true
	for {
		i, j := o.step()
		if i < 0 && j < 0 {
			break
		}
		var v document.Value
		if j < 0 {
			elements = append(elements, o.live.elements[i])
		} else {
			elements = append(elements, o.config.elements[j])
		}
		switch {
		case j < 0:
			v = live.At(i)
		case i < 0 || o.live.follower(i) >= 0:
			v, i = config.At(j), -1
		case document.SurelyIdentical(live.At(i), config.At(j)):
			v = live.At(i)
		default:
			v = w.merge(l.Elem, live.At(i), config.At(j))
		}
		same = same && i == out.Len() && document.SameNode(v, live.At(i))
		out.Append(v)
	}
	if same && out.Len() == live.Len() {
		return live
	}
	merged := out.List()
	if o.live.next == nil {
		w.indexAs(l, merged, elements).floats = o.live.floats
	}
	return merged
}

// indexAs returns the index of a list with known and unique elements.
func (w *work) indexAs(l *schema.ListType, list document.Value, elements []string) *index {
	x := &w.slab.indices.take(1)[0]
	*x = index{w: w, bad: -1, elements: elements}
	w.indices[listKey{list.Identity(), l}] = x
	return x
}

// order iterates over two lists in the order of the merged list.
type order struct {
	live, config *index
	i, j         int     // index of the next item of each
	inConfig     []int32 // live item → config item with the same element, or -1
	inLive       []int32 // config item → first live item with the same element, or -1
	done         []bool  // config items that have been merged
	shared       int     // next config item that live has too; len if there is none
}

func (w *work) newOrder(live, config *index) order {
	n, m := len(live.elements), len(config.elements)
	o := order{live: live, config: config, inConfig: w.slab.ints.take(n), inLive: w.slab.ints.take(m), done: w.slab.bools.take(m), shared: -1}
	clear(o.done)
	for j := range o.inLive {
		o.inLive[j] = -1
	}
	last := -1
	for i, e := range live.elements {
		last = config.findNear(e, last+1)
		o.inConfig[i] = int32(last)
		if last >= 0 && o.inLive[last] < 0 {
			o.inLive[last] = int32(i)
		}
	}
	o.nextShared()
	return o
}

// nextShared advances to the next item of config that live has too.
func (o *order) nextShared() {
	for o.shared++; o.shared < len(o.inLive) && o.inLive[o.shared] < 0; o.shared++ {
	}
}

// step returns the indices of the next item in live and config, -1 for a list that lacks
// it, and -1, -1 at the end.
func (o *order) step() (i, j int) {
	for o.i < len(o.inConfig) || o.j < len(o.done) {
		more := o.j < len(o.done) // in config
		if o.i < len(o.inConfig) {
			switch at := int(o.inConfig[o.i]); {
			case more && at == o.j: // the next one of both
				o.nextShared()
				o.i++
				return o.take()
			case more && at >= 0 && o.shared < len(o.done) && at != o.shared: // config has it at another place
				o.i++
				continue
			case at < 0: // only live has it
				o.i++
				return o.i - 1, -1
			case o.done[at]:
				o.i++
			}
		}
		if more {
			if o.shared == o.j {
				o.nextShared()
			}
			return o.take()
		}
	}
	return -1, -1
}

// take returns the next item of config and the first item of live with the same element.
func (o *order) take() (i, j int) {
	j = o.j
	o.done[j] = true
	o.j++
	return int(o.inLive[j]), j
}
