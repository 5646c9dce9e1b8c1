package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// CreateStrategic returns the strategic merge patch that changes from into to, objects of
// type t. It is byte for byte the patch that kubectl computes (apimachinery's
// CreateTwoWayMergePatch), except that it also orders a list of scalars that only needs
// sorting, which kubectl omits:
//
//  1. A member missing in to becomes null.
//  2. A list with the merge strategy becomes its new and changed items in the
//     order of to, a {"$patch": "delete"} for each removed item, and
//     "$setElementOrder/list". A list of scalars becomes its new items and
//     "$deleteFromPrimitiveList/list". If from has no items, the list of to is
//     used as a whole.
//  3. A map with the replace strategy is always included as a whole, even if
//     unchanged. A changed map with retainKeys includes "$retainKeys" with all
//     of its keys.
//
// A null in to is treated as a missing member. The items of merged lists must have unique
// merge keys; otherwise the patch may not yield to. Errors are *Error: ErrInternal if an
// item lacks its merge key or the lists cannot be compared.
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

// differ computes strategic merge patches. Its settings select what they contain: changes
// and additions, deletions, and the order of lists.
type differ struct {
	strategist
	changes, deletions, order bool
	// sorts adds an order directive for lists that only need sorting.
	sorts bool
	// views caches the views of lists that are compared twice; nil if none are.
	views map[document.Value]*view
	// quietTypes caches the results of quiet.
	quietTypes map[*schema.Type]bool
}

// object returns the patch between two objects of type t. With retain it includes
// $retainKeys.
func (d *differ) object(from, to document.Value, t *schema.Type, retain bool) (document.Value, error) {
	var b document.ObjectBuilder
	var names []document.Value
	extra := false // from has a member other than null that to lacks
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
