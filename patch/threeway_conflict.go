package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// conflicts looks for fields that two strategic patches change differently
// (apimachinery's MergingMapsHaveConflicts). Its walk stays at the first.
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

// directiveDiffers reports whether two maps have another $patch.
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
		if found, err := c.objects(left, b.At(i), f.typ); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// keyed compares the items of two lists that have the same merge key.
func (c *conflicts) keyed(a, b document.Value, f field) (bool, error) {
	others := make(map[string]document.Value, b.Len())
	for _, item := range b.Items() {
		k := keyOf(item, f.keys)
		if k.kind == keyMissing {
			return true, refuse(TypeStrategic, ErrInternal, c.here(), "an item lacks the merge key "+keyNames(f.keys)+": "+excerpt(item))
		}
		others[keyText(item, k, f)] = item
	}
	seen := make(map[string]document.Value, a.Len())
	var order []string
	for _, item := range a.Items() {
		k := keyOf(item, f.keys)
		if k.kind == keyMissing {
			return true, refuse(TypeStrategic, ErrInternal, c.here(), "an item lacks the merge key "+keyNames(f.keys)+": "+excerpt(item))
		}
		text := keyText(item, k, f)
		if _, twice := seen[text]; !twice {
			order = append(order, text)
		}
		seen[text] = item
	}
	for i, text := range order {
		other, both := others[text]
		if !both {
			continue
		}
		c.item(i)
		found, err := c.objects(seen[text], other, f.typ)
		if found || err != nil {
			return found, err
		}
		c.up()
	}
	return false, nil
}

// sameScalars compares two lists of one length without regard to order.
func sameScalars(a, b document.Value) bool {
	x, y := sortedScalars(a), sortedScalars(b)
	for i := range x {
		if !document.Identical(x[i].item, y[i].item) {
			return false
		}
	}
	return true
}
