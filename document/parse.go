package document

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// DefaultMaxBytes is the largest input taken where Options say nothing: the
// API server's own limit for a request body, 3 MiB.
const DefaultMaxBytes = 3 << 20

// maxDepth is how deep lists and objects may nest: the limit of Go's
// encoding/json, which the API server's decoder shares.
const maxDepth = 10000

// Duplicates says what becomes of a key that an object holds twice.
type Duplicates uint8

const (
	// DuplicatesRefused makes a second key an error.
	DuplicatesRefused Duplicates = iota
	// DuplicatesLast keeps the last member, as decoding a custom resource does.
	DuplicatesLast
	// DuplicatesMerged merges objects under one key, later members over earlier
	// ones, and otherwise keeps the last, as decoding into a Go struct does.
	DuplicatesMerged
)

// Options say how input is read. The zero value is strict and bounded.
type Options struct {
	// Name of the input for messages, such as a file's name.
	Name string
	// MaxBytes bounds the input; 0 means DefaultMaxBytes, below 0 no bound.
	MaxBytes int
	// Duplicates says what to do with duplicate keys. Where they are not
	// refused, Document.Duplicates lists them.
	Duplicates Duplicates
}

func (o Options) tooLarge(n int) error {
	limit := o.MaxBytes
	if limit == 0 {
		limit = DefaultMaxBytes
	}
	if limit < 0 || n <= limit {
		return nil
	}
	return &SyntaxError{Position: Position{Name: o.Name}, Reason: "the input is larger than the " + sizeText(limit) + " allowed", Err: ErrTooLarge}
}

// Document is a value together with the text that it was parsed from.
type Document struct {
	// Root is the whole value.
	Root Value
	// Duplicates are the keys that stood twice in an object, in the order of
	// the text, where Options allowed them.
	Duplicates []Duplicate

	source string
	opts   Options
	marks  []mark // YAML: where the parts of source, made from it, stood
}

// Duplicate is a key that an object held more than once.
type Duplicate struct {
	Path     Path // of the key, from the root
	Position Position
}

// Parse reads one JSON value. data may be changed by its owner afterwards.
// An error is a *SyntaxError.
func Parse(data []byte, opts Options) (*Document, error) {
	if err := opts.tooLarge(len(data)); err != nil {
		return nil, err
	}
	return parse(&Document{source: string(data), opts: opts})
}

func parse(d *Document) (*Document, error) {
	p := parser{doc: d, s: d.source, b: unsafe.Slice(unsafe.StringData(d.source), len(d.source)), dups: d.opts.Duplicates}
	stack := stacks.Get().(*[]node)
	p.stack = (*stack)[:0]
	defer func() {
		if cap(p.stack) <= maxPooledStack {
			clear(p.stack[:min(max(p.peak, 1), cap(p.stack))]) // so that no text is kept alive
			*stack = p.stack
			stacks.Put(stack)
		}
	}()
	if err := p.value(0); err != nil {
		return nil, err
	}
	p.space()
	if p.i < len(p.b) {
		return nil, p.fail(p.i, "there is more text after the end of the value")
	}
	root := p.stack[0]
	d.Root = Value{&root}
	if len(p.twice) > 0 {
		p.listDuplicates()
	}
	return d, nil
}

// stacks lends parsers the place for nodes whose parent is still open.
var stacks = sync.Pool{New: func() any { return new([]node) }}

// maxPooledStack is the largest such place that is kept.
const maxPooledStack = 1 << 15

// maxChunk bounds the pieces that an arena grows by.
const maxChunk = 1 << 10

type parser struct {
	doc   *Document
	s     string
	b     []byte // the bytes of s, read only
	i     int
	stack []node // finished nodes whose parent is still open
	free  []node // arena: kids are carved from its front
	chunk int    // size of the last piece of arena
	peak  int    // the most that stack has held
	odd   int    // counts what keeps a span from being canonical
	dups  Duplicates
	twice []int // offsets of keys that their object had already
}

