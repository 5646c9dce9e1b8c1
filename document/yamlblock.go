package document

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// blockReader parses the simple YAML of most manifests several times faster than the
// library: one document of block mappings and sequences, whose scalars are plain, in quotes or
// literal blocks, with comments and blank lines. It may begin with a document marker. It gives
// up at anything else, and the library parses the input. Its output, the JSON text and the
// marks, is identical to that of yamlConverter; a test compares the two.
type blockReader struct {
	s     string
	out   []byte
	marks []mark
	i     int // offset of the next character
	start int // offset of the current line
	line  int // number of the current line, from 1
	// indent is the column, from 0, of the next line with content. It is set at the end of
	// each line and is -1 after the last.
	indent int
	// scalarText is the text of a scalar that is not a part of s.
	scalarText []byte
}

const (
	maxBlockDepth = 200  // nesting depth of collections
	maxBlockKey   = 1000 // characters of a key; the library's limit is 1,024
)

// readBlock converts YAML that blockReader supports, and that begins in the given line of the
// input, to JSON text and marks.
func readBlock(data []byte, line int) (out []byte, marks []mark, ok bool) {
	if !blockText(data) {
		return nil, nil, false
	}
	r := blockReader{s: unsafe.String(unsafe.SliceData(data), len(data)), out: make([]byte, 0, len(data)), marks: make([]mark, 0, len(data)/10+8)}
	r.line = line
	marked := strings.HasPrefix(r.s, marker)
	if marked {
		r.mark(0) // the document
		r.start = len(marker)
		r.line++
	}
	r.content()
	if r.indent != 0 {
		return nil, nil, false
	}
	if !marked {
		r.mark(0)
	}
	ok = r.collection(0, 0) && r.indent < 0
	return r.out, r.marks, ok
}

// blockText reports whether text has only characters whose meaning does not depend on where they
// are: no control characters but newlines and tabs, and no line breaks, byte order marks or
// noncharacters of Unicode.
func blockText(data []byte) bool {
	for i := 0; i < len(data); {
		c := data[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(data[i:])
			switch {
			case r == utf8.RuneError, r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
				return false
			}
			i += n
			continue
		}
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
		i++
	}
	return true
}

// mark records that the next output comes from the given column of the current line.
func (r *blockReader) mark(column int) {
	r.marks = append(r.marks, newMark(len(r.out), r.line, column+1))
}

// content advances from the start of a line to the next content.
func (r *blockReader) content() {
	for r.start < len(r.s) {
		i := r.start
		for i < len(r.s) && r.s[i] == ' ' {
			i++
		}
		if i < len(r.s) && r.s[i] != '\n' && r.s[i] != '#' {
			r.i, r.indent = i, i-r.start
			return
		}
		end := strings.IndexByte(r.s[i:], '\n')
		if end < 0 {
			break
		}
		r.start = i + end + 1
		r.line++
	}
	r.i, r.indent = len(r.s), -1
}

// ended reports whether the rest of the line is blank or a comment, and if so, advances to
// the next content.
func (r *blockReader) ended() bool {
	i := r.i
	for i < len(r.s) && r.s[i] == ' ' {
		i++
	}
	if i < len(r.s) && r.s[i] != '\n' && (r.s[i] != '#' || i == r.i) {
		return false
	}
	if end := strings.IndexByte(r.s[i:], '\n'); end >= 0 {
		r.start = i + end + 1
		r.line++
	} else {
		r.start = len(r.s)
	}
	r.content()
	return true
}

// blank reports whether i is at a blank, the end of a line or the end of the text.
func (r *blockReader) blank(i int) bool {
	return i >= len(r.s) || r.s[i] == ' ' || r.s[i] == '\n'
}

func (r *blockReader) entry() bool { return r.i < len(r.s) && r.s[r.i] == '-' && r.blank(r.i+1) }

// collection parses the mapping or sequence that begins at the given column.
func (r *blockReader) collection(column, depth int) bool {
	if depth > maxBlockDepth {
		return false
	}
	if r.entry() {
		return r.sequence(column, depth, false)
	}
	return r.mapping(column, depth)
}

func (r *blockReader) mapping(column, depth int) bool {
	r.mark(column)
	r.out = append(r.out, '{')
	for {
		if column == 0 && r.marker() {
			return false
		}
		r.mark(column)
		if !r.key() || !r.value(column, depth, true) {
			return false
		}
		if r.indent < column {
			r.out = append(r.out, '}')
			return true
		}
		if r.indent > column || r.entry() {
			return false
		}
		r.out = append(r.out, ',')
	}
}

// marker reports whether a line begins with a document marker.
func (r *blockReader) marker() bool {
	rest := r.s[r.i:]
	return strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "...")
}

// sequence parses the items of a sequence. bare is set for the value of a key in the same
// column.
func (r *blockReader) sequence(column, depth int, bare bool) bool {
	r.mark(column)
	r.out = append(r.out, '[')
	for {
		r.i++
		if !r.item(column, depth) {
			return false
		}
		if r.indent < column || bare && r.indent == column && !r.entry() {
			r.out = append(r.out, ']')
			return true
		}
		if r.indent > column || !r.entry() {
			return false
		}
		r.out = append(r.out, ',')
	}
}

// item parses the value after the dash of an item.
func (r *blockReader) item(column, depth int) bool {
	i := r.i
	for i < len(r.s) && r.s[i] == ' ' {
		i++
	}
	if i < len(r.s) && r.s[i] != '\n' && r.s[i] != '#' {
		at := r.i
		r.i = i
		if r.entry() || r.keyed() {
			return r.collection(i-r.start, depth+1)
		}
		r.i = at
	}
	return r.value(column, depth, false)
}

// value parses the value after a key or a dash: a scalar on the same line, a collection on
// the following lines, or null. column is that of the collection.
func (r *blockReader) value(column, depth int, keyed bool) bool {
	empty := newMark(len(r.out), r.line, r.i-r.start+1)
	if r.ended() {
		switch {
		case r.indent > column:
			return r.collection(r.indent, depth+1)
		case keyed && r.indent == column && r.entry():
			return depth < maxBlockDepth && r.sequence(column, depth+1, true)
		}
		r.marks = append(r.marks, empty)
		r.out = append(r.out, "null"...)
		return true
	}
	for r.s[r.i] == ' ' {
		r.i++
	}
	r.mark(r.i - r.start)
	if r.s[r.i] == '|' {
		return r.literal(column)
	}
	return r.scalar(column) && r.ended() && r.indent <= column
}

// keyed reports whether a key begins at the current position.
func (r *blockReader) keyed() bool {
	at := r.i
	_, ok := r.keyText()
	r.i = at
	return ok
}

// key parses a key and its colon.
func (r *blockReader) key() bool {
	text, ok := r.keyText()
	if ok {
		r.out = append(AppendQuoted(r.out, text), ':')
	}
	return ok
}

func (r *blockReader) keyText() (text string, ok bool) {
	from := r.i
	if c := r.s[from]; c == '"' || c == '\'' {
		text, ok = r.quoted(isKey)
	} else {
		text, ok = r.plain()
		ok = ok && text != "<<" && resolvePlain(text).kind == String
	}
	if !ok || r.i >= len(r.s) || r.s[r.i] != ':' || !r.blank(r.i+1) || r.i-from > maxBlockKey || !ascii(text) {
		return "", false // columns are counted in characters
	}
	r.i++
	return text, true
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
