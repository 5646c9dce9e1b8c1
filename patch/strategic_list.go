package patch

import (
	"github.com/patchlab-dev/patchlab/document"
)

// An entry is an item of a list during the merge.
type entry struct {
	item document.Value
	key  itemKey
	// slot is the index of the item before sorting.
	slot int
	// deletes: the item is a delete directive that is kept because two patches are merged.
	deletes bool
	// changed: the patch changed the item.
	changed bool
}

// merged is a merged list before sorting.
type merged struct {
	entries []entry
	// byPatch holds the keys in the order of the patch.
	byPatch []itemKey
	// server holds the keys in the order of the object.
	server []itemKey
	// after is server as kube-apiserver has it when it executes $setElementOrder: new items
	// take the places of deleted ones.
	after []itemKey
	// aligned: server and after equal the keys of the entries by slot; kept and live are
	// their lengths.
	aligned    bool
	kept, live int
	// mark is the number of decisions before those of the list.
	mark int
	// removed holds the decisions for removed items.
	removed []Decision
}

// list merges two lists and sorts the result.
func (w *strategist) list(live, change document.Value, f field) (document.Value, error) {
	if live.Len() == 0 && change.Len() == 0 {
		return live, nil
	}
	m, err := w.mergeItems(live, change, f)
	if err != nil {
		return live, err
	}
	if !m.inPlace() {
		m.keepServerOrder()
		m.arrange(m.byPatch, m.server)
	}
	return w.finish(&m), nil
}

// mergeItems merges the items of two lists, at least one of which is not empty.
func (w *strategist) mergeItems(live, change document.Value, f field) (merged, error) {
	kind, problem := itemKind(live, change)
	switch {
	case problem != "":
		return merged{}, w.mixed(kind, problem, [2]document.Value{live, change})
	case kind != document.Object && len(f.keys) > 0:
		return merged{}, w.fail(ErrInternal, "the items of a list merged by "+keyNames(f.keys)+" must be objects, not values of kind "+kind.String())
	case kind != document.Object:
		return w.mergeScalars(live, change), nil
	case len(f.keys) == 0:
		return merged{}, w.fail(ErrInternal, "the list is merged but has no merge key for objects")
	}
	return w.mergeObjects(live, change, f)
}

// mergeScalars merges two lists as sets. If nothing is added, kube-apiserver removes
// duplicates from the live list in place: the last items take their places.
func (w *strategist) mergeScalars(live, change document.Value) merged {
	if change.Len() == 0 {
		items := itemsOf(live)
		withoutRepeats(items)
		live = document.NewList(items...)
	}
	m := merged{mark: len(w.decisions), entries: make([]entry, 0, live.Len()+change.Len())}
	seen := make(map[itemKey]bool, live.Len()+change.Len())
	for _, list := range [...]document.Value{live, change} {
		for _, item := range list.Items() {
			k := scalarKey(item)
			if seen[k] {
				continue
			}
			seen[k] = true
			m.entries = append(m.entries, entry{item: item, key: k, slot: len(m.entries)})
		}
	}
	m.server = keysOf(live, field{})
	m.after = m.server
	m.byPatch = keysOf(change, field{})
	if w.observer != nil {
		for _, e := range m.entries[min(live.Len(), len(m.entries)):] {
			w.noteItem(e.slot, RuleStrategicSet, Added, document.Value{}, e.item)
		}
	}
	return m
}

// removeScalars removes the scalars in change from live. If the items are objects, it merges change
// into live instead, as kube-apiserver does.
func (w *strategist) removeScalars(live, change document.Value, f field) (document.Value, error) {
	if live.Len() == 0 && change.Len() == 0 {
		return live, nil
	}
	kind, problem := itemKind(live, change)
	if problem != "" {
		return live, w.mixed(kind, problem, [2]document.Value{live, change})
	}
	if kind == document.Object {
		f.merge = true
		return w.list(live, change, f)
	}
	gone := make(map[itemKey]bool, change.Len())
	for _, item := range change.Items() {
		gone[scalarKey(item)] = true
	}
	var out document.ListBuilder
	for i, item := range live.Items() {
		if gone[scalarKey(item)] {
			w.noteItem(i, RuleStrategicDeleteItems, Removed, item, document.Value{})
			continue
		}
		out.Append(item)
	}
	return out.List(), nil
}

