package document

import (
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// DefaultMaxBytes is the size limit if Options has none: 3 MiB, the API server's limit for
// a request body.
const DefaultMaxBytes = 3 << 20

// maxDepth bounds the nesting of lists and objects. It is the limit of encoding/json, which
// the API server's decoder has too.
const maxDepth = 10000

// Duplicates selects the handling of a key that occurs twice in an object.
type Duplicates uint8

const (
	// DuplicatesRefused makes a repeated key an error.
	DuplicatesRefused Duplicates = iota
	// DuplicatesLast keeps the last member, as decoding a custom resource does.
	DuplicatesLast
	// DuplicatesMerged merges the objects under a repeated key, later members over earlier
	// ones; other values are replaced by the last, as when decoding into a Go struct.
	DuplicatesMerged
)

// Options configures parsing. The zero value is strict and limits the size to
// DefaultMaxBytes.
type Options struct {
	// Name is the name of the input for messages, usually the file name.
	Name string
	// MaxBytes is the maximum size of the input. 0 means DefaultMaxBytes, a negative value
	// no limit.
	MaxBytes int
	// Duplicates selects the handling of duplicate keys. Unless they are refused,
	// Document.Duplicates lists them.
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

// Document is a parsed value together with its text.
type Document struct {
	// Root is the parsed value.
	Root Value
	// Duplicates lists the repeated keys if Options allowed them, in source order: the first
	// thousand, or fewer of those with long paths.
	Duplicates []Duplicate

	source string
	opts   Options
	marks  []mark // YAML: positions of the parts of source in the input
	// YAML: keys of source that the input spells differently
	converted []convertedKey
	lookup    *lookup // shared by copies; nil for a document without text
}

// newDocument returns a document without a root.
func newDocument(source string, opts Options) *Document {
	d := &struct {
		Document
		lookup lookup
	}{}
	d.Document = Document{source: source, opts: opts, lookup: &d.lookup}
	return &d.Document
}

// Duplicate is a key that an object contained more than once.
type Duplicate struct {
	Path     Path // of the key, from the root
	Position Position
}

// Parse parses one JSON value, after which only white space may follow. It copies data. An
// error is a *SyntaxError.
func Parse(data []byte, opts Options) (*Document, error) {
	if err := opts.tooLarge(len(data)); err != nil {
		return nil, err
	}
	return parse(newDocument(string(data), opts))
}

func parse(d *Document) (*Document, error) { return parseDeferring(d, len(d.source)+1, 0) }

// parseDeferring parses the text of d. If the text has at least minText bytes, lists of at
// least minList bytes are deferred (see lazy.go).
func parseDeferring(d *Document, minText, minList int) (*Document, error) {
	var p parser
	p.begin(d, d.source)
	defer p.release()
	p.minList = minList
	if len(p.b) >= minText {
		p.eagerTo = -1
	}
	if err := p.root(); err != nil {
		return nil, err
	}
	if p.i < len(p.b) {
		return nil, p.fail(p.i, textAfterValue)
	}
	return d, nil
}

const textAfterValue = "unexpected text after the end of the value"

// root parses the value of the document, and the white space after it.
func (p *parser) root() error {
	if err := p.value(0); err != nil {
		return err
	}
	p.space()
	root := p.stack[0]
	p.doc.Root = Value{&root}
	if len(p.twice) > 0 {
		p.listDuplicates()
	}
	return nil
}

// readJSON parses objects that follow each other, such as those that jq prints.
func readJSON(data []byte, opts Options) ([]*Document, error) {
	d := newDocument(string(data), opts)
	var p parser
	p.begin(d, d.source)
	defer p.release()
	var docs []*Document
	for {
		if err := p.root(); err != nil {
			return nil, err
		}
		docs = append(docs, p.doc)
		if p.i == len(p.b) {
			return docs, nil
		}
		if p.b[p.i] != '{' || p.doc.Root.Kind() != Object {
			return nil, p.fail(p.i, textAfterValue)
		}
		// All have the same index of positions, because that of each would read the whole text.
		p.doc, p.stack, p.twice = &Document{source: d.source, opts: opts, lookup: d.lookup}, p.stack[:0], nil
		p.from = p.i
	}
}

// begin initializes the parser for a text of which nothing is deferred.
func (p *parser) begin(d *Document, text string) {
	p.doc, p.s, p.dups, p.eagerTo = d, text, d.opts.Duplicates, len(text)
	p.b = unsafe.Slice(unsafe.StringData(text), len(text))
	p.pooled, _ = scratches.Get().(*scratch)
	if p.pooled == nil {
		p.pooled = new(scratch)
	}
	p.stack = p.pooled.stack[:0]
}

// release returns the parser's memory to the pool.
func (p *parser) release() {
	if cap(p.stack) > maxScratch || cap(p.pooled.spans) > maxScratch {
		return
	}
	clear(p.stack[:min(max(p.peak, 1), cap(p.stack))]) // so that the pool keeps no text alive
	p.pooled.stack = p.stack
	scratches.Put(p.pooled)
}

// scratch is the memory that a parser reuses.
type scratch struct {
	stack []node
	spans []itemSpan
}

// scratches is a pool of *scratch.
var scratches sync.Pool

// maxScratch bounds the slices of a scratch that is returned to the pool.
const maxScratch = 1 << 15

// maxChunk bounds the size of an arena's chunks.
const maxChunk = 1 << 10

type parser struct {
	doc    *Document
	s      string
	b      []byte // the bytes of s, read-only
	i      int
	from   int    // where the value of doc begins, in a text of several
	stack  []node // complete nodes whose parent is still open
	free   []node // arena: kids of complete nodes are taken from its front
	chunk  int    // size of the arena's last chunk
	peak   int    // maximum length of stack so far
	odd    int    // number of deviations from the printed form
	dups   Duplicates
	twice  []int  // offsets of members that repeat a key of their object
	text   []byte // storage for unescaped keys
	pooled *scratch
	// Lists that begin at or after eagerTo and have at least minList bytes are deferred.
	eagerTo, minList int
	exact            bool // arena chunks have no spare room
	opening          bool // arena chunks have little spare room
}

// unescaped is unescape without an allocation per key: managedFields have thousands of keys
// with escapes.
func (p *parser) unescaped(raw string) string {
	if cap(p.text)-len(p.text) < len(raw) {
		p.text = make([]byte, 0, max(min(4096, len(p.b)-p.i), len(raw)))
	}
	from := len(p.text)
	p.text = appendUnescaped(p.text, raw)
	return unsafe.String(unsafe.SliceData(p.text[from:]), len(p.text)-from)
}

// space advances past white space.
func (p *parser) space() {
	if p.i < len(p.b) && p.b[p.i] <= ' ' {
		p.i = p.skipSpace(p.i)
	}
}

// spaceAt returns the offset after white space.
func (p *parser) spaceAt(i int) int {
	if i < len(p.b) && p.b[i] <= ' ' {
		return p.skipSpace(i)
	}
	return i
}

func (p *parser) skipSpace(i int) int {
	for i < len(p.b) {
		switch p.b[i] {
		case ' ', '\n', '\r', '\t':
			i++
			p.odd++
		default:
			return i
		}
	}
	return i
}

// value parses one value and pushes its node.
func (p *parser) value(depth int) error {
	p.space()
	if p.i >= len(p.b) {
		return p.fail(p.i, "unexpected end of the text, expected a value")
	}
	switch c := p.b[p.i]; c {
	case '{':
		return p.container(Object, '}', depth+1)
	case '[':
		if p.i >= p.eagerTo && p.deferList(depth+1) {
			return nil
		}
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

// container parses a list or an object.
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
			if err := p.member(base, depth); err != nil {
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
			return p.fail(p.i, "unexpected end of the text in the "+kind.String()+" that began at "+p.doc.position(start).lineColumn())
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

// push completes a container: its kids move from the stack to the arena.
func (p *parser) push(kind Kind, start, odd, base int) {
	p.peak = max(p.peak, len(p.stack))
	n := container(kind, p.take(p.stack[base:]))
	n.raw, n.flags = p.s[start:p.i], fromSource
	if p.odd == odd {
		n.flags |= canonical
	}
	if kind == Object && allShells(p.stack[base:]) {
		n.flags |= shell
	}
	p.stack = append(p.stack[:base], n)
}

func (p *parser) take(kids []node) []node {
	if len(kids) == 0 {
		return nil
	}
	if p.exact {
		return slices.Clone(kids)
	}
	if len(p.free) < len(kids) {
		// Chunk sizes double but are bounded by what the rest of the text may need.
		rest := len(p.b) - p.i
		p.chunk = min(max(2*p.chunk, 16), maxChunk, rest/16+16)
		if p.opening {
			p.chunk = min(maxChunk, rest/32)
		}
		p.free = make([]node, max(len(kids), p.chunk))
	}
	out := p.free[:len(kids):len(kids)]
	p.free = p.free[len(kids):]
	copy(out, kids)
	return out
}

// member parses a member of the object whose previous members are on the stack from base
// on.
func (p *parser) member(base, depth int) error {
	key, flag, err := p.memberKey()
	if err != nil {
		return err
	}
	if !p.repeated(base) {
		if err := p.value(depth); err != nil {
			return err
		}
	}
	n := &p.stack[len(p.stack)-1]
	n.key = key
	n.flags |= flag
	return nil
}

// memberKey parses a key and its colon. flag is keyCanonical or 0.
func (p *parser) memberKey() (key string, flag flags, err error) {
	p.space()
	at := p.i
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return "", 0, p.fail(p.i, "expected a key in double quotes, found "+quoteByte(p.s, p.i))
	}
	k, err := p.str()
	if err != nil {
		return "", 0, err
	}
	p.space()
	if p.i >= len(p.b) || p.b[p.i] != ':' {
		return "", 0, p.fail(p.i, "expected ':' after the key at "+p.doc.position(at).lineColumn())
	}
	p.i++
	p.space()
	if k.flags&escaped != 0 {
		return p.unescaped(k.raw), 0, nil
	}
	if k.flags&canonical != 0 {
		flag = keyCanonical
	}
	return k.raw, flag, nil
}

func (p *parser) fail(at int, reason string) error {
	return &SyntaxError{Position: p.doc.position(at), Reason: reason, Err: ErrSyntax}
}