func (p *parser) space() {
	if p.i < len(p.b) && p.b[p.i] <= ' ' {
		p.skipSpace()
	}
}

func (p *parser) skipSpace() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\n', '\r', '\t':
			p.i++
			p.odd++
		default:
			return
		}
	}
}

// value parses one value and pushes its node.
func (p *parser) value(depth int) error {
	p.space()
	if p.i >= len(p.b) {
		return p.fail(p.i, "the text ends where a value should stand")
	}
	switch c := p.b[p.i]; c {
	case '{':
		return p.container(Object, '}', depth+1)
	case '[':
		return p.container(List, ']', depth+1)
	case '"':
		n, err := p.str()
		if err != nil {
			return err
		}
		p.stack = append(p.stack, n)
		return nil
	case 't':
		return p.word("true", Bool)
	case 'f':
		return p.word("false", Bool)
	case 'n':
		return p.word("null", Null)
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return p.number()
		}
		return p.fail(p.i, "a value cannot begin with "+quoteByte(p.s, p.i))
	}
}

func (p *parser) word(w string, k Kind) error {
	if !strings.HasPrefix(p.s[p.i:], w) {
		return p.fail(p.i, "expected "+w)
	}
	p.stack = append(p.stack, node{raw: p.s[p.i : p.i+len(w)], kind: k, flags: canonical | fromSource})
	p.i += len(w)
	return nil
}

func (p *parser) container(kind Kind, end byte, depth int) error {
	start, odd, base := p.i, p.odd, len(p.stack)
	if depth > maxDepth {
		return &SyntaxError{Position: p.doc.position(start), Reason: "lists and objects nest deeper than 10000 levels", Err: ErrTooDeep}
	}
	p.i++
	p.space()
	if p.i < len(p.b) && p.b[p.i] == end {
		p.i++
		p.push(kind, start, odd, base)
		return nil
	}
	sorted := true
	for {
		if kind == Object {
			if err := p.member(depth); err != nil {
				return err
			}
			if n := len(p.stack); n-base > 1 && p.stack[n-2].key >= p.stack[n-1].key {
				sorted = false
			}
		} else if err := p.value(depth); err != nil {
			return err
		}
		p.space()
		if p.i >= len(p.b) {
			return p.fail(p.i, "the text ends before this "+kind.String()+" does; it began at "+p.doc.position(start).lineColumn())
		}
		if p.b[p.i] == end {
			p.i++
			break
		}
		if p.b[p.i] != ',' {
			return p.fail(p.i, "expected ',' or '"+string(rune(end))+"', found "+quoteByte(p.s, p.i))
		}
		p.i++
	}
	if !sorted {
		p.odd++
		if err := p.sortMembers(base); err != nil {
			return err
		}
	}
	p.push(kind, start, odd, base)
	return nil
}

// push closes a container: its finished kids move from the stack to the arena.
func (p *parser) push(kind Kind, start, odd, base int) {
	p.peak = max(p.peak, len(p.stack))
	n := container(kind, p.take(p.stack[base:]))
	n.raw, n.flags = p.s[start:p.i], fromSource
	if p.odd == odd {
		n.flags |= canonical
	}
	p.stack = append(p.stack[:base], n)
}

func (p *parser) take(kids []node) []node {
	if len(kids) == 0 {
		return nil
	}
	if len(p.free) < len(kids) {
		// Chunks double, but stay near what the rest of the text may need.
		p.chunk = min(max(2*p.chunk, 16), maxChunk, (len(p.b)-p.i)/16+16)
		p.free = make([]node, max(len(kids), p.chunk))
	}
	out := p.free[:len(kids):len(kids)]
	p.free = p.free[len(kids):]
	copy(out, kids)
	return out
}

