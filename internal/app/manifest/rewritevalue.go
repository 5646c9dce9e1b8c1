package manifest

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// replace replaces a value by another one. The comment of the value, beside it or beside its
// key, is kept.
func (m *textLines) replace(field, value document.Value) error {
	line, at, _ := m.find(field)
	head, column, _, ok := m.head(field)
	if !ok {
		return errKey
	}
	if strings.ContainsAny(m.lines[line][at:at+1], "!&") {
		return errTag
	}
	intro, comment := strings.TrimRight(m.lines[line][:at], " "), ""
	if line > head {
		intro, comment = cutComment(m.lines[head])
	}
	bare := at > 0 && m.lines[line][at-1] != ' ' // a null without a text, right after the colon or the dash
	aside := line == head || at > column         // the sign of an empty block may be below its key, in the same column
	end := max(m.after(head, column), line+1)
	if field.Kind() != document.Object && field.Kind() != document.List {
		var own string
		end, own = m.endOfScalar(line, at, end)
		if text, ok := scalarText(value); ok && end == line+1 && !bare && aside {
			rest := m.lines[line][at:]
			m.lines[line] = m.lines[line][:at] + text + rest[scalarLength(rest):]
			return nil
		}
		comment += own
	}
	m.lines = slices.Concat(m.lines[:head], m.introduced(intro, comment, column, value), m.lines[end:])
	return nil
}

// endOfScalar returns the line after a scalar, and the comment beside it. The comments below it,
// up to end, belong to it only if it is a block, because they are its text then.
func (m *textLines) endOfScalar(line, at, end int) (int, string) {
	text := strings.Join(m.lines[line:end], "")[at:]
	switch text[0] {
	case '|', '>':
		text = m.lines[line][at:]
	case '"', '\'':
		length := scalarLength(text)
		end = line + 1 + strings.Count(text[:length], "\n")
		text, _, _ = strings.Cut(text[length:], "\n")
	default:
		for end > line+1 && !content(m.lines[end-1]) {
			end--
		}
		if text = m.lines[end-1]; end == line+1 {
			text = text[at:]
		}
	}
	_, comment := cutComment(text)
	return end, comment
}

// cutComment returns the text of a line and the comment after it, which begins with a space.
func cutComment(line string) (text, comment string) {
	text, comment, found := strings.Cut(strings.TrimRight(line, " \r\n"), " #")
	if found {
		comment = " #" + comment
	}
	return strings.TrimRight(text, " "), comment
}

// scalarText returns the text of a value that needs no lines of its own: a scalar, or an empty
// object or list.
func scalarText(v document.Value) (string, bool) {
	text, ok := v.YAMLScalar()
	if !ok && v.Len() == 0 && v.Kind() != document.String {
		return v.String(), true
	}
	return text, ok
}

// introduced returns the lines of a value after its key or its dash, which is at a column.
//
// A comment after the key of a block, and after the sign of a literal text (key: | # comment), is
// valid; elsewhere the text of a literal would continue in the comment.
func (m *textLines) introduced(intro, comment string, column int, v document.Value) []string {
	if text, ok := scalarText(v); ok {
		return []string{intro + " " + text + comment + m.end}
	}
	switch item := strings.HasSuffix(intro, "-"); {
	case v.Kind() == document.String:
		lines := m.printed(v, column)
		lines[0] = intro + " " + strings.TrimSpace(lines[0]) + comment + m.end
		return lines
	case item && comment == "":
		lines := m.printed(v, column+2)
		lines[0] = intro + " " + strings.TrimLeft(lines[0], " ")
		return lines
	case item || v.Kind() == document.Object:
		column += 2
	}
	return append([]string{intro + comment + m.end}, m.printed(v, column)...)
}

// printed returns the lines of a value in YAML, indented. Those of a text are indented further
// than its first line, which has the sign of a literal.
func (m *textLines) printed(v document.Value, column int) []string {
	var lines []string
	for line := range strings.Lines(string(v.YAML())) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" {
			line = strings.Repeat(" ", column) + line
		}
		lines = append(lines, line+m.end)
	}
	return lines
}

