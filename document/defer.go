package document

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"sync/atomic"
	"unicode/utf8"
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
	for p.i++; len(items) < count; p.i++ {
		p.space()
		start, odd := p.i, p.odd
		kind, kids, ok := Null, 0, true
		switch p.b[p.i] {
		case '{':
			kind = Object
			kids, ok = p.passObject(1)
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

// pass goes over a value without making nodes. It reports false where the value
// is wrong or not plain, and has then gone over some of it.
func (p *parser) pass(depth int) bool {
	p.space()
	if p.i >= len(p.b) {
		return false
	}
	switch c := p.b[p.i]; c {
	case '{':
		_, ok := p.passObject(depth)
		return ok
	case '[':
		_, ok := p.passList(depth)
		return ok
	case '"':
		_, _, ok := p.passString()
		return ok
	case 't':
		return p.passWord("true")
	case 'f':
		return p.passWord("false")
	case 'n':
		return p.passWord("null")
	default:
		return p.passNumber()
	}
}

func (p *parser) passList(depth int) (items int, ok bool) {
	if depth > maxDepth {
		return 0, false
	}
	p.i++
	p.space()
	if p.i < len(p.b) && p.b[p.i] == ']' {
		p.i++
		return 0, true
	}
	for {
		if !p.pass(depth + 1) {
			return 0, false
		}
		items++
		if end, ok := p.passComma(']'); end || !ok {
			return items, ok
		}
	}
}

func (p *parser) passObject(depth int) (members int, ok bool) {
	if depth > maxDepth {
		return 0, false
	}
	p.i++
	p.space()
	if p.i < len(p.b) && p.b[p.i] == '}' {
		p.i++
		return 0, true
	}
	last, lastPlain := "", true
	for {
		p.space()
		if p.i >= len(p.b) || p.b[p.i] != '"' {
			return 0, false
		}
		key, plain, ok := p.passString()
		if !ok || members > 0 && !rises(last, key, lastPlain && plain) {
			return 0, false
		}
		last, lastPlain = key, plain
		p.space()
		if p.i >= len(p.b) || p.b[p.i] != ':' {
			return 0, false
		}
		p.i++
		if !p.pass(depth + 1) {
			return 0, false
		}
		members++
		if end, ok := p.passComma('}'); end || !ok {
			return members, ok
		}
	}
}

// rises reports whether one key, of which the raw text is given, comes before
// another. Escapes are decoded only where they may decide it.
func rises(a, b string, plain bool) bool {
	if plain {
		return a < b
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	switch {
	case strings.Contains(a, `\u`) || strings.Contains(b, `\u`) || oddBackslashes(a[:n]):
	case n < len(a) && a[n] == '\\' || n < len(b) && b[n] == '\\':
	case !utf8.ValidString(a) || !utf8.ValidString(b):
	default:
		return n < len(b) && (n == len(a) || a[n] < b[n])
	}
	return unescape(a) < unescape(b)
}

// passComma goes over a comma or the end of a list or an object.
func (p *parser) passComma(close byte) (end, ok bool) {
	p.space()
	if p.i >= len(p.b) {
		return false, false
	}
	switch p.b[p.i] {
	case ',':
		p.i++
		return false, true
	case close:
		p.i++
		return true, true
	}
	return false, false
}

// passString goes over a string and returns what stands between its quotes, and
// whether that is its text.
func (p *parser) passString() (raw string, plain, ok bool) {
	start := p.i + 1
	for i := start; i+8 <= len(p.b); i += 8 {
		hit := special8(binary.LittleEndian.Uint64(p.b[i:]))
		if hit == 0 {
			continue
		}
		if i += bits.TrailingZeros64(hit) >> 3; p.b[i] == '"' {
			p.i = i + 1
			return p.s[start:i], true, true
		}
		break
	}
	n, err := p.str()
	return n.raw, n.flags&escaped == 0, err == nil
}

func (p *parser) passWord(w string) bool {
	if !strings.HasPrefix(p.s[p.i:], w) {
		return false
	}
	p.i += len(w)
	return true
}

func (p *parser) passNumber() bool {
	i := p.i
	for i < len(p.b) && p.b[i]-'0' <= 9 {
		i++
	}
	if n := i - p.i; n > 0 && n <= 18 && (n == 1 || p.b[p.i] != '0') && i < len(p.b) {
		if c := p.b[i]; c != '.' && c != 'e' && c != 'E' {
			p.i = i
			return true
		}
	}
	if c := p.b[p.i]; c != '-' && c-'0' > 9 || p.number() != nil {
		return false
	}
	p.peak = max(p.peak, len(p.stack))
	p.stack = p.stack[:len(p.stack)-1]
	return true
}
