package document

import (
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
	if level := (*deferred)(n.first).level; n.kind == List && level < maxDeferLevel {
		return p.deferredItems(int(n.count), level+1, like)
	}
	p.exact = true
	if err := p.value(0); err != nil {
		panic("document: text that was found plain cannot be read: " + err.Error())
	}
	return p.stack[0].kids()
}

// deferredItems makes the items of a list. Objects and lists among them are
// deferred in their turn. Those that stand in like need no reading; items may
// have come, gone or changed, one at a time.
func (p *parser) deferredItems(count int, level uint8, like []node) []node {
	items := make([]node, 0, count)
	var cells []deferred
	var kin kin
	for p.i++; len(items) < count; p.i++ {
		p.space()
		start, odd := p.i, p.odd
		kind, kids, ok := Null, 0, true
		known, skipped := p.among(like)
		switch c := p.b[p.i]; {
		case known != nil:
			kind, kids = known.kind, int(known.count)
			p.i += len(known.raw)
			like = like[skipped+1:]
		case c == '{':
			kind = Object
			kids, ok = p.passObject(1, &kin)
		case c == '[':
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

// among finds the list or object that stands here among the next two of like, and
// tells how many of them come before it.
func (p *parser) among(like []node) (known *node, skipped int) {
	for i := range like[:min(len(like), 2)] {
		n := &like[i]
		if n.kind >= List && n.flags&canonical != 0 && n.raw != "" && strings.HasPrefix(p.s[p.i:], n.raw) {
			return n, i
		}
	}
	return nil, 0
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
