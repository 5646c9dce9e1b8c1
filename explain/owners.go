package explain

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// claim holds the fields of one managedFields entry at a place of the object.
type claim struct {
	fields fieldset.Set // below the place
	next   int          // index in fields of the next member
	member bool         // the entry owns the place itself
	whole  bool         // the place is in a list or object that the entry owns as a whole
}

// none reports whether the entry owns neither the place nor anything below it.
func (c *claim) none() bool { return !c.member && !c.whole && c.fields.Empty() }

// place is a value in the object with its type and the claim of each entry.
type place struct {
	t      *schema.Type
	v      document.Value
	claims []claim
}

func root(t *schema.Type, o fieldmanager.Object) place {
	p := place{t: t, v: o.Value}
	for _, e := range o.Managed.Entries() {
		p.claims = append(p.claims, claim{fields: fieldset.Raw(e.Fields.FieldsV1())})
	}
	return p
}

// atomic reports whether the value is atomic.
func (p *place) atomic() bool {
	switch p.v.Kind() {
	case document.Object:
		return p.t != nil && p.t.Map != nil && p.t.Map.Atomic
	case document.List:
		return p.t == nil || p.t.List == nil || p.t.List.Kind == schema.AtomicList
	}
	return true
}

// leaf reports whether nothing below the place has its own owners.
func (p *place) leaf() bool { return p.atomic() || p.v.Len() == 0 }

// claimStack allocates claims. A walk releases the claims of a place when it leaves it, so
// that memory depends only on the depth of an object.
type claimStack []claim

// take returns claims for a child of a place with the given claims. The owners of an atomic
// parent own the child.
func (s *claimStack) take(above []claim, atomic bool) []claim {
	n := len(*s)
	for _, c := range above {
		*s = append(*s, claim{whole: c.whole || atomic && c.member})
	}
	return (*s)[n:len(*s):len(*s)]
}

func (s *claimStack) release(n int) { *s = (*s)[:n] }

// member returns the place of an object's i-th member. It must be called in ascending
// order.
func (p *place) member(i int, s *claimStack) place {
	name := p.v.Key(i)
	kid := place{v: p.v.At(i), claims: s.take(p.claims, p.atomic())}
	if p.t != nil {
		kid.t = p.t.Map.Member(name)
	}
	for j := range kid.claims {
		if k := &kid.claims[j]; !k.whole {
			c := &p.claims[j]
			k.fields, k.member, c.next = c.fields.FieldFrom(name, c.next)
		}
	}
	return kid
}

// item returns the place of a list's i-th item and its path element, "" for an item of an
// atomic list, which has the owners of the list.
func (p *place) item(i int, s *claimStack) (place, string) {
	e := p.element(i)
	return p.itemOf(i, e, s), e
}

// itemOf returns the place of a list's i-th item, whose path element is e.
func (p *place) itemOf(i int, e string, s *claimStack) place {
	kid := place{v: p.v.At(i), claims: s.take(p.claims, p.atomic())}
	if p.t == nil || p.t.List == nil {
		return kid
	}
	kid.t = p.t.List.Elem
	if e == "" {
		return kid
	}
	for j := range kid.claims {
		if k := &kid.claims[j]; !k.whole {
			k.fields, k.member = p.claims[j].fields.Child(e)
			if k.none() && fieldset.Big(e) { // managedFields decodes integers beyond 2^53 as the nearest float64
				k.fields, k.member = p.claims[j].fields.Child(fieldset.Reread(e))
			}
		}
	}
	return kid
}

// element returns the path element of a list's i-th item, "" if it has none.
func (p *place) element(i int) string {
	if p.atomic() {
		return ""
	}
	e, _ := structured.ItemElement(p.t.List, p.v.At(i))
	return e
}

// owns reports whether the entry owns the place itself.
func (c *claim) owns() bool { return c.member || c.whole }

// below reports whether the entry owns something below the place but not the place itself.
func (c *claim) below() bool { return !c.owns() && !c.fields.Empty() }
