package generate

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// longList is the length from which on a list or map is long; only few of its parts are
// then changed.
const longList = 20

// count returns the length for a list or map: less than n, or about Options.Long if it is
// chosen to be long. Its parts are then not deeply nested. The caller must call end after
// generating them.
func (g *Generator) count(n int) (count int, end func()) {
	if g.long == 0 || g.many > 0 || g.chance(2) {
		return g.IntN(n), func() {}
	}
	return g.beLong()
}

// countOf is count for a value of length n unless it is chosen to be long.
func (g *Generator) countOf(n int) (count int, end func()) {
	if g.long == 0 || g.many > 0 || g.chance(2) {
		return n, func() {}
	}
	return g.beLong()
}

func (g *Generator) beLong() (count int, end func()) {
	g.long--
	depth, breadth := g.o.Depth, g.o.Breadth
	g.many = 1 + g.o.Long/2 + g.IntN(g.o.Long)
	g.o.Depth, g.o.Breadth = min(depth, g.depth+2), 2
	return g.many, func() { g.many, g.o.Depth, g.o.Breadth = 0, depth, breadth }
}

// amid marks the following values as items or members of v until end is called.
func (g *Generator) amid(v document.Value) (end func()) {
	was := g.many
	if v.Len() >= longList {
		g.many = v.Len()
	}
	return func() { g.many = was }
}

// among returns one of some texts; in a long list or map, one of so many variants that most
// are different.
func (g *Generator) among(texts []string) string {
	text := texts[g.IntN(len(texts))]
	if g.many == 0 || g.chance(g.many) {
		return text
	}
	return text + "-" + itoa(g.IntN(2*g.many))
}

// text generates a string, sometimes a long one.
func (g *Generator) text() document.Value {
	text := g.among(names[:])
	if g.long > 0 && g.many == 0 && g.chance(6) {
		g.long--
		text = strings.Repeat(text+" is long, ", 20*g.o.Long) + oddTexts[g.IntN(len(oddTexts))]
	}
	return document.NewString(text)
}

// rate is the proportion of a value's parts that are changed.
type rate struct {
	g     *Generator
	rare  int // one in this number is changed
	parts int
}

// rate chooses how much of v changes; of a long value usually little.
func (g *Generator) rate(v document.Value) rate {
	r := rate{g, 1, v.Len()}
	if r.parts >= longList && !g.chance(4) {
		r.rare = 1 + g.IntN(r.parts)
	}
	return r
}

// touches decides for each part whether it changes.
func (r rate) touches() bool { return r.rare == 1 || r.g.chance(r.rare) }

// shuffle reorders items: all of them, or a few of a long list.
func (g *Generator) shuffle(items []document.Value) {
	swap := func(i, j int) { items[i], items[j] = items[j], items[i] }
	if len(items) < longList || g.chance(3) {
		g.Shuffle(len(items), swap)
		return
	}
	for range 1 + g.IntN(3) {
		swap(g.IntN(len(items)), g.IntN(len(items)))
	}
}

// insert adds an item at the end, or anywhere in a long list.
func (g *Generator) insert(items []document.Value, item document.Value) []document.Value {
	items = append(items, item)
	if len(items) >= longList && g.chance(2) {
		at := g.IntN(len(items))
		copy(items[at+1:], items[at:])
		items[at] = item
	}
	return items
}
