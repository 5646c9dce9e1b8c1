package patch

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// conflicts finds fields that two strategic merge patches change differently
// (apimachinery's MergingMapsHaveConflicts). Its walk ends at the first.
type conflicts struct {
	walk
	typing
}

// objects compares two patches for an object of type t.
func (c *conflicts) objects(a, b document.Value, t *schema.Type) (bool, error) {
	if differ := directiveDiffers(a, b); differ {
		return true, nil
	}
	for key, left := range a.Members() {
		right := b.Get(key)
		if key == directivePatch || key == directiveRetain || !right.Exists() {
			continue
		}
		c.key(key)
		found, err := c.values(left, right, t, key)
		if found || err != nil {
			return found, err
		}
		c.up()
	}
	return false, nil
}

// directiveDiffers reports whether two maps have different $patch directives.
func directiveDiffers(a, b document.Value) bool {
	x, y := a.Get(directivePatch), b.Get(directivePatch)
	return x.Exists() != y.Exists() || x.Exists() && !document.Identical(x, y)
}

func (c *conflicts) values(a, b document.Value, t *schema.Type, key string) (bool, error) {
	switch a.Kind() {
	case document.Object:
		f, problem := c.mapField(t, key)
		if problem != "" {
			return true, refuse(TypeStrategic, ErrInternal, c.here(), problem)
		}
		if b.Kind() != document.Object || directiveDiffers(a, b) {
			return true, nil
		}
		if f.replace {
			return false, nil
		}
		return c.objects(a, b, f.typ)
	case document.List:
		f, problem := c.listField(t, key)
		if problem != "" {
			return true, refuse(TypeStrategic, ErrInternal, c.here(), problem)
		}
		if b.Kind() != document.List {
			return true, nil
		}
		return c.lists(a, b, f)
	}
	return !document.Identical(a, b), nil
}

func (c *conflicts) lists(a, b document.Value, f field) (bool, error) {
	kind, problem := itemKind(a, b)
	if problem != "" {
		return true, refuse(TypeStrategic, causeOf(kind), c.here(), problem)
	}
	switch {
	case f.merge && kind == document.Object:
		return c.keyed(a, b, f)
	case f.merge:
		return false, nil
	case a.Len() != b.Len():
		return true, nil
	case kind != document.Object:
		return !sameScalars(a, b), nil
	}
	for i, left := range a.Items() {
		c.item(i)
		if found, err := c.objects(left, b.At(i), f.typ); found || err != nil {
			return found, err
		}
		c.up()
	}
	return false, nil
}

// keyed compares the items of two lists with equal merge keys; if several items share a
// key, the last is used.
func (c *conflicts) keyed(a, b document.Value, f field) (bool, error) {
	if len(f.keys) == 0 {
		f.keys = []schema.Key{{}} // the field without a name, as in kubectl
	}
	others, _, err := c.byKey(b, f)
	if err != nil {
		return true, err
	}
	own, order, err := c.byKey(a, f)
	if err != nil {
		return true, err
	}
	for i, k := range order {
		other, both := others[k]
		if !both {
			continue
		}
		c.item(i)
		found, err := c.objects(own[k], other, f.typ)
		if found || err != nil {
			return found, err
		}
		c.up()
	}
	return false, nil
}

// byKey returns the items of a list by their keys, and the keys in order. Unlike elsewhere,
// 7 and "7" are different keys.
func (c *conflicts) byKey(list document.Value, f field) (items map[itemKey]document.Value, order []itemKey, err error) {
	items = make(map[itemKey]document.Value, list.Len())
	for _, item := range list.Items() {
		k := keyOf(item, f.keys)
		if k.kind == keyMissing {
			return nil, nil, refuse(TypeStrategic, ErrInternal, c.here(), "an item lacks the merge key "+keyNames(f.keys)+": "+excerpt(item))
		}
		k.text = keyText(item, k, f)
		if _, twice := items[k]; !twice {
			order = append(order, k)
		}
		items[k] = item
	}
	return items, order, nil
}

// sameScalars compares two lists of equal length like kubectl: sorted, without duplicates,
// and only up to the length of the first.
func sameScalars(a, b document.Value) bool {
	x, y := distinctScalars(a), distinctScalars(b)
	if len(x) > len(y) {
		return false // kubectl panics here
	}
	for i := range x {
		if !document.Identical(x[i].item, y[i].item) {
			return false
		}
	}
	return true
}

func distinctScalars(list document.Value) []entry {
	return slices.CompactFunc(sortedScalars(list), func(a, b entry) bool { return document.Identical(a.item, b.item) })
}