// listPatch is a patch list split into its plain items, the deleted keys, and whether it
// replaces the whole list.
type listPatch struct {
	plain   []document.Value
	keys    []itemKey
	deletes map[itemKey]bool
	whole   bool
}

func (w *strategist) sortPatch(change document.Value, f field) (listPatch, error) {
	p := listPatch{plain: make([]document.Value, 0, change.Len()), keys: make([]itemKey, 0, change.Len())}
	for i, item := range change.Items() {
		k := keyOf(item, f.keys)
		d := item.Get(directivePatch)
		text, _ := d.Text()
		w.item(i)
		switch {
		case !d.Exists():
			p.plain, p.keys = append(p.plain, item), append(p.keys, k)
		case text == "replace":
			p.whole = true
		case text != "delete":
			err := w.notDirective(d, item)
			if text == "merge" {
				err.Problem = MergeDirective
			}
			err.Hint = "$patch in an item must be delete, or replace for the whole list"
			return p, err
		case k.kind == keyMissing:
			return p, w.keyed(item, k, f)
		default:
			if p.deletes == nil {
				p.deletes = make(map[itemKey]bool)
			}
			p.deletes[k] = true
		}
		w.up()
	}
	return p, nil
}

// mergeObjects merges items by key.
func (w *strategist) mergeObjects(live, change document.Value, f field) (merged, error) {
	m := merged{mark: len(w.decisions)}
	p, err := w.sortPatch(change, f)
	if err != nil {
		return m, err
	}
	m.keep(w, live, p, f)
	kept := len(m.entries)
	if p.whole {
		m.after = append(m.keysKept(kept), keysOf(live, f)[kept:]...)
		m.entries = m.entries[:0]
		for i, item := range p.plain {
			m.entries = append(m.entries, entry{item: item, key: p.keys[i], slot: i})
		}
		m.server = p.keys
		return m, w.allKeyed(m.entries, f)
	}
	if err := w.mergePlain(&m, p, f); err != nil {
		return m, err
	}
	if err := w.allKeyed(m.entries, f); err != nil {
		return m, err
	}
	m.byPatch = p.keys
	m.aligned, m.kept, m.live = true, kept, min(live.Len(), len(m.entries))
	return m, nil
}

// keep adds the live items to m that the patch does not delete.
func (m *merged) keep(w *strategist, live document.Value, p listPatch, f field) {
	m.entries = make([]entry, 0, live.Len()+len(p.plain))
	for i, item := range live.Items() {
		k := keyOf(item, f.keys)
		gone := len(p.deletes) > 0 && p.deletes[k] && k.kind != keyNone && k.kind != keyMissing
		if w.observer != nil && (gone || p.whole) {
			rule := RuleStrategicWhole
			if gone {
				rule = RuleStrategicDelete
			}
			path := append(w.here(), document.IndexStep(i))
			m.removed = append(m.removed, Decision{Path: path, Rule: rule, Outcome: Removed, Old: item})
		}
		if !gone {
			m.entries = append(m.entries, entry{item: item, key: k, slot: len(m.entries), deletes: !w.applies && deletes(item)})
		}
	}
}

