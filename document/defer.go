package document

import (
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
	kids := makeKids(n)
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

// makeKids makes the kids of a deferred node of its text, which was found plain.
func makeKids(n *node) []node {
	var p parser
	p.begin(&unnamed, n.raw)
	defer p.release()
	if level := (*deferred)(n.first).level; n.kind == List && level < maxDeferLevel {
		return p.deferredItems(int(n.count), level+1)
	}
	p.exact = true
	if err := p.value(0); err != nil {
		panic("document: text that was found plain cannot be read: " + err.Error())
	}
	return p.stack[0].kids()
}

// deferredItems makes the items of a list. Objects and lists among them are
// deferred in their turn.
func (p *parser) deferredItems(count int, level uint8) []node {
	items := make([]node, 0, count)
	var cells []deferred
	var kin kin
	for p.i++; len(items) < count; p.i++ {
		p.space()
		start, odd := p.i, p.odd
		kind, kids, ok := Null, 0, true
		switch p.b[p.i] {
		case '{':
			kind = Object
			kids, ok = p.passObject(1, &kin)
		case '[':
			kind = List
			kids, ok = p.passList(1)
		default:
			ok = p.value(0) == nil
			items = append(items, p.stack[0])
			p.stack = p.stack[:0]
		}
		if !ok {
			panic("document: text that was found plain is not")
		}
		if kind != Null {
			if cells == nil {
				cells = make([]deferred, count)
			}
			cell := &cells[len(items)]
			cell.level = level
			items = append(items, p.defers(kind, start, odd, kids, cell))
		}
		p.space()
	}
	return items
}

// defers makes the node of a list or an object that was passed over.
func (p *parser) defers(kind Kind, start, odd, kids int, cell *deferred) node {
	n := node{raw: p.s[start:p.i], kind: kind, count: uint32(kids), flags: fromSource}
	if kids > 0 {
		n.first = unsafe.Pointer(cell)
		n.flags |= kidsDeferred
	}
	if p.odd == odd {
		n.flags |= canonical
	}
	return n
}

// deferList defers the list that begins here, and reports whether it did. If
// not, it must be parsed.
func (p *parser) deferList(depth int) bool {
	start, odd := p.i, p.odd
	kids, ok := p.passList(depth)
	if ok && p.i-start >= p.span {
		p.stack = append(p.stack, p.defers(List, start, odd, kids, new(deferred)))
		return true
	}
	if ok {
		p.eagerTo = p.i
	} else {
		p.eagerTo = len(p.b)
	}
	p.i, p.odd = start, odd
	return false
}
