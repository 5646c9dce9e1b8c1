package explain

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// LinesAfter is Lines for an object of which the lines of another state are known. lines is
// the result of Lines or LinesAfter for other with the same type. Lines of parts with the
// same value and owners are reused.
func LinesAfter(t *schema.Type, o, other fieldmanager.Object, lines []Line) []Line {
	w := newLineWriter()
	w.before = before{lines: lines, match: matching(allOwners(other.Managed), allOwners(o.Managed)), owners: map[*int][]int{}}
	p, was := root(t, o), root(t, other)
	w.container(&p, former{p: &was}, "", "")
	return w.finish()
}

// before is the other state with its lines.
type before struct {
	lines  []Line
	match  []int          // maps the indices of its entries to those in this state
	owners map[*int][]int // maps its lists of owners to those in this state
}

// former is the part of the other state at the current path. p is nil if the other state has
// nothing there.
type former struct {
	p  *place
	at int // index of the first line
	n  int // number of lines
}

// again reuses the lines of the other state's place if it equals p, and reports whether it
// does. alike is set if both are the first member or item, or neither is.
func (w *lineWriter) again(was former, p *place, alike bool) bool {
	d := differ{match: w.before.match}
	if was.p == nil || !alike || !document.SurelyIdentical(was.p.v, p.v) || !d.sameOwners(was.p.claims, p.claims) {
		return false
	}
	for _, l := range w.before.lines[was.at : was.at+was.n] {
		l.Owners, l.Below = w.mapped(l.Owners), w.mapped(l.Below)
		w.lines = append(w.lines, l)
	}
	return true
}

// mapped converts indices in the other state's managedFields to this state's.
func (w *lineWriter) mapped(list []int) []int {
	if len(list) == 0 {
		return nil
	}
	out, ok := w.before.owners[&list[0]]
	if !ok || len(out) != len(list) {
		out = make([]int, len(list))
		for i, n := range list {
			out[i] = w.before.match[n]
		}
		slices.Sort(out)
		w.before.owners[&list[0]] = out
	}
	return out
}

// span returns the number of lines from at on that belong to a step below the current path.
func (w *lineWriter) span(at, depth int, s document.Step) int {
	n := at
	for n < len(w.before.lines) && len(w.before.lines[n].Path) > depth && w.before.lines[n].Path[depth] == s {
		n++
	}
	return n - at
}

// formerMembers iterates over the members of an object in the other state.
type formerMembers struct {
	p     *place
	i, at int
}

func (w *lineWriter) formerMembers(was former, p *place) formerMembers {
	if was.p == nil || was.p.v.Kind() != document.Object || p.leaf() != was.p.leaf() || p.atomic() {
		return formerMembers{}
	}
	return formerMembers{was.p, 0, was.at}
}

// of returns the member with a name and whether it is the first. It must be called in
// ascending order of names, with the member's path as the current path.
func (f *formerMembers) of(w *lineWriter, key string) (former, bool) {
	for ; f.p != nil && f.i < f.p.v.Len() && f.p.v.Key(f.i) <= key; f.i++ {
		name := f.p.v.Key(f.i)
		found := former{at: f.at, n: w.span(f.at, len(w.path)-1, w.name(name).step)}
		f.at += found.n
		if name == key {
			kid := f.p.member(f.i, &w.claims)
			found.p = &kid
			f.i++
			return found, f.i == 1
		}
	}
	return former{}, false
}

// formerItems holds the items of a list in the other state.
type formerItems struct {
	p     *place
	items []formerItem
	at    map[string]int
}

type formerItem struct {
	element string
	at, n   int
}

// formerItems returns the items of the list; none if two neighbours have the same path
// element.
func (w *lineWriter) formerItems(was former, p *place) formerItems {
	if was.p == nil || was.p.v.Kind() != document.List || was.p.leaf() || p.leaf() {
		return formerItems{}
	}
	f := formerItems{p: was.p, items: make([]formerItem, 0, was.p.v.Len())}
	at := was.at
	for i := range was.p.v.Len() {
		e := was.p.element(i)
		if e == "" || i > 0 && e == f.items[i-1].element {
			return formerItems{}
		}
		n := w.span(at, len(w.path), fieldset.Step(e))
		f.items = append(f.items, formerItem{e, at, n})
		at += n
	}
	return f
}

// of returns the item with a path element and whether it is the first. It tries index i
// first.
func (f *formerItems) of(w *lineWriter, i int, e string) (former, bool) {
	if f.p == nil || e == "" {
		return former{}, false
	}
	if i >= len(f.items) || f.items[i].element != e {
		if f.at == nil {
			f.at = make(map[string]int, len(f.items))
			for j := range f.items {
				f.at[f.items[j].element] = j
			}
		}
		var ok bool
		if i, ok = f.at[e]; !ok {
			return former{}, false
		}
	}
	kid, _ := f.p.item(i, &w.claims)
	return former{&kid, f.items[i].at, f.items[i].n}, i == 0
}
