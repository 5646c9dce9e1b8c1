package explain

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// claim is what one manager owns at a place of the object.
type claim struct {
	fields fieldset.Set // below the place
	next   int          // where in fields to look for the next member
	member bool         // the place itself
	whole  bool         // a list or object that is owned as one holds the place
}

// none reports whether the manager owns neither the place nor what is below it.
func (c *claim) none() bool { return !c.member && !c.whole && c.fields.Empty() }

// place is a value of the object with its type and what each manager claims of it.
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

// atomic reports whether the value is owned and replaced as one.
func (p *place) atomic() bool {
	switch p.v.Kind() {
	case document.Object:
		return p.t != nil && p.t.Map != nil && p.t.Map.Atomic
	case document.List:
		return p.t == nil || p.t.List == nil || p.t.List.Kind == schema.AtomicList
	}
	return true
}

// leaf reports whether there is nothing below with owners of its own.
func (p *place) leaf() bool { return p.atomic() || p.v.Len() == 0 }

// claimStack lends the claims of places. A walk gives back what it took below a
// place when it leaves it, so that a large object costs no more than a deep one.
type claimStack []claim

// take returns the claims of a place below one with the claims given, of which
// those hold the place that hold all of the one above.
func (s *claimStack) take(above []claim, atomic bool) []claim {
	n := len(*s)
	for _, c := range above {
		*s = append(*s, claim{whole: c.whole || atomic && c.member})
	}
	return (*s)[n:len(*s):len(*s)]
}

func (s *claimStack) release(n int) { *s = (*s)[:n] }

// member is the place of an object's i-th member. Members are asked for in
// ascending order.
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

// item is the place of a list's i-th item, with its path element. An absent
// element, as items of atomic lists have none, inherits the owners.
func (p *place) item(i int, s *claimStack) (place, string) {
	kid := place{v: p.v.At(i), claims: s.take(p.claims, p.atomic())}
	if p.t == nil || p.t.List == nil {
		return kid, ""
	}
	kid.t = p.t.List.Elem
	e := p.element(i)
	if e == "" {
		return kid, ""
	}
	for j := range kid.claims {
		if k := &kid.claims[j]; !k.whole {
			k.fields, k.member = p.claims[j].fields.Child(e)
		}
	}
	return kid, e
}

// element is the path element of a list's i-th item, "" where it has none.
func (p *place) element(i int) string {
	if p.atomic() {
		return ""
	}
	e, _ := structured.ItemElement(p.t.List, p.v.At(i))
	return e
}

// owns reports whether the claim is to the place itself.
func (c *claim) owns() bool { return c.member || c.whole }

// below reports whether the claim is to something below the place, but not to itself.
func (c *claim) below() bool { return !c.owns() && !c.fields.Empty() }
