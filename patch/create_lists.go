package patch

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// A listDiff is the patch of a list: its items, the scalars to delete, and the order.
type listDiff struct {
	items, gone []document.Value
	order       document.Value
}

func itemsOf(list document.Value) []document.Value {
	items := make([]document.Value, list.Len())
	for i := range items {
		items[i] = list.At(i)
	}
	return items
}

func (d *differ) list(was, now document.Value, f field) (listDiff, error) {
	if was.Len() == 0 {
		if !d.changes {
			return listDiff{}, nil
		}
		return listDiff{items: itemsOf(now)}, nil
	}
	kind, problem := itemKind(was, now)
	switch {
	case problem != "":
		return listDiff{}, d.fail(causeOf(kind), problem)
	case kind == document.Object:
		return d.objects(was, now, f)
	}
	return d.scalars(was, now), nil
}

// objects compares two lists of objects by merge key.
func (d *differ) objects(was, now document.Value, f field) (listDiff, error) {
	before, err := d.view(was, f, d.views[now])
	if err != nil {
		return listDiff{}, err
	}
	after, err := d.view(now, f, before)
	if err != nil {
		return listDiff{}, err
	}
	patched, gone, err := d.pair(before, after, f)
	if err != nil {
		return listDiff{}, err
	}
	p := listDiff{items: make([]document.Value, 0, len(patched)+len(gone))}
	for _, e := range after.inOwnOrder(patched) {
		p.items = append(p.items, e.item)
	}
	p.items = append(p.items, gone...)
	if d.order && (d.changes || d.deletions) && len(p.items) > 0 || d.order && d.changes && !slices.Equal(before.keys, after.keys) {
		p.order = after.order(f)
	}
	return p, nil
}

// pair compares the items with equal merge keys of two lists, in the order of keys. It
// returns the new and changed items, and a delete directive for each removed one.
func (d *differ) pair(before, after *view, f field) (patched []entry, gone []document.Value, err error) {
	quiet := d.quiet(f.typ)
	if same, inStep := before.inStep(after, f, quiet); inStep {
		for _, e := range same {
			if patched, err = d.changed(patched, before.list.At(e.slot), e, f); err != nil {
				return nil, nil, err
			}
		}
		return patched, nil, nil
	}
	a, b := before.byName(f), after.byName(f)
	i, j := 0, 0
	for i < a.Len() || j < b.Len() {
		switch {
		case j == b.Len() || i < a.Len() && a.names[i] < b.names[j]:
			if d.deletions {
				gone = append(gone, deletion(a.entries[i], f))
			}
			i++
			continue
		case i == a.Len() || b.names[j] < a.names[i]:
			if d.changes {
				e := b.entries[j]
				e.deletes = deletes(e.item)
				patched = append(patched, e)
			}
		default:
			if !quiet || !document.SurelyIdentical(a.entries[i].item, b.entries[j].item) {
				if patched, err = d.changed(patched, a.entries[i].item, b.entries[j], f); err != nil {
					return nil, nil, err
				}
			}
			i++
		}
		j++
	}
	return patched, gone, nil
}

// changed compares an item with its old version and, if they differ, appends its patch to
// patched.
func (d *differ) changed(patched []entry, was document.Value, e entry, f field) ([]entry, error) {
	d.item(e.slot)
	p, err := d.object(was, e.item, f.typ, f.retainKeys)
	if err != nil {
		return nil, err
	}
	d.up()
	if p.Len() == 0 {
		return patched, nil
	}
	var b document.ObjectBuilder
	b.Grow(p.Len() + len(f.keys))
	for m := range p.Len() {
		b.Keep(p, m)
	}
	for _, k := range f.keys {
		b.Set(k.Name, e.item.Get(k.Name))
	}
	e.item = b.Object()
	e.deletes = deletes(e.item)
	return append(patched, e), nil
}

// deletion returns the directive that deletes an item.
func deletion(e entry, f field) document.Value {
	var b document.ObjectBuilder
	b.Grow(len(f.keys) + 1)
	for _, k := range f.keys {
		b.Set(k.Name, e.item.Get(k.Name))
	}
	b.SetString(directivePatch, "delete")
	return b.Object()
}