// mergePlain merges the patch's plain items into the kept ones or adds them.
func (w *strategist) mergePlain(m *merged, p listPatch, f field) error {
	first := indexOf(p.keys) // the patch is short, the list may be long
	slots := make([]int, len(p.keys))
	for i := range slots {
		slots[i] = -1
	}
	for i := range m.entries {
		if at, found := first.find(m.entries[i].key); found && slots[at] < 0 {
			slots[at] = i
		}
	}
	for i, item := range p.plain {
		k := p.keys[i]
		if k.kind == keyMissing || k.kind == keyNone {
			w.item(i)
			if k.kind == keyNone {
				return w.fail(ErrInternal, "the merge key "+keyNames(f.keys)+" must be a scalar: "+excerpt(item))
			}
			return w.keyed(item, k, f)
		}
		at, _ := first.find(k)
		slot := slots[at]
		if slot < 0 {
			slot = len(m.entries)
			slots[at] = slot
			m.entries = append(m.entries, entry{item: item, key: k, slot: slot})
			w.noteItem(slot, RuleStrategicNewItem, Added, document.Value{}, item)
			continue
		}
		e := &m.entries[slot]
		w.noteItem(slot, RuleStrategicMergeKey, Merged, e.item, item)
		w.item(slot)
		now, err := w.object(e.item, item, f.typ)
		if err != nil {
			w.path[len(w.path)-1] = document.IndexStep(i)
			return err
		}
		w.up()
		e.item, e.deletes, e.changed = now, !w.applies && deletes(now), true
	}
	return nil
}

func deletes(item document.Value) bool { return item.Get(directivePatch).StringOr("") == "delete" }

// allKeyed validates that every item has its key.
func (w *strategist) allKeyed(entries []entry, f field) error {
	for i := range entries {
		e := &entries[i]
		if e.key.kind == keyMissing || e.changed && !e.item.Get(f.keys[0].Name).Exists() && f.keys[0].Default == "" {
			return w.keyed(e.item, itemKey{}, f)
		}
	}
	return nil
}

// keysKept returns the keys of the first n entries.
func (m *merged) keysKept(n int) []itemKey {
	keys := make([]itemKey, n)
	for i := range keys {
		keys[i] = m.entries[i].key
	}
	return keys
}

// keepServerOrder stores the keys of an aligned list, before its entries are sorted.
func (m *merged) keepServerOrder() {
	if m.aligned {
		m.after = m.keysKept(m.live)
		m.server = m.after[:m.kept]
	}
}

// finish returns the list and updates the paths of its decisions.
func (w *strategist) finish(m *merged) document.Value {
	var list document.ListBuilder
	list.Grow(len(m.entries))
	for i := range m.entries {
		list.Append(m.entries[i].item)
	}
	if w.observer != nil {
		w.renumber(m)
	}
	return list.List()
}

// renumber changes the paths of decisions about items from the indices before sorting to
// those after.
func (w *strategist) renumber(m *merged) {
	now := make(map[int]int, len(m.entries))
	for i := range m.entries {
		now[m.entries[i].slot] = i
	}
	depth := len(w.path)
	for _, d := range w.decisions[m.mark:] {
		was, ok := d.Path[depth].Index()
		if i, kept := now[was]; ok && kept {
			d.Path[depth] = document.IndexStep(i)
		}
	}
	w.decisions = append(w.decisions, m.removed...)
}

// itemKind returns the common kind of all items in some lists, or the problem if they have
// different kinds.
func itemKind(lists ...document.Value) (document.Kind, string) {
	var first document.Value
	for _, list := range lists {
		for _, item := range list.Items() {
			if !first.Exists() {
				first = item
				if k := item.Kind(); k == document.List {
					return k, "lists of lists cannot be merged"
				} else if k == document.Null {
					return k, "a list that contains null cannot be merged"
				}
			} else if item.Kind() != first.Kind() || item.IsInt() != first.IsInt() {
				return document.Absent, "the items of a merged list must have the same type; found " + first.Kind().String() + " and " + item.Kind().String()
			}
		}
	}
	if !first.Exists() {
		return document.Absent, "there are no items to order"
	}
	return first.Kind(), ""
}

// causeOf returns kube-apiserver's error for a list whose items have kind k.
func causeOf(k document.Kind) error {
	if k == document.List {
		return ErrCannotApply
	}
	return ErrInternal
}
