package document

import (
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
)

// A long list of a long text is only checked when the text is parsed, and its
// items become nodes when someone looks at them. What a change does not touch
// then costs no more than being read over once. Such a list must be plain: its
// objects have their keys in order, so that no key can stand twice. Where one is
// not, nothing more is deferred in that text.
const (
	// deferText is the length of text from which on lists are deferred.
	deferText = 4 << 10
	// deferSpan is the length of a list from which on it is.
	deferSpan = 256
)

// A deferred holds the kids of a deferred list or object once they are made.
// Copies of the node share it, so the kids are made once.
type deferred struct {
	kids atomic.Pointer[node]
	// level counts the deferred lists that this one lies in. Each costs another
	// reading of the text, so there are few.
	level uint8
	// peeks counts how often one member was asked for.
	peeks atomic.Uint32
}

const (
	maxDeferLevel = 2
	maxPeeks      = 2
)

// open returns the kids of a deferred node.
func (n *node) open() []node {
	d := (*deferred)(n.first)
	if k := d.kids.Load(); k != nil {
		return unsafe.Slice(k, n.count)
	}
	return d.publish(n, makeKids(n, nil))
}

// publish makes kids those of n, unless someone else was faster.
func (d *deferred) publish(n *node, kids []node) []node {
	if !d.kids.CompareAndSwap(nil, unsafe.SliceData(kids)) {
		kids = unsafe.Slice(d.kids.Load(), n.count)
	}
	return kids
}

// unnamed is the document of texts that have been checked, which give no errors.
var unnamed Document

// peek returns a member of a deferred object whose kids are not made yet, if it
// was not asked for often. found is false where the kids should be looked at.
func (n *node) peek(key string) (v Value, found bool) {
	d := (*deferred)(n.first)
	if d.kids.Load() != nil || d.peeks.Add(1) > maxPeeks {
		return Value{}, false
	}
	var p parser
	p.begin(&unnamed, n.raw)
	defer p.release()
	if !p.seek(key) {
		return Value{}, true
	}
	p.exact = true
	if err := p.value(0); err != nil {
		return Value{}, false
	}
	kid := p.stack[0]
	kid.key = key
	return Value{&kid}, true
}

// peekText is peek for a string that needs no node.
func (n *node) peekText(key string) (text string, found bool) {
	d := (*deferred)(n.first)
	if d.kids.Load() != nil {
		return "", false
	}
	p := parser{doc: &unnamed, s: n.raw, b: unsafe.Slice(unsafe.StringData(n.raw), len(n.raw)), eagerTo: len(n.raw)}
	if !p.seek(key) {
		return "", false
	}
	p.space()
	if p.b[p.i] != '"' {
		return "", false
	}
	raw, plain, ok := p.passString()
	return raw, plain && ok
}

// seek goes to the value of a member of the object that the text is, and
// reports whether there is one.
func (p *parser) seek(key string) bool {
	for p.i++; ; p.i++ {
		p.space()
		name, plain, _ := p.passString()
		if !plain {
			name = unescape(name)
		}
		p.space()
		p.i++
		if name >= key {
			return name == key
		}
		p.pass(0)
		p.space()
		if p.b[p.i] == '}' {
			return false
		}
	}
}

// SurelyLacks reports whether no object in a value, nor it itself, has a member
// with that key, which is plain text, as far as that can be told without reading
// what was put off. It is quick; false says nothing.
func (v Value) SurelyLacks(key string) bool {
	if v.n == nil || v.n.flags&kidsDeferred == 0 || v.n.flags&canonical == 0 || !plainText(key) {
		return false
	}
	return (*deferred)(v.n.first).kids.Load() == nil && !strings.Contains(v.n.raw, key)
}

// OpenLike prepares for looking at the items of a list that is likely to hold
// mostly the same items as another, such as the same list at another time: where
// the texts are the same, what is known of one is known of both. It makes no
// other difference.
func OpenLike(list, like Value) {
	if list.Kind() != List || like.Kind() != List || list.n.flags&kidsDeferred == 0 {
		return
	}
	d := (*deferred)(list.n.first)
	if d.level < maxDeferLevel && d.kids.Load() == nil {
		d.publish(list.n, makeKids(list.n, like.n.kids()))
	}
}

// makeKids makes the kids of a deferred node of its text, which was found plain.
// like is a list that may hold the same items.
func makeKids(n *node, like []node) []node {
	var p parser
	p.begin(&unnamed, n.raw)
	defer p.release()
	switch level := (*deferred)(n.first).level; {
	case level >= maxDeferLevel:
	case n.kind == List:
		return p.deferredItems(level+1, like)
	default:
		return p.deferredMembers(level + 1)
	}
	p.opening = true
	if err := p.value(0); err != nil {
		panic("document: text that was found plain cannot be read: " + err.Error())
	}
	return p.stack[0].kids()
}