func (p *parser) member(depth int) error {
	p.space()
	at := p.i
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return p.fail(p.i, "expected a key in double quotes, found "+quoteByte(p.s, p.i))
	}
	k, err := p.str()
	if err != nil {
		return err
	}
	p.space()
	if p.i >= len(p.b) || p.b[p.i] != ':' {
		return p.fail(p.i, "expected ':' after the key at "+p.doc.position(at).lineColumn())
	}
	p.i++
	if err := p.value(depth); err != nil {
		return err
	}
	n := &p.stack[len(p.stack)-1]
	n.key = k.raw
	if k.flags&escaped != 0 {
		n.key = unescape(k.raw)
	}
	if k.flags&(canonical|escaped) == canonical {
		n.flags |= keyCanonical
	}
	return nil
}

// sortMembers brings the members above base into the order of their keys and
// settles duplicates. The sort is stable: of equal keys the later one comes later.
func (p *parser) sortMembers(base int) error {
	kids := p.stack[base:]
	slices.SortStableFunc(kids, func(a, b node) int { return strings.Compare(a.key, b.key) })
	out := kids[:1]
	for i := 1; i < len(kids); i++ {
		last := &out[len(out)-1]
		if kids[i].key != last.key {
			out = append(out, kids[i])
			continue
		}
		at := p.valueOffset(kids[i])
		if p.dups == DuplicatesRefused {
			pos := p.doc.position(p.keyOffset(kids[i]))
			return &SyntaxError{Position: pos, Reason: "key \"" + kids[i].key + "\" stands twice in one object", Err: ErrDuplicateKey}
		}
		p.twice = append(p.twice, at)
		if p.dups == DuplicatesMerged && last.kind == Object && kids[i].kind == Object {
			merged := overlay(*last, kids[i])
			*last = merged
			continue
		}
		*last = kids[i]
	}
	p.stack = p.stack[:base+len(out)]
	return nil
}

// valueOffset finds where a member's value stands, or, for an empty string, of
// which Go keeps no place, the end of its key.
func (p *parser) valueOffset(n node) int {
	if at := offsetIn(p.s, n.key); n.raw == "" && n.key != "" && at > 0 {
		return at + len(n.key) + 1
	}
	return offsetIn(p.s, n.raw)
}

// keyOffset finds where a member's key begins, going back from its value.
func (p *parser) keyOffset(n node) int {
	if at := offsetIn(p.s, n.key); n.raw == "" && n.key != "" && at > 0 {
		return at - 1
	}
	at := offsetIn(p.s, n.raw)
	if n.kind == String {
		at--
	}
	for at--; at > 0 && p.s[at] != '"'; at-- {
	}
	for at--; at > 0; at-- {
		if p.s[at] == '"' && !oddBackslashes(p.s[:at]) {
			return at
		}
	}
	return max(at, 0)
}

func oddBackslashes(s string) bool {
	n := 0
	for i := len(s) - 1; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// overlay merges the members of two objects, b's over a's, deeply.
func overlay(a, b node) node {
	x, y := a.kids(), b.kids()
	kids := make([]node, 0, len(x)+len(y))
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].key < y[0].key:
			kids, x = append(kids, x[0]), x[1:]
		case len(x) == 0 || y[0].key < x[0].key:
			kids, y = append(kids, y[0]), y[1:]
		default:
			m := y[0]
			if x[0].kind == Object && m.kind == Object {
				m = overlay(x[0], m)
			}
			kids, x, y = append(kids, m), x[1:], y[1:]
		}
	}
	out := container(Object, kids)
	out.key, out.flags = b.key, b.flags&keyCanonical
	return out
}

