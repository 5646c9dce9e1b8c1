package explain

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// claim is what one entry of managedFields owns at a place of the object.
type claim struct {
	fields fieldset.Set // below the place
	next   int          // where in fields to look for the next member
	member bool         // the place itself
	whole  bool         // a list or object that is owned as one holds the place
}

// none reports whether the entry owns neither the place nor anything below it.
func (c *claim) none() bool { return !c.member && !c.whole && c.fields.Empty() }

// place is a value of the object with its type and the claims of each entry.
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

// atomic reports whether the value is owned and replaced as a whole.
func (p *place) atomic() bool {
	switch p.v.Kind() {
	case document.Object:
		return p.t != nil && p.t.Map != nil && p.t.Map.Atomic
	case document.List:
		return p.t == nil || p.t.List == nil || p.t.List.Kind == schema.AtomicList
	}
	return true
}

// leaf reports whether nothing below the place has owners of its own.
func (p *place) leaf() bool { return p.atomic() || p.v.Len() == 0 }

// claimStack is the memory of claims. A walk releases what it took below a place
// when it leaves it, so that memory grows with the depth of an object only.
type claimStack []claim

// take returns claims for a place below one with the claims given. If that one is
// atomic, its owners own the place.
func (s *claimStack) take(above []claim, atomic bool) []claim {
	n := len(*s)
	for _, c := range above {
		*s = append(*s, claim{whole: c.whole || atomic && c.member})
	}
	return (*s)[n:len(*s):len(*s)]
}

func (s *claimStack) release(n int) { *s = (*s)[:n] }

// member returns the place of an object's i-th member. Members must be asked for
// in ascending order.
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

// item returns the place of a list's i-th item and its path element, "" for an
// item of an atomic list, which has the list's owners.
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
			if k.none() && fieldset.Big(e) { // managedFields read integers beyond 2^53 as the nearest float64
				k.fields, k.member = p.claims[j].fields.Child(fieldset.Reread(e))
			}
		}
	}
	return kid, e
}

// element returns the path element of a list's i-th item, "" if it has none.
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
