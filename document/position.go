package document

import (
	"errors"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The causes of a *SyntaxError, for use with errors.Is. Lists and objects may nest 10,000
// levels deep, as in encoding/json.
var (
	ErrSyntax       = errors.New("invalid syntax")
	ErrTooLarge     = errors.New("too large")
	ErrTooDeep      = errors.New("nested too deep")
	ErrDuplicateKey = errors.New("duplicate key")
)

// SyntaxError reports why and where an input could not be parsed.
type SyntaxError struct {
	Position Position
	Reason   string
	Err      error // one of the causes above
}

// Error returns the reason, after the position if it is known.
func (e *SyntaxError) Error() string {
	if at := e.Position.String(); at != "" {
		return at + ": " + e.Reason
	}
	return e.Reason
}

// Unwrap returns Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Position is a place in an input. Line and Column count from 1, columns in characters;
// they are 0 if unknown.
type Position struct {
	Name   string `json:"name,omitempty"` // Options.Name
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String returns name:line:column without the unknown parts.
func (p Position) String() string {
	parts := make([]string, 0, 3)
	if p.Name != "" {
		parts = append(parts, p.Name)
	}
	if p.Line > 0 {
		parts = append(parts, strconv.Itoa(p.Line), strconv.Itoa(p.Column))
	}
	return strings.Join(parts, ":")
}

func (p Position) lineColumn() string {
	return "line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Column)
}

// A mark maps an offset in the converted JSON text to a position in the YAML input. Large inputs have millions.
type mark struct{ offset, line, column uint32 }

func newMark(offset, line, column int) mark {
	return mark{uint32(offset), uint32(line), uint32(column)}
}

// Position returns the position of v in the document's text. For a value from elsewhere
// only the name is set.
func (d *Document) Position(v Value) Position {
	if v.n == nil || v.n.flags&fromSource == 0 || d.lookup == nil {
		return Position{Name: d.opts.Name}
	}
	at := offsetIn(d.source, v.n.raw)
	if at < 0 {
		return Position{Name: d.opts.Name}
	}
	if v.n.kind == String {
		at-- // the quote
	}
	return d.position(at)
}

// PositionOf returns the position of the value at a path or, if it is not in the text, of
// its nearest parent that is. For an object or a list that begins on a line after its key, it is the
// position of the key, because the line of the value is that of another field.
func (d *Document) PositionOf(p Path) Position {
	for ; ; p = p[:len(p)-1] {
		v := d.Follow(d.Root, p)
		at := d.Position(v)
		if at.Line == 0 && len(p) > 0 {
			continue
		}
		if v.Kind() == Object || v.Kind() == List {
			if key := offsetIn(d.source, v.n.key); key > 0 && v.n.key != "" {
				if before := d.position(key - 1); before.Line < at.Line {
					return before
				}
			}
		}
		return at
	}
}

// position returns the line and column of an offset in the source. The first call reads the
// whole text; use it for messages only.
func (d *Document) position(at int) Position {
	pos := Position{Name: d.opts.Name, Line: 1, Column: 1}
	if d.marks != nil {
		i := sort.Search(len(d.marks), func(i int) bool { return int(d.marks[i].offset) > at })
		if i > 0 {
			pos.Line, pos.Column = int(d.marks[i-1].line), int(d.marks[i-1].column)
		}
		return pos
	}
	pos.Line, pos.Column = d.lookup.position(d.source, at)
	return pos
}

func quoteByte(s string, i int) string {
	if i >= len(s) {
		return "the end of the text"
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && n <= 1 {
		return "the byte 0x" + strconv.FormatUint(uint64(s[i]), 16)
	}
	return strconv.QuoteRune(r)
}

// pathWalk scans valid JSON text and tracks the path, line and column at the current
// offset. Advancing reads only the text in between, so that locating many members takes a
// single pass.
type pathWalk struct {
	s        string
	i        int // offset up to which the path is known
	path     Path
	inObject []bool
	at       int      // the offset of pos
	pos      Position // line and column of at
}

// to advances to an offset.
func (w *pathWalk) to(at int) {
	for ; w.i < at && w.i < len(w.s); w.i++ {
		switch c := w.s[w.i]; c {
		case '{', '[':
			w.inObject = append(w.inObject, c == '{')
			w.path = append(w.path, Step{})
			if c == '[' {
				w.path[len(w.path)-1] = IndexStep(0)
			}
		case '}', ']':
			w.inObject = w.inObject[:len(w.inObject)-1]
			w.path = w.path[:len(w.path)-1]
		case ',':
			if !w.inObject[len(w.inObject)-1] {
				w.path[len(w.path)-1].index++
			}
		case '"':
			w.text()
		}
	}
	w.position(at)
}

// text advances past a string, which becomes the current key if a colon follows.
func (w *pathWalk) text() {
	end := w.i + 1
	for w.s[end] != '"' {
		if w.s[end] == '\\' {
			end++
		}
		end++
	}
	rest := strings.TrimLeft(w.s[end+1:], " \t\r\n")
	if len(w.path) > 0 && w.inObject[len(w.path)-1] && strings.HasPrefix(rest, ":") {
		w.path[len(w.path)-1] = FieldStep(unescape(w.s[w.i+1 : end]))
	}
	w.i = end
}

// position advances the line and column to an offset.
func (w *pathWalk) position(at int) {
	if w.pos.Line == 0 {
		w.pos = Position{Line: 1, Column: 1}
	}
	between := w.s[w.at:max(w.at, min(at, len(w.s)))]
	if lines := strings.Count(between, "\n"); lines > 0 {
		w.pos.Line += lines
		w.pos.Column = 1
		between = between[strings.LastIndexByte(between, '\n')+1:]
	}
	w.pos.Column += utf8.RuneCountInString(between)
	w.at = max(w.at, at)
}

func sizeText(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + " MiB"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + " KiB"
	}
	return strconv.Itoa(n) + " bytes"
}

// TextOrder returns the indices of the object's members in the order in which they are in the
// text that it was read from; in ascending order of keys, which is that of the indices, if it was
// not read from a text, or was changed since.
func (v Value) TextOrder() []int {
	members := v.n.kids()
	order, at := make([]int, len(members)), make([]int, len(members))
	for i := range members {
		order[i] = i
		at[i] = offsetIn(v.n.raw, members[i].raw)
	}
	sort.SliceStable(order, func(i, j int) bool { return at[order[i]] < at[order[j]] })
	return order
}
