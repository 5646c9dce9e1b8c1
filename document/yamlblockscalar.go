package document

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// scalar parses a scalar, an empty mapping, or a sequence in one line, within the collection in a column.
func (r *blockReader) scalar(column int) bool {
	c := r.s[r.i]
	switch {
	case c == '"' || c == '\'':
		text, ok := r.quoted(column)
		r.out = AppendQuoted(r.out, text)
		return ok
	case (c == '{' || c == '[') && r.i+1 < len(r.s) && r.s[r.i+1] == c+2:
		r.out = append(r.out, c, c+2)
		r.i += 2
		return true
	case c == '[':
		return r.flow()
	}
	text, ok := r.plain()
	if !ok || r.i < len(r.s) && r.s[r.i] == ':' {
		return false
	}
	if text, ok = r.continued(text, column); !ok {
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

// flow parses a sequence of short scalars in brackets and one line, such as the arguments of a command. The scalars are in
// quotes without escapes, or have no characters with a meaning in YAML.
func (r *blockReader) flow() bool {
	r.out = append(r.out, '[')
	for {
		r.i++ // after a bracket or a comma
		for r.i < len(r.s) && r.s[r.i] == ' ' {
			r.i++
		}
		r.mark(r.i - r.start)
		if !r.flowItem() {
			return false
		}
		for r.i < len(r.s) && r.s[r.i] == ' ' {
			r.i++
		}
		if r.i == len(r.s) || r.s[r.i] != ',' && r.s[r.i] != ']' {
			return false
		}
		r.out = append(r.out, r.s[r.i])
		if r.s[r.i] == ']' {
			r.i++
			return true
		}
	}
}

// flowItem parses a scalar of a sequence in brackets.
func (r *blockReader) flowItem() bool {
	from, quote := r.i, byte(0)
	if from < len(r.s) && (r.s[from] == '"' || r.s[from] == '\'') {
		from, quote = from+1, r.s[from]
	}
	for i := from; i < len(r.s); i++ {
		c := r.s[i]
		switch {
		case c >= utf8.RuneSelf, c == '\n', c == '\t':
			return false // columns are counted in characters
		case quote != 0 && c == '\\':
			return false
		case quote != 0 && c == quote:
			r.i = i + 1
			r.out = AppendQuoted(r.out, r.s[from:i])
			return r.i < len(r.s) && r.s[r.i] != quote
		case quote != 0, c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '.', c == '_', c == '=', c == '$', c == '+':
			continue
		case c == '-' && (i > from || i+1 < len(r.s) && r.s[i+1] != ' ' && r.s[i+1] != ',' && r.s[i+1] != ']'):
			continue
		}
		s := resolvePlain(r.s[from:i])
		if i == from || s.kind == Absent {
			return false
		}
		if r.i = i; s.kind == String {
			r.out = AppendQuoted(r.out, s.text)
		} else {
			r.out = append(r.out, s.text...)
		}
		return true
	}
	return false
}

// plain parses a plain scalar up to a comment, the end of the line, or a colon that ends a
// key.
func (r *blockReader) plain() (string, bool) {
	from := r.i
	switch c := r.s[from]; c {
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return "", false
	case '-', ':', '?':
		if r.blank(from + 1) {
			return "", false
		}
	}
	return r.words()
}

// words parses a line of a plain scalar.
func (r *blockReader) words() (string, bool) {
	from := r.i
	end := from // after the last non-blank character
	for i := from; i < len(r.s); i++ {
		switch c := r.s[i]; c {
		case '\n':
			r.i = end
			return r.s[from:end], true
		case '\t':
			return "", false
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

// continued adds the further lines of a plain scalar to its first one. The lines are folded: a line
// break becomes a space, and n blank lines become n line breaks.
func (r *blockReader) continued(text string, column int) (string, bool) {
	r.scalarText = r.scalarText[:0]
	for {
		next, breaks := r.nextLine(r.i, column)
		if next.at < 0 || r.s[next.at] == '#' {
			break
		}
		if len(r.scalarText) == 0 {
			r.scalarText = append(r.scalarText, text...)
		}
		r.scalarText = appendFold(r.scalarText, breaks)
		r.i, r.start, r.line = next.at, next.start, r.line+breaks
		words, ok := r.words()
		if !ok || r.i < len(r.s) && r.s[r.i] == ':' {
			return "", false
		}
		r.scalarText = append(r.scalarText, words...)
	}
	if len(r.scalarText) > 0 {
		text = string(r.scalarText)
	}
	return text, true
}

// lineAt is the offset of a line and of its first character that is not a space.
type lineAt struct{ start, at int }

// nextLine returns the next line that is not blank, and the number of line breaks before it. Its
// at is -1 if there is none, if it is not indented further than the column, or if i is followed by
// anything but spaces in its line.
func (r *blockReader) nextLine(i, column int) (next lineAt, breaks int) {
	for {
		for i < len(r.s) && r.s[i] == ' ' {
			i++
		}
		if i < len(r.s) && r.s[i] != '\n' && breaks > 0 && i-next.start > column {
			next.at = i
			return next, breaks
		}
		if i >= len(r.s) || r.s[i] != '\n' {
			return lineAt{at: -1}, 0
		}
		i++
		breaks++
		next.start = i
	}
}

// appendFold appends consecutive line breaks as folding converts them: one becomes a space, and of several the first
// is removed.
func appendFold(text []byte, breaks int) []byte {
	if breaks == 1 {
		return append(text, ' ')
	}
	for range breaks - 1 {
		text = append(text, '\n')
	}
	return text
}

// quoted parses a quoted scalar within the collection in a column. A key, for which column is
// isKey, has a single line.
func (r *blockReader) quoted(column int) (string, bool) {
	quote := r.s[r.i]
	from := r.i + 1
	for i := from; i < len(r.s); i++ {
		switch c := r.s[i]; {
		case c == quote && (quote == '"' || i+1 >= len(r.s) || r.s[i+1] != quote):
			r.i = i + 1
			return r.s[from:i], true
		case c == quote, c == '\n', c == '\\' && quote == '"':
			r.scalarText = append(r.scalarText[:0], r.s[from:i]...)
			r.i = i
			return r.quotedFrom(quote, column)
		}
	}
	return "", false
}

// isKey is the column for the quoted scalars that are keys.
const isKey = -1

// quotedFrom parses the rest of a quoted scalar, beginning at a character that does not stand for
// itself.
func (r *blockReader) quotedFrom(quote byte, column int) (string, bool) {
	kept := 0 // the text up to here ends in an escape, whose blanks remain at the end of a line
	for r.i < len(r.s) {
		c := r.s[r.i]
		r.i++
		switch {
		case c == quote && quote == '\'' && r.i < len(r.s) && r.s[r.i] == quote:
			r.i++
		case c == quote:
			return string(r.scalarText), true
		case c == '\\' && quote == '"':
			if !r.escape(column) {
				return "", false
			}
			kept = len(r.scalarText)
			continue
		case c == '\n':
			breaks, ok := r.nextQuoted(r.i-1, column)
			if !ok {
				return "", false
			}
			words := bytes.TrimRight(r.scalarText[kept:], " ")
			r.scalarText = appendFold(r.scalarText[:kept+len(words)], breaks)
			continue
		case c == '\t':
			return "", false
		}
		r.scalarText = append(r.scalarText, c)
	}
	return "", false
}

// nextQuoted advances to the next line of a quoted scalar that is not blank, from a line break at i. It
// returns the number of line breaks before it.
func (r *blockReader) nextQuoted(i, column int) (breaks int, ok bool) {
	next, breaks := r.nextLine(i, column)
	if column == isKey || next.at < 0 {
		return 0, false
	}
	r.i, r.start, r.line = next.at, next.start, r.line+breaks
	return breaks, true
}

// escapeLetters are those of the escapes that stand for one character, and escapeRunes has these characters.
const escapeLetters = `"\' ntr0abvfeN_LP`

var escapeRunes = [len(escapeLetters)]rune{'"', '\\', '\'', ' ', '\n', '\t', '\r', 0, '\a', '\b', '\v', '\f', 0x1b, 0x85, 0xa0, 0x2028, 0x2029}

// escape parses what follows a backslash in double quotes, and adds its text.
func (r *blockReader) escape(column int) bool {
	if r.i >= len(r.s) {
		return false
	}
	c, digits := r.s[r.i], 0
	switch c {
	case '\n': // the line break and the blanks after it are left out
		breaks, ok := r.nextQuoted(r.i, column)
		for range breaks - 1 {
			r.scalarText = append(r.scalarText, '\n')
		}
		return ok
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		i := strings.IndexByte(escapeLetters, c)
		if i >= 0 {
			r.i++
			r.scalarText = utf8.AppendRune(r.scalarText, escapeRunes[i])
		}
		return i >= 0
	}
	from := r.i + 1
	if from+digits > len(r.s) {
		return false
	}
	code, err := strconv.ParseUint(r.s[from:from+digits], 16, 32)
	if err != nil || !utf8.ValidRune(rune(code)) {
		return false
	}
	r.i = from + digits
	r.scalarText = utf8.AppendRune(r.scalarText, rune(code))
	return true
}

// literalHeader parses the header of a literal block, as in "|2-", up to the end of its line. indent is that of the
// block's lines, -1 if the header does not state it, as it must for a text that begins with a space. chomping is what
// happens to the line breaks at the end: '-' drops all, '+' keeps all, and 0 keeps one.
func (r *blockReader) literalHeader(column int) (indent int, chomping byte, ok bool) {
	i := r.i + 1
	indent = -1
	if i < len(r.s) && r.s[i] >= '1' && r.s[i] <= '9' {
		indent = column + int(r.s[i]-'0')
		i++
	}
	if i < len(r.s) && (r.s[i] == '-' || r.s[i] == '+') {
		chomping = r.s[i]
		i++
	}
	if i >= len(r.s) || r.s[i] != '\n' {
		return 0, 0, false
	}
	r.start, r.line = i+1, r.line+1
	return indent, chomping, true
}

// literal parses a literal block within the collection in a column: its header, and the lines that are indented
// further, which are kept as they are.
func (r *blockReader) literal(column int) bool {
	indent, chomping, ok := r.literalHeader(column)
	if !ok {
		return false
	}
	text := r.scalarText[:0]
	breaks, lines := 0, 0
	for r.start < len(r.s) {
		at := r.start
		for at < len(r.s) && r.s[at] == ' ' && at-r.start != indent {
			at++
		}
		if at >= len(r.s) {
			return false
		}
		if r.s[at] == '\n' {
			if indent < 0 && at > r.start {
				return false // it may be indented further than the first line
			}
			breaks++
			r.start, r.line = at+1, r.line+1
			continue
		}
		if indent < 0 {
			if indent = at - r.start; indent <= column || r.s[at] == '\t' {
				return false
			}
		}
		end := strings.IndexByte(r.s[at:], '\n')
		if at-r.start < indent || end < 0 {
			break
		}
		for range breaks {
			text = append(text, '\n')
		}
		text = append(text, r.s[at:at+end]...)
		breaks, lines = 1, lines+1
		r.start, r.line = at+end+1, r.line+1
	}
	if lines == 0 || r.start < len(r.s) && r.s[len(r.s)-1] != '\n' {
		return false
	}
	switch chomping {
	case 0:
		breaks = min(breaks, 1)
	case '-':
		breaks = 0
	}
	for range breaks {
		text = append(text, '\n')
	}
	r.scalarText = text
	r.out = AppendQuoted(r.out, unsafe.String(unsafe.SliceData(text), len(text)))
	r.content()
	return r.indent <= column
}