func (p *parser) number() error {
	start, i := p.i, p.i
	digits := func() bool {
		from := i
		for i < len(p.b) && p.b[i] >= '0' && p.b[i] <= '9' {
			i++
		}
		return i > from
	}
	if p.b[i] == '-' {
		i++
	}
	first := i
	if !digits() {
		return p.fail(i, "a number needs a digit here")
	}
	if p.b[first] == '0' && i > first+1 {
		return p.fail(first, "a number must not begin with 0")
	}
	whole := true
	if i < len(p.b) && p.b[i] == '.' {
		whole = false
		i++
		if !digits() {
			return p.fail(i, "a number needs a digit after its point")
		}
	}
	if i < len(p.b) && (p.b[i] == 'e' || p.b[i] == 'E') {
		whole = false
		i++
		if i < len(p.b) && (p.b[i] == '+' || p.b[i] == '-') {
			i++
		}
		if !digits() {
			return p.fail(i, "a number needs a digit in its exponent")
		}
	}
	n, ok := numberNode(p.s[start:i], whole)
	if !ok {
		return p.fail(start, "the number "+p.s[start:i]+" is out of range")
	}
	n.flags |= fromSource
	if n.flags&canonical == 0 {
		p.odd++
	}
	p.i = i
	p.stack = append(p.stack, n)
	return nil
}

// str parses a string. Its node's raw text lies between the quotes.
func (p *parser) str() (node, error) {
	start := p.i + 1
	i := start
	fl := canonical | fromSource
	high := false
	for {
		for i+8 <= len(p.b) {
			hit := special8(binary.LittleEndian.Uint64(p.b[i:]))
			if hit != 0 {
				i += bits.TrailingZeros64(hit) >> 3
				break
			}
			i += 8
		}
		if i >= len(p.b) {
			return node{}, p.fail(start-1, "the string that begins here has no closing quote")
		}
		switch c := p.b[i]; {
		case c == '"':
			raw := p.s[start:i]
			if high && !plainUTF8(raw) {
				fl &^= canonical
				if !utf8.ValidString(raw) {
					fl |= escaped // unescape also mends what is not UTF-8
				}
			}
			if fl&canonical == 0 {
				p.odd++
			}
			p.i = i + 1
			return node{raw: raw, kind: String, flags: fl}, nil
		case c == '\\':
			n, usual := escapeLen(p.s[i:])
			if n == 0 {
				return node{}, p.fail(i, "no such escape in a string: "+snippet(p.s[i:], 6))
			}
			fl |= escaped
			if !usual {
				fl &^= canonical
			}
			i += n
		case c < 0x20:
			return node{}, p.fail(i, "a control character must be written as an escape inside a string")
		case c >= 0x80:
			high = true
			for i++; i < len(p.b) && p.b[i] >= 0x80; i++ {
			}
		default:
			if c == '<' || c == '>' || c == '&' {
				fl &^= canonical
			}
			i++
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special8 marks, of eight bytes of a string, those that end it, need an escape
// when printed or are not ASCII: the lowest bit set is in the first such byte.
// Bits above it may be set in vain.
func special8(w uint64) uint64 {
	hit := w | (w - ones*0x20)
	x := w ^ ones*'"'
	hit |= (x - ones) &^ x
	x = w ^ ones*'\\'
	hit |= (x - ones) &^ x
	x = w&^(ones*2) ^ ones*'<' // < and >
	hit |= (x - ones) &^ x
	x = w ^ ones*'&'
	hit |= (x - ones) &^ x
	return hit & highs
}

func (p *parser) fail(at int, reason string) error {
	return &SyntaxError{Position: p.doc.position(at), Reason: reason, Err: ErrSyntax}
}

// listDuplicates finds the paths of the keys noted in twice.
func (p *parser) listDuplicates() {
	slices.Sort(p.twice)
	for _, at := range p.twice {
		pos := p.doc.position(at)
		p.doc.Duplicates = append(p.doc.Duplicates, Duplicate{Path: pathAt(p.s, at), Position: pos})
	}
}

// offsetIn returns where part, a substring of s, begins in it, or -1.
func offsetIn(s, part string) int {
	a, b := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(part)))
	if b < a || b > a+uintptr(len(s)) {
		return -1
	}
	return int(b - a)
}