// deferredItems makes the items of the list that the text is. Objects and lists
// among them are deferred in their turn. Those that stand in like need no reading.
func (p *parser) deferredItems(level uint8, like []node) []node {
	if !p.passItems(0, likes{nodes: like}) {
		panic("document: text that was found plain is not")
	}
	return p.deferredKids(level)
}

// passItems goes over the list that begins here and pushes its items: scalars as
// they are, lists and objects without their kids, which giveCells defers. It
// reports false where the list is not plain.
func (p *parser) passItems(depth int, alike likes) bool {
	if p.i++; depth > maxDepth {
		return false
	}
	p.space()
	if p.i < len(p.b) && p.b[p.i] == ']' {
		p.i++
		return true
	}
	var kin kin
	for {
		p.space()
		if p.i >= len(p.b) {
			return false
		}
		if known, length := alike.item(p); known != nil && known.kind >= List {
			start, odd := p.i, p.odd
			p.i += length
			p.stack = append(p.stack, p.passed(known.kind, start, odd, int(known.count)))
		} else if !p.passNode(depth, &kin) {
			return false
		}
		if end, ok := p.passComma(']'); end || !ok {
			return ok
		}
	}
}

// passNode goes over a value that begins here and pushes its node: of a list or
// an object without its kids. before is of the value that stands before it in a
// list, and is nil where none can.
func (p *parser) passNode(depth int, before *kin) (ok bool) {
	start, odd, kind, kids := p.i, p.odd, Object, 0
	switch p.b[p.i] {
	case '{':
		kids, ok = p.passObject(depth+1, before)
	case '[':
		kind = List
		kids, ok = p.passList(depth + 1)
	default:
		return p.value(depth) == nil
	}
	if ok {
		p.stack = append(p.stack, p.passed(kind, start, odd, kids))
	}
	return ok
}

// deferredMembers makes the members of the object that the text is. Objects and
// lists among them are deferred in their turn.
func (p *parser) deferredMembers(level uint8) []node {
	p.i++
	for end := false; !end; {
		key, flag, err := p.memberKey()
		ok := err == nil && p.passNode(0, nil)
		if ok {
			n := &p.stack[len(p.stack)-1]
			n.key = key
			n.flags |= flag
			end, ok = p.passComma('}')
		}
		if !ok {
			panic("document: text that was found plain is not")
		}
	}
	return p.deferredKids(level)
}

// deferredKids takes the nodes from the stack that are to be kids, and defers theirs.
func (p *parser) deferredKids(level uint8) []node {
	p.peak = max(p.peak, len(p.stack))
	kids := slices.Clone(p.stack)
	giveCells(kids, level)
	return kids
}

// passed makes the node of a list or an object that was passed over, but for its
// kids.
func (p *parser) passed(kind Kind, start, odd, kids int) node {
	n := node{raw: p.s[start:p.i], kind: kind, count: uint32(kids), flags: fromSource}
	if p.odd == odd {
		n.flags |= canonical
	}
	return n
}

// giveCells defers the kids of nodes that were passed over.
func giveCells(nodes []node, level uint8) {
	count := 0
	for i := range nodes {
		if nodes[i].kind >= List && nodes[i].count > 0 {
			count++
		}
	}
	if count == 0 {
		return
	}
	cells := make([]deferred, count)
	for i := range nodes {
		if n := &nodes[i]; n.kind >= List && n.count > 0 {
			count--
			cells[count].level = level
			n.first = unsafe.Pointer(&cells[count])
			n.flags |= kidsDeferred
		}
	}
}

// deferList defers the list that begins here, and reports whether it did. If
// not, it must be parsed.
func (p *parser) deferList(depth int) bool {
	start, odd, base := p.i, p.odd, len(p.stack)
	kids, ok := 0, true
	if p.items {
		ok = p.passItems(depth, likes{})
	} else {
		kids, ok = p.passList(depth)
	}
	switch {
	case !ok:
		p.eagerTo = len(p.b)
	case p.i-start < p.span:
		p.eagerTo = p.i
	case p.items:
		giveCells(p.stack[base:], 1)
		p.push(List, start, odd, base)
		return true
	default:
		n := p.passed(List, start, odd, kids)
		p.stack = append(p.stack, n)
		giveCells(p.stack[base:], 0)
		return true
	}
	p.peak = max(p.peak, len(p.stack))
	p.stack = p.stack[:base]
	p.i, p.odd = start, odd
	return false
}
