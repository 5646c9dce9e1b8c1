package document

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"
)

// ParseLazy parses one JSON value like Parse, for callers that read few parts of it, such
// as a patch. Long lists are validated, but nodes for their items are created on first use.
// The result equals that of Parse at a different cost: printing a value of which little was
// read is much cheaper, and reading all of it is more expensive.
//
// ParseLazy does not copy data, which must not change while the document or any value of it
// is in use.
func ParseLazy(data []byte, opts Options) (*Document, error) {
	if err := opts.tooLarge(len(data)); err != nil {
		return nil, err
	}
	if uint64(len(data)) > math.MaxUint32 {
		return Parse(data, opts) // an itemSpan cannot hold the lengths
	}
	return parseDeferring(newDocument(unsafe.String(unsafe.SliceData(data), len(data)), opts), lazyText, lazyList)
}

// The minimum sizes for deferring the parsing of lists. A list is deferred only if the keys of
// its objects ascend, which excludes duplicate keys; after the first list in which they do not,
// the rest of the document is parsed at once.
const (
	// lazyText is the minimum length of a text whose lists are deferred.
	lazyText = 4 << 10
	// lazyList is the minimum length of a deferred list.
	lazyList = 256
)

// deferred holds the kids of a list or object once they have been created. Copies of the
// node share it, so that the kids are created once.
type deferred struct {
	kids atomic.Pointer[node]
	// items points to the first span of a list's items; nil if no spans were recorded.
	items *itemSpan
	// level is the number of enclosing deferred lists and objects. Each level costs another
	// validation of the text.
	level uint8
	// peeks counts the members that were read without creating the kids.
	peeks atomic.Uint32
}

const (
	maxLazyLevel = 2
	maxPeeks     = 2
)

// itemSpan records what validation found about a list item.
type itemSpan struct {
	length uint32 // of its text
	kids   uint32 // twice their number, and one more if the item is in printed form
}

func newItemSpan(length, kids int, canonical bool) itemSpan {
	s := itemSpan{length: uint32(length), kids: uint32(kids) << 1}
	if canonical {
		s.kids |= 1
	}
	return s
}

// open returns the kids of a deferred node, creating them if necessary.
func (n *node) open() []node {
	d := (*deferred)(n.first)
	if k := d.kids.Load(); k != nil {
		return unsafe.Slice(k, n.count)
	}
	kids := makeKids(n)
	if !d.kids.CompareAndSwap(nil, unsafe.SliceData(kids)) {
		kids = unsafe.Slice(d.kids.Load(), n.count) // another goroutine was first
	}
	return kids
}

// unnamed is the Document for parsing texts that have been validated: a parser needs one
// only for the positions of errors.
var unnamed Document

