package document

import "strings"

// maxLikeDepth is how deep a text is compared with one that it is like. At each
// level it may be compared once over, so there are few.
const maxLikeDepth = 32

// shortText is the length up to which a string is read as fast as compared.
const shortText = 16

// likes are parts that those of the text are likely to be like: of an object the
// members, of a list the items, from where the text stands on.
type likes struct {
	nodes  []node
	missed bool // the item before was not found
}

// likesOf returns the parts of like, which may be nil, for a text of that kind.
func likesOf(like *node, kind Kind, depth int) likes {
	if like == nil || like.kind != kind || depth > maxLikeDepth {
		return likes{}
	}
	return likes{nodes: like.kids()}
}

// member returns the member with that key, if it stands behind those asked for.
func (l *likes) member(key string) *node {
	for i := range l.nodes {
		if l.nodes[i].key >= key {
			l.nodes = l.nodes[i:]
			if l.nodes[0].key == key {
				return &l.nodes[0]
			}
			return nil
		}
	}
	l.nodes = nil
	return nil
}

// item returns the item that stands in the text here and the length of its text,
// nil where it is not the first or the second of l, as when one item has changed,
// come or gone. Where several have changed it keeps step with the text.
func (l *likes) item(p *parser) (n *node, length int) {
	for i := range l.nodes[:min(len(l.nodes), 2)] {
		n := &l.nodes[i]
		if length := p.standsHere(n); length > 0 {
			l.nodes, l.missed = l.nodes[i+1:], false
			return n, length
		}
	}
	if l.missed && len(l.nodes) > 0 {
		l.nodes = l.nodes[1:]
	}
	l.missed = true
	return nil, 0
}

// standsHere returns the length of a node's text if it stands here in the same
// words, in printed form, else 0. A number says 0: more digits may follow.
func (p *parser) standsHere(n *node) int {
	if n.flags&canonical == 0 || len(n.raw) == 0 {
		return 0
	}
	text := p.s[p.i:]
	switch {
	case n.kind >= List && strings.HasPrefix(text, n.raw):
		return len(n.raw)
	case n.kind == String && len(n.raw) > shortText && len(text) > len(n.raw)+1 &&
		text[0] == '"' && text[len(n.raw)+1] == '"' && text[1:len(n.raw)+1] == n.raw:
		return len(n.raw) + 2
	}
	return 0
}

// share takes a node over if it stands here, and reports whether it does.
func (p *parser) share(n *node) bool {
	length := p.standsHere(n)
	if length > 0 {
		p.takeOver(n, length)
	}
	return length > 0
}

// shareItem takes over the item that stands here if it is among those of alike.
// If not, the next of these is what the item is likely to be like.
func (p *parser) shareItem(alike *likes) bool {
	p.space()
	next := alike.nodes
	if n, length := alike.item(p); n != nil {
		p.takeOver(n, length)
		return true
	}
	p.like = &next[0]
	return false
}

// takeOver pushes a node that stands here and goes on behind it. What is below
// it is shared.
func (p *parser) takeOver(n *node, length int) {
	own := *n
	own.key, own.flags = "", n.flags&^keyCanonical|fromSource
	own.raw = p.s[p.i : p.i+length]
	if n.kind == String {
		own.raw = own.raw[1 : length-1]
	}
	p.i += length
	p.stack = append(p.stack, own)
}
