package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// CreateStrategic makes the strategic merge patch that turns from into to, by
// what t knows of the object's fields. It is the patch that kubectl would make
// (apimachinery's CreateTwoWayMergePatch), letter for letter, but that it also
// orders a list of scalars that is only to be sorted, which kubectl forgets:
//
//  1. What is missing in to becomes null.
//  2. A list that merges becomes its new and changed items, in the order of to,
//     then a {"$patch": "delete"} for each that is gone, and
//     "$setElementOrder/list"; of scalars, those that are new and
//     "$deleteFromPrimitiveList/list". Where from has no items to is taken whole.
//  3. A map whose strategy is replace is given whole, changed or not; one with
//     retainKeys gets "$retainKeys" with all its keys if something changed.
//
// A null in to counts as a missing member. Items of a list that merges must have
// its merge key, and no two the same one, for the patch to make to of from.
// Errors are *Error: ErrInternal where an item lacks its key or the lists cannot
// be compared.
func CreateStrategic(from, to document.Value, t *schema.Type, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.CreateStrategic(from, to, t, o)
	}
	if err := bothObjects(TypeStrategic, from, to); err != nil {
		return document.Value{}, err
	}
	d := differ{strategist: strategist{typing: typing{o.ListTypes}}, changes: true, deletions: true, order: true, sorts: true}
	return d.object(from, to, t, false)
}

// A differ makes strategic patches. Its settings say what goes into them:
// changes and additions, deletions, and the order of lists.
type differ struct {
	strategist
	changes, deletions, order bool
	// sorts makes an order also for lists that are only to be sorted.
	sorts bool
	// views remembers lists that are compared twice; nil where none is.
	views map[document.Value]*view
	// quietTypes remembers what quiet found.
	quietTypes map[*schema.Type]bool
}

// object makes the patch between two objects of type t. retain asks for a
// $retainKeys.
func (d *differ) object(from, to document.Value, t *schema.Type, retain bool) (document.Value, error) {
	var b document.ObjectBuilder
	var names []document.Value
	extra := false // from has a member, other than null, that to has not
	i, j := 0, 0
	for i < from.Len() || j < to.Len() {
		switch {
		case j == to.Len() || i < from.Len() && from.Key(i) < to.Key(j):
			if d.deletions {
				b.Set(from.Key(i), document.NewNull())
			}
			extra = extra || !from.At(i).IsNull()
			i++
			continue
		case i == from.Len() || to.Key(j) < from.Key(i):
			if d.changes {
				b.Keep(to, j)
			}
		default:
			if err := d.member(&b, from.At(i), to.At(j), t, to.Key(j)); err != nil {
				return document.Value{}, err
			}
			i++
		}
		if retain && !to.At(j).IsNull() {
			names = append(names, document.NewString(to.Key(j)))
		}
		j++
	}
	if len(names) > 0 && (b.Len() > 0 || extra) {
		b.Set(directiveRetain, document.NewList(names...))
	}
	return b.Object(), nil
}

// member compares a member that both objects have.
func (d *differ) member(b *document.ObjectBuilder, was, now document.Value, t *schema.Type, key string) error {
	if key == directivePatch {
		return d.directive(b, was, now)
	}
	switch {
	case was.Kind() != now.Kind() || was.IsInt() != now.IsInt():
		if d.changes {
			b.Set(key, now)
		}
		return nil
	case was.Kind() == document.Object:
		return d.mapMember(b, was, now, t, key)
	case was.Kind() == document.List:
		return d.listMember(b, was, now, t, key)
	}
	d.replaced(b, key, was, now)
	return nil
}

func (d *differ) replaced(b *document.ObjectBuilder, key string, was, now document.Value) {
	if d.changes && !document.Identical(was, now) {
		b.Set(key, now)
	}
}

func (d *differ) directive(b *document.ObjectBuilder, was, now document.Value) error {
	if was.Kind() != document.String || now.Kind() != document.String {
		return d.fail(ErrInternal, "$patch must be a string")
	}
	if !document.Equal(was, now) {
		b.Set(directivePatch, now)
	}
	return nil
}

func (d *differ) mapMember(b *document.ObjectBuilder, was, now document.Value, t *schema.Type, key string) error {
	f, problem := d.mapField(t, key)
	switch {
	case problem != "":
		if document.Identical(was, now) {
			return nil
		}
		return d.unknown(t, key, problem)
	case f.replace:
		if d.changes {
			b.Set(key, now)
		}
		return nil
	}
	if document.SurelyIdentical(was, now) && d.quiet(f.typ) {
		return nil
	}
	d.key(key)
	p, err := d.object(was, now, f.typ, f.retainKeys)
	if err != nil {
		return err
	}
	d.up()
	if p.Len() > 0 {
		b.Set(key, p)
	}
	return nil
}

func (d *differ) listMember(b *document.ObjectBuilder, was, now document.Value, t *schema.Type, key string) error {
	f, problem := d.listField(t, key)
	switch {
	case problem != "":
		if document.Identical(was, now) {
			return nil
		}
		return d.unknown(t, key, problem)
	case !f.merge:
		d.replaced(b, key, was, now)
		return nil
	case len(f.keys) > 0 && document.SurelyIdentical(was, now) && d.quiet(f.typ):
		return nil
	}
	d.key(key)
	p, err := d.list(was, now, f)
	if err != nil {
		return err
	}
	d.up()
	if len(p.items) > 0 {
		b.Set(key, document.NewList(p.items...))
	}
	if len(p.gone) > 0 {
		b.Set(directiveDelete+"/"+key, document.NewList(p.gone...))
	}
	if p.order.Len() > 0 {
		b.Set(directiveOrder+"/"+key, p.order)
	}
	return nil
}
