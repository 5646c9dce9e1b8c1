package document

import (
	"strings"
	"unsafe"
)

// blockReader reads the plain part of YAML that most manifests keep to, several
// times faster than the library: one document of block mappings and sequences
// whose scalars stand on one line each, plain or in quotes without escapes, with
// comments and blank lines, in ASCII without tabs. At anything else it gives up,
// and the library reads. What it does read is the same to the byte: the JSON text
// and the marks are those that yamlConverter makes (a test holds both against
// each other).
type blockReader struct {
	s     string
	out   []byte
	marks []mark
	i     int // what is to be read next
	start int // where the line of i starts
	line  int // the number of that line, from 1
	// indent is the column, from 0, in which the next line with content begins; it
	// is set once a line is read to its end, and -1 behind the last one.
	indent int
}

const (
	maxBlockDepth = 200  // collections within each other
	maxBlockKey   = 1000 // characters of a key; the library takes 1,024
)

// readBlock returns JSON text and marks for YAML that blockReader reads.
func readBlock(data []byte) (out []byte, marks []mark, ok bool) {
	for _, c := range data {
		if (c < ' ' && c != '\n') || c > '~' {
			return nil, nil, false
		}
	}
	r := blockReader{s: unsafe.String(unsafe.SliceData(data), len(data)), out: make([]byte, 0, len(data)), marks: make([]mark, 0, len(data)/10+8)}
	r.line = 1
	r.content()
	if r.indent != 0 {
		return nil, nil, false
	}
	r.mark(0) // the document
	ok = r.collection(0, 0) && r.indent < 0
	return r.out, r.marks, ok
}

// mark notes that what is written next stood at that column of the line.
func (r *blockReader) mark(column int) {
	r.marks = append(r.marks, mark{len(r.out), r.line, column + 1})
}

// content goes to the next content from the start of a line.
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

// ended reports whether nothing but blanks and a comment is left of the line, and
// then goes to the next content.
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

// blank reports whether there is a blank, the end of a line or of the text at i.
func (r *blockReader) blank(i int) bool {
	return i >= len(r.s) || r.s[i] == ' ' || r.s[i] == '\n'
}

func (r *blockReader) entry() bool { return r.i < len(r.s) && r.s[r.i] == '-' && r.blank(r.i+1) }

// collection reads the mapping or sequence that begins here, in that column.
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

// marker reports whether a line begins as those that part documents.
func (r *blockReader) marker() bool {
	rest := r.s[r.i:]
	return strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "...")
}

// sequence reads the items of a sequence. bare says that it is the value of a key
// in the same column.
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

// item reads what stands behind the dash of an item.
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

// value reads what stands behind a key or a dash: something on the line, or a
// collection on the next ones, or nothing. column is that of the collection.
func (r *blockReader) value(column, depth int, keyed bool) bool {
	empty := mark{len(r.out), r.line, r.i - r.start + 1}
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
	return r.scalar() && r.ended() && r.indent <= column
}

// scalar reads a scalar, or an empty mapping or sequence.
func (r *blockReader) scalar() bool {
	c := r.s[r.i]
	switch {
	case c == '"' || c == '\'':
		text, ok := r.quoted()
		r.out = AppendQuoted(r.out, text)
		return ok
	case (c == '{' || c == '[') && r.i+1 < len(r.s) && r.s[r.i+1] == c+2:
		r.out = append(r.out, c, c+2)
		r.i += 2
		return true
	}
	text, ok := r.plain()
	if !ok || r.i < len(r.s) && r.s[r.i] == ':' {
		return false
	}
	s := resolvePlain(text)
	switch s.kind {
	case Absent:
		return false
	case String:
		r.out = AppendQuoted(r.out, s.text)
	default:
		r.out = append(r.out, s.text...)
	}
	return true
}

// plain reads a plain scalar up to a comment, the end of the line, or a colon that
// ends a key.
func (r *blockReader) plain() (string, bool) {
	from := r.i
	switch c := r.s[from]; c {
	case '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return "", false
	case '-':
		if r.blank(from + 1) {
			return "", false
		}
	}
	end := from // behind the last character that is no blank
	for i := from; i < len(r.s); i++ {
		switch c := r.s[i]; c {
		case '\n':
			r.i = end
			return r.s[from:end], true
		case ' ':
			continue
		case ':':
			if r.blank(i + 1) {
				r.i = i
				return r.s[from:end], true
			}
		case '#':
			if r.s[i-1] == ' ' {
				r.i = end
				return r.s[from:end], true
			}
		}
		end = i + 1
	}
	r.i = end
	return r.s[from:end], true
}

// quoted reads a scalar in quotes.
func (r *blockReader) quoted() (string, bool) {
	quote := r.s[r.i]
	from := r.i + 1
	doubled := false
	for i := from; i < len(r.s) && r.s[i] != '\n'; i++ {
		switch {
		case r.s[i] == '\\' && quote == '"':
			return "", false
		case r.s[i] == quote && quote == '\'' && i+1 < len(r.s) && r.s[i+1] == quote:
			doubled = true
			i++
		case r.s[i] == quote:
			r.i = i + 1
			text := r.s[from:i]
			if doubled {
				text = strings.ReplaceAll(text, "''", "'")
			}
			return text, true
		}
	}
	return "", false
}

// keyed reports whether a key begins here.
func (r *blockReader) keyed() bool {
	at := r.i
	_, ok := r.keyText()
	r.i = at
	return ok
}

// key reads a key with its colon.
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
		text, ok = r.quoted()
	} else {
		text, ok = r.plain()
		ok = ok && text != "<<" && resolvePlain(text).kind == String
	}
	if !ok || r.i >= len(r.s) || r.s[r.i] != ':' || !r.blank(r.i+1) || r.i-from > maxBlockKey {
		return "", false
	}
	r.i++
	return text, true
}
