package patch

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// retain executes $retainKeys.
func (w *strategist) retain(object, patch, keys document.Value) (document.Value, error) {
	if !w.applies {
		return w.retainInPatch(object, keys)
	}
	if keys.Kind() != document.List {
		return object, w.fail(ErrMalformed, "$retainKeys must be a list of keys, not "+article(keys.Kind())).because(WrongDirective, directiveRetain)
	}
	stay := make(map[string]bool, keys.Len())
	for _, k := range keys.Items() {
		if k.Kind() == document.List || k.Kind() == document.Object {
			return object, w.fail(ErrInternal, "$retainKeys must contain strings, not "+article(k.Kind()))
		}
		if text, ok := k.Text(); ok {
			stay[text] = true
		}
	}
	for key, val := range patch.Members() {
		if !val.IsNull() && !stay[key] && !isDirective(key) {
			err := w.fail(ErrMalformed, "the patch sets "+key+", which is not in $retainKeys").because(WrongDirective, directiveRetain)
			err.Hint = "add it to $retainKeys or remove it from the patch"
			return object, err
		}
	}
	var changes []remake.Change
	for key, val := range object.Members() {
		if !stay[key] {
			w.note(key, RuleStrategicRetain, Removed, val, document.Value{})
			changes = append(changes, remake.Change{Key: key})
		}
	}
	return remake.WithChanges(object, changes), nil
}

// retainInPatch merges $retainKeys into another patch.
func (w *strategist) retainInPatch(into, keys document.Value) (document.Value, error) {
	there := into.Get(directiveRetain)
	if !there.Exists() {
		return into.With(directiveRetain, keys), nil
	}
	if !document.Identical(there, keys) {
		return into, w.fail(ErrInternal, "the two patches have different $retainKeys")
	}
	return into, nil
}

// orders executes the "$setElementOrder/list" directives together with the lists that they
// order, and returns the names of these lists.
func (w *strategist) orders(object, patch document.Value, t *schema.Type) (document.Value, map[string]bool, error) {
	var changes []remake.Change
	var done map[string]bool
	for key, order := range patch.Members() {
		if !strings.HasPrefix(key, directiveOrder) {
			continue
		}
		if !w.applies {
			there := object.Get(key)
			if there.Exists() && !document.Identical(there, order) {
				return object, nil, w.fail(ErrMalformed, "the two patches set different orders in "+key)
			}
			changes = append(changes, remake.Change{Key: key, Value: order})
		}
		now, name, err := w.order(object, patch, t, key, order)
		if err != nil {
			return object, nil, err
		}
		if now.Exists() {
			changes = append(changes, remake.Change{Key: name, Value: now})
			if done == nil {
				done = make(map[string]bool)
			}
			done[name] = true
		}
	}
	remake.SortChanges(changes)
	return remake.WithChanges(object, changes), done, nil
}

// order merges one list and sorts it by the directive. The result is absent if neither side
// has the list.
func (w *strategist) order(object, patch document.Value, t *schema.Type, key string, order document.Value) (now document.Value, name string, err error) {
	if order.Kind() != document.List {
		return now, "", w.notOfKind(NotASlice, order, key+" must be a list")
	}
	name, ok := strings.CutPrefix(key, directiveOrder+"/")
	if !ok {
		return now, "", w.fail(ErrMalformed, key+" has no list name; use "+directiveOrder+"/list").
			because(WrongDirective, directiveOrder)
	}
	live, change := object.Get(name), patch.Get(name)
	for _, v := range [...]document.Value{live, change} {
		if v.Exists() && v.Kind() != document.List {
			return now, "", w.notOfKind(NotASlice, v, key+" orders "+name+", which must be a list")
		}
	}
	f, problem := w.listField(t, name)
	if problem != "" {
		return now, "", w.unknown(t, name, problem)
	}
	w.key(name)
	if err := w.agree(change, order, f); err != nil {
		return now, "", err
	}
	if !live.Exists() && !change.Exists() {
		w.up()
		return now, name, nil
	}
	m, err := w.itemsToOrder(live, change, f)
	if err != nil {
		return now, "", err
	}
	by := keysOf(order, f)
	if err := w.orderable(&m, live, change, order, by, f); err != nil {
		return now, "", err
	}
	m.arrange(by, m.after)
	now = w.finish(&m)
	w.up()
	if w.observer != nil && !document.Identical(live, now) {
		w.note(name, RuleStrategicOrder, Moved, live, now)
	}
	return now, name, nil
}

// itemsToOrder merges the live list with the patch's list; either may be missing.
func (w *strategist) itemsToOrder(live, change document.Value, f field) (merged, error) {
	if live.Exists() && change.Exists() && f.merge && live.Len()+change.Len() > 0 {
		m, err := w.mergeItems(live, change, f)
		if err != nil {
			return m, err
		}
		m.keepServerOrder()
		m.arrange(m.byPatch, m.server)
		return m, nil
	}
	items := live
	if change.Exists() {
		items = change
		if !live.Exists() {
			items = w.withoutPatches(change)
		}
	}
	m := merged{mark: len(w.decisions), after: keysOf(live, f), aligned: !change.Exists()}
	for i, item := range items.Items() {
		m.entries = append(m.entries, entry{item: item, key: keyOf(item, f.keys), slot: i, deletes: deletes(item)})
		if change.Exists() {
			w.noteItem(i, RuleStrategicAdd, Added, document.Value{}, item)
		}
	}
	return m, nil
}