// insert inserts members or items before a line.
func (m *textLines) insert(line, column int, added document.Value) {
	if line > 0 && !strings.HasSuffix(m.lines[line-1], "\n") {
		m.lines[line-1] += m.end
	}
	m.lines = slices.Concat(m.lines[:line], m.printed(added, column), m.lines[line:])
}

// flow reports whether a value is in flow style: {a: 1} or [1, 2].
func (m *textLines) flow(line, at int) bool {
	return m.lines[line][at] == '{' || m.lines[line][at] == '['
}

// replaceFlow replaces a value in flow style, which may end on a later line. The whole document
// is not in flow style by choice, but because it is JSON.
func (m *textLines) replaceFlow(line, at int, now, value document.Value) error {
	text := strings.Join(m.lines[line:], "")
	end := FlowLength(text[at:])
	if end == 0 || document.SameNode(now, m.doc.Root) {
		return errFlow
	}
	m.lines = append(m.lines[:line], strings.SplitAfter(text[:at]+m.flowText(now, value)+text[at+end:], "\n")...)
	return nil
}

// FlowLength returns the length of the value in flow style, or in JSON, at the beginning of a text. It is 0
// if the value does not end in the text or contains a comment, which would be lost.
func FlowLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			i += scalarLength(text[i:]) - 1
		case '#':
			if strings.ContainsAny(text[i-1:i], " \t\n") {
				return 0
			}
		}
	}
	return 0
}

// flowText formats a value in flow style. The members that remain of now, the value that it
// replaces, keep their order before new ones, and texts that do not change keep their quotes.
func (m *textLines) flowText(now, v document.Value) string {
	parts := make([]string, v.Len())
	switch v.Kind() {
	case document.Object:
		at := make([]int64, len(parts))
		for i := range parts {
			key := v.Key(i)
			old := now.Get(key)
			at[i] = math.MaxInt64
			if p := m.doc.Position(old); old.Exists() {
				at[i] = int64(p.Line)<<32 + int64(p.Column)
			}
			parts[i] = flowScalar(document.NewString(key)) + ": " + m.flowText(old, v.At(i))
		}
		sort.Stable(placed{at, parts})
		return "{" + strings.Join(parts, ", ") + "}"
	case document.List:
		for i := range parts {
			var old document.Value
			if i < now.Len() {
				old = now.At(i)
			}
			parts[i] = m.flowText(old, v.At(i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if line, at, ok := m.find(now); ok && document.Identical(now, v) {
		text := m.lines[line][at:]
		text = text[:scalarLength(text)]
		if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
			return text
		}
	}
	return flowScalar(v)
}

// placed sorts texts by their places.
type placed struct {
	at    []int64
	texts []string
}

func (p placed) Len() int           { return len(p.at) }
func (p placed) Less(i, j int) bool { return p.at[i] < p.at[j] }
func (p placed) Swap(i, j int) {
	p.at[i], p.at[j] = p.at[j], p.at[i]
	p.texts[i], p.texts[j] = p.texts[j], p.texts[i]
}

// flowScalar formats a scalar in flow style.
func flowScalar(v document.Value) string {
	text, ok := v.YAMLScalar()
	if !ok || strings.ContainsAny(text, ",[]{}") {
		return v.String()
	}
	return text
}

// scalarLength returns the length of the scalar at the beginning of text.
func scalarLength(text string) int {
	text = strings.TrimRight(text, "\r\n")
	if text == "" {
		return 0
	}
	if quote := text[:1]; quote == `"` || quote == "'" {
		for i := 1; i < len(text); i++ {
			switch {
			case text[i] == '\\' && quote == `"`, text[i:min(i+2, len(text))] == "''" && quote == "'":
				i++
			case text[i] == quote[0]:
				return i + 1
			}
		}
	}
	plain, _, _ := strings.Cut(text, " #")
	return len(strings.TrimRight(plain, " "))
}
