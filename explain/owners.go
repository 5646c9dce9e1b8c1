package explain

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// claim is what one manager owns at a place of the object.
type claim struct {
	fields fieldmanager.Set // below the place
	member bool             // the place itself
	whole  bool             // a list or object that is owned as one holds the place
}

// place is a value of the object with its type and what each manager claims of it.
type place struct {
	t      *schema.Type
	v      document.Value
	path   fieldmanager.Path
	claims []claim
}

func root(t *schema.Type, o fieldmanager.Object) place {
	p := place{t: t, v: o.Value}
	for _, e := range o.Managed.Entries() {
		p.claims = append(p.claims, claim{fields: e.Fields})
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

// child is the place one element further down. An absent element, as items of
// atomic lists have none, inherits the owners.
func (p *place) child(e fieldmanager.Element, t *schema.Type, v document.Value) place {
	kid := place{t: t, v: v, path: p.path, claims: make([]claim, len(p.claims))}
	if e != "" {
		kid.path = append(p.path[:len(p.path):len(p.path)], e)
	}
	atomic := p.atomic()
	for i, c := range p.claims {
		k := &kid.claims[i]
		if c.whole || atomic && c.member {
			k.whole = true
			continue
		}
		if e != "" {
			k.fields, k.member = c.fields.Child(e)
		}
	}
	return kid
}

// member is the place of an object's i-th member.
func (p *place) member(i int) place {
	name := p.v.Key(i)
	var t *schema.Type
	if p.t != nil {
		t = p.t.Map.Member(name)
	}
	return p.child(fieldmanager.Element("f:"+name), t, p.v.At(i))
}

// item is the place of a list's i-th item.
func (p *place) item(i int) place {
	v := p.v.At(i)
	if p.t == nil || p.t.List == nil {
		return p.child("", nil, v)
	}
	if p.atomic() {
		return p.child("", p.t.List.Elem, v)
	}
	e, _ := structured.ItemElement(p.t.List, v)
	return p.child(e, p.t.List.Elem, v)
}

// owners lists the positions of the managers that own the place itself.
func (p *place) owners() []int {
	var owners []int
	for i, c := range p.claims {
		if c.member || c.whole {
			owners = append(owners, i)
		}
	}
	return owners
}

// below lists the managers that own something below the place, but not itself.
func (p *place) below() []int {
	var below []int
	for i, c := range p.claims {
		if !c.member && !c.whole && !c.fields.Empty() {
			below = append(below, i)
		}
	}
	return below
}