// orderable validates that all items, including those of the directive and the object, have
// their merge key.
func (w *strategist) orderable(m *merged, live, change, order document.Value, by []itemKey, f field) error {
	for i := range m.entries {
		if err := w.distinct(m.entries[i].item, m.entries[i].key, f); err != nil {
			return err
		}
	}
	if err := w.allDistinct(order, by, f); err != nil {
		return err
	}
	if kind, problem := itemKind(live, change); problem != "" {
		return w.mixed(kind, problem, [2]document.Value{live, change})
	}
	return w.allDistinct(live, keysOf(live, f), f)
}

func (w *strategist) allDistinct(list document.Value, keys []itemKey, f field) error {
	for i, item := range list.Items() {
		if err := w.distinct(item, keys[i], f); err != nil {
			return err
		}
	}
	return nil
}

func (w *strategist) distinct(item document.Value, k itemKey, f field) error {
	if len(f.keys) > 0 {
		return w.keyed(item, k, f)
	}
	if k.kind == keyNone {
		return w.fail(ErrInternal, directiveOrder+" cannot order "+excerpt(item)+": the list has no merge key")
	}
	return nil
}

// agree validates that the patch's items are in the order of the directive and that it
// contains all of them. Delete directives are ignored. Items with another $patch are
// skipped but, as in kube-apiserver, not after the end of the order directive.
func (w *strategist) agree(change, order document.Value, f field) error {
	if change.Len() == 0 || order.Len() == 0 {
		return nil
	}
	if len(f.keys) > 0 {
		for i, item := range change.Items() {
			if item.Kind() != document.Object {
				return w.notOfKind(NotAMap, item, "item "+strconv.Itoa(i)+" must be an object")
			}
		}
	}
	i, at := 0, 0
	for ; i < change.Len() && at < order.Len(); i++ {
		item := change.At(i)
		if _, special := item.Find(directivePatch); special {
			continue
		}
		same := false
		for ; !same && at < order.Len(); at++ {
			var err error
			if same, err = w.sameItem(item, order.At(at), f); err != nil {
				return err
			}
		}
		if !same {
			break
		}
	}
	for ; i < change.Len() && deletes(change.At(i)); i++ {
	}
	if i == change.Len() {
		return nil
	}
	err := w.fail(ErrInternal, "item "+strconv.Itoa(i)+" of the patch is not in the order of "+directiveOrder).
		because(OtherOrder, directiveOrder, change, order)
	err.Hint = "sort the patch's items like " + directiveOrder + ", which must contain all of them"
	return err
}

// sameItem reports whether two items have the same key; both must have one.
func (w *strategist) sameItem(a, b document.Value, f field) (bool, error) {
	x, y := keyOf(a, f.keys), keyOf(b, f.keys)
	if len(f.keys) > 0 {
		if err := w.keyed(a, x, f); err != nil {
			return false, err
		}
		if err := w.keyed(b, y, f); err != nil {
			return false, err
		}
	}
	return x == y && x.kind != keyNone, nil
}

// keyed validates that an item of a list merged by key is an object with its key.
func (w *strategist) keyed(item document.Value, k itemKey, f field) error {
	switch {
	case item.Kind() != document.Object:
		return w.notOfKind(NotAMap, item, "an item of a list merged by "+keyNames(f.keys)+" must be an object")
	case k.kind == keyMissing:
		key := missingKey(item, f.keys)
		return w.fail(ErrInternal, "an item lacks the merge key "+key+": "+excerpt(item)).
			because(NoMergeKey, key, item)
	}
	return nil
}

func keyNames(keys []schema.Key) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// deleteLists executes the "$deleteFromPrimitiveList/list" directives. When two patches are
// merged, the directives are only copied.
func (w *strategist) deleteLists(object, patch document.Value, t *schema.Type) (document.Value, error) {
	var changes []remake.Change
	for key, val := range patch.Members() {
		if !strings.HasPrefix(key, directiveDelete) {
			continue
		}
		if !w.applies {
			changes = append(changes, remake.Change{Key: key, Value: val})
			continue
		}
		name, ok := strings.CutPrefix(key, directiveDelete+"/")
		if !ok {
			return object, w.fail(ErrMalformed, key+" has no list name; use "+directiveDelete+"/list").
				because(WrongDirective, directiveDelete)
		}
		was := object.Get(name)
		if name == "" { // kube-apiserver removes nothing for an empty key
			w.note(name, RuleStrategicDropped, Ignored, was, val)
			continue
		}
		now, err := w.deleteItems(t, name, was, val)
		if err != nil {
			return object, err
		}
		if was.Exists() {
			changes = append(changes, remake.Change{Key: name, Value: now})
		}
	}
	remake.SortChanges(changes)
	return remake.WithChanges(object, changes), nil
}

// deleteItems executes one $deleteFromPrimitiveList. Like kube-apiserver, it removes the
// list if the value is null and merges if both are maps.
func (w *strategist) deleteItems(t *schema.Type, name string, was, val document.Value) (document.Value, error) {
	switch {
	case val.IsNull() && was.Exists():
		w.note(name, RuleStrategicNull, Removed, was, document.Value{})
		return document.Value{}, nil
	case was.Kind() == document.Object && val.Kind() == document.Object:
		return w.mapMember(t, name, was, val)
	case was.Kind() == document.List && val.Kind() == document.List:
	case was.Exists() && sameSort(was, val):
		return val, nil
	default:
		w.note(name, RuleStrategicDropped, Ignored, was, val)
		return was, nil
	}
	f, problem := w.listField(t, name)
	if problem != "" {
		return was, w.unknown(t, name, problem)
	}
	w.key(name)
	now, err := w.removeScalars(was, val, f)
	if err != nil {
		return was, err
	}
	w.up()
	return now, nil
}

// sameSort reports whether two scalars have the same Go type.
func sameSort(a, b document.Value) bool {
	return a.Kind() == b.Kind() && a.IsInt() == b.IsInt() && a.Kind() != document.List && a.Kind() != document.Object
}