// peek returns one member of a deferred object without creating nodes for the others. found
// is false if the kids already exist, or if so many members have been read that creating
// them is cheaper.
func (n *node) peek(key string) (v Value, found bool) {
	d := (*deferred)(n.first)
	if d.kids.Load() != nil || d.peeks.Add(1) > maxPeeks {
		return Value{}, false
	}
	var p parser
	p.begin(&unnamed, n.raw)
	defer p.release()
	if p.i = p.seek(0, key); p.i < 0 {
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

// peekText is peek for the text of a string without escapes, which needs no node.
func (n *node) peekText(key string) (text string, found bool) {
	d := (*deferred)(n.first)
	if d.kids.Load() != nil {
		return "", false
	}
	p := parser{doc: &unnamed, s: n.raw, b: unsafe.Slice(unsafe.StringData(n.raw), len(n.raw)), eagerTo: len(n.raw)}
	start := p.seek(0, key)
	if start < 0 {
		return "", false
	}
	if start = p.spaceAt(start); p.b[start] != '"' {
		return "", false
	}
	end, plain := p.checkString(start)
	return p.s[start+1 : end-1], plain
}

// seek returns the offset of the value of a member of the object at i, in validated text, or
// invalid if there is none.
func (p *parser) seek(i int, key string) int {
	for i++; ; i++ {
		name, plain, value := p.checkKey(p.spaceAt(i))
		if !plain {
			name = unescape(name)
		}
		if name == key {
			return value
		}
		if name > key {
			return invalid
		}
		if i = p.spaceAt(p.check(value, 0)); p.b[i] == '}' {
			return invalid
		}
	}
}

// deferList defers the list at the current position and reports whether it did. If not, the
// list must be parsed.
func (p *parser) deferList(depth int) bool {
	start, odd := p.i, p.odd
	spans := p.pooled.spans[:0]
	end, count := p.checkList(start, depth, &spans)
	p.pooled.spans = spans
	switch {
	case end < 0:
		p.eagerTo = len(p.b)
	case end-start < p.minList:
		p.eagerTo = end
	default:
		n := p.span(List, start, end, odd, count)
		if count > 0 {
			n.first = unsafe.Pointer(&deferred{items: unsafe.SliceData(slices.Clone(spans))})
			n.flags |= kidsDeferred
		}
		p.stack = append(p.stack, n)
		p.i = end
		return true
	}
	p.i, p.odd = start, odd
	return false
}

// makeKids creates the kids of a deferred node from its text.
func makeKids(n *node) []node {
	var p parser
	p.begin(&unnamed, n.raw)
	defer p.release()
	d := (*deferred)(n.first)
	switch {
	case d.items != nil:
		p.pushItems(unsafe.Slice(d.items, n.count))
	case d.level >= maxLazyLevel:
		p.opening = true
		if err := p.value(0); err != nil {
			panic("document: checked text cannot be parsed: " + err.Error())
		}
		return p.stack[0].kids()
	case n.kind == List:
		spans := p.pooled.spans[:0]
		if end, _ := p.checkList(0, 0, &spans); end < 0 {
			panic("document: checked text is not valid")
		}
		p.pooled.spans = spans
		p.pushItems(spans)
	default:
		p.checkMembers()
	}
	p.peak = max(p.peak, len(p.stack))
	kids := slices.Clone(p.stack)
	deferKids(kids, d.level+1)
	return kids
}

// pushItems pushes nodes for the items of the list that the text is: scalars are complete,
// lists and objects lack their kids, which deferKids defers.
func (p *parser) pushItems(spans []itemSpan) {
	p.i = 0
	for _, item := range spans {
		p.i++ // the bracket, or a comma
		p.space()
		switch p.b[p.i] {
		case '{':
			p.pushItem(Object, item)
		case '[':
			p.pushItem(List, item)
		default:
			if p.value(0) != nil {
				panic("document: checked text is not valid")
			}
		}
		p.space()
	}
}

func (p *parser) pushItem(kind Kind, item itemSpan) {
	end := p.i + int(item.length)
	n := node{raw: p.s[p.i:end], kind: kind, count: item.kids >> 1, flags: fromSource}
	if item.kids&1 != 0 {
		n.flags |= canonical
	}
	p.stack = append(p.stack, n)
	p.i = end
}

// checkMembers pushes nodes for the members of the object at the current position, in
// validated text. Lists and objects lack their kids.
func (p *parser) checkMembers() {
	p.i++
	for end := false; !end; {
		key, flag, err := p.memberKey()
		if err != nil || !p.checkNode() {
			panic("document: checked text is not valid")
		}
		n := &p.stack[len(p.stack)-1]
		n.key = key
		n.flags |= flag
		p.i, end = p.checkComma(p.i, '}')
	}
}

// checkNode validates the value at the current position and pushes its node; lists and
// objects lack their kids.
func (p *parser) checkNode() (ok bool) {
	start, odd, kind, end, count := p.i, p.odd, Object, 0, 0
	switch p.b[p.i] {
	case '{':
		end, count = p.checkObject(start, 1, nil)
	case '[':
		kind = List
		end, count = p.checkList(start, 1, nil)
	default:
		return p.value(0) == nil
	}
	if end >= 0 {
		p.stack = append(p.stack, p.span(kind, start, end, odd, count))
		p.i = end
	}
	return end >= 0
}

// span returns a node without kids for a validated list or object that extends from start
// to end.
func (p *parser) span(kind Kind, start, end, odd, count int) node {
	n := node{raw: p.s[start:end], kind: kind, count: uint32(count), flags: fromSource}
	if p.odd == odd {
		n.flags |= canonical
	}
	return n
}

// deferKids defers the kids of the lists and objects among nodes.
func deferKids(nodes []node, level uint8) {
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
