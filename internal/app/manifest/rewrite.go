package manifest

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
)

// Rewrite changes the n-th document of a text to have the value wanted, and keeps everything
// else: comments, quotation marks, the order of members, and other documents. It reports
// whether that was possible. The result is parsed again and compared with wanted, so that for
// a text that cannot be changed in place (such as JSON, or YAML with anchors at the change) it
// returns false instead of a wrong text.
//
// Removed members and items are removed together with the comments within them, a scalar is
// replaced in place, and a list that gains or replaces items is printed again.
func Rewrite(text string, n int, wanted document.Value) (string, bool) {
	m := textLines{lines: strings.SplitAfter(text, "\n")}
	before, ok := documentsOf(text)
	if !ok || n < 0 || n >= len(before) || wanted.Kind() != before[n].Root.Kind() {
		return "", false
	}
	m.doc = before[n]
	for _, e := range m.edits(wanted) {
		if !e.do() {
			return "", false
		}
	}
	out := strings.Join(m.lines, "")
	after, ok := documentsOf(out)
	if !ok || len(after) != len(before) {
		return "", false
	}
	for i := range after {
		want := before[i].Root
		if i == n {
			want = wanted
		}
		if !document.Identical(after[i].Root, want) {
			return "", false
		}
	}
	return out, true
}

func documentsOf(text string) ([]*document.Document, bool) {
	docs, err := document.Read([]byte(text), document.Options{MaxBytes: MaxBytes})
	return docs, err == nil
}

// textLines is the text of a document, line by line.
type textLines struct {
	doc   *document.Document
	lines []string // including line ends
	found []edit
}

// edit is a change of the text. It changes no lines before line.
type edit struct {
	line, at int
	do       func() bool
}

// edits returns the changes that give the document the value wanted. They are sorted from the
// end of the text, so that line numbers remain valid.
func (m *textLines) edits(wanted document.Value) []edit {
	m.compare(m.doc.Root, wanted)
	sort.SliceStable(m.found, func(a, b int) bool {
		x, y := m.found[a], m.found[b]
		return x.line > y.line || x.line == y.line && x.at > y.at
	})
	return m.found
}

// compare adds the edits that change the value now to wanted.
func (m *textLines) compare(now, wanted document.Value) {
	line, at, ok := m.find(now)
	switch {
	case document.Identical(now, wanted):
	case !ok:
		m.add(0, 0, func() bool { return false })
	case m.flow(line, at):
		m.add(line, at, func() bool { return m.replaceFlow(line, at, wanted) })
	case now.Kind() == document.Object && wanted.Kind() == document.Object && now.Len() > 0 && wanted.Len() > 0:
		m.members(now, wanted)
	case now.Kind() == document.List && wanted.Kind() == document.List && now.Len() > 0 && wanted.Len() > 0 && m.items(now, wanted):
	default:
		m.add(line, at, func() bool { return m.replace(now, wanted) })
	}
}

func (m *textLines) add(line, at int, do func() bool) { m.found = append(m.found, edit{line, at, do}) }

// members compares two objects.
func (m *textLines) members(now, wanted document.Value) {
	var fresh document.ObjectBuilder
	for name, v := range wanted.Members() {
		if !now.Get(name).Exists() {
			fresh.Set(name, v)
		}
	}
	if fresh.Len() > 0 {
		added := fresh.Object()
		end, column, ok := m.endOfMembers(now)
		m.add(end, 0, func() bool { return ok && m.insert(end, column, added) })
	}
	for name, v := range now.Members() {
		if next := wanted.Get(name); next.Exists() {
			m.compare(v, next)
		} else {
			m.removal(v)
		}
	}
}

// items compares two lists, of which wanted may lack items or have some replaced. It reports
// whether that is the only difference.
func (m *textLines) items(now, wanted document.Value) bool {
	if now.Len() == wanted.Len() {
		for i, v := range now.Items() {
			m.compare(v, wanted.At(i))
		}
		return true
	}
	kept := 0
	var gone []document.Value
	for _, v := range now.Items() {
		if kept < wanted.Len() && document.Identical(v, wanted.At(kept)) {
			kept++
		} else {
			gone = append(gone, v)
		}
	}
	if kept < wanted.Len() {
		return false
	}
	for _, v := range gone {
		m.removal(v)
	}
	return true
}

func (m *textLines) removal(v document.Value) {
	line, at, ok := m.find(v)
	m.add(line, at, func() bool { return ok && m.remove(v) })
}

// find returns the line, from 0, and the column at which a value begins.
func (m *textLines) find(v document.Value) (line, at int, ok bool) {
	p := m.doc.Position(v)
	if p.Line < 1 || p.Line > len(m.lines) {
		return 0, 0, false
	}
	text := m.lines[p.Line-1]
	for n := 1; n < p.Column && at < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return p.Line - 1, at, at < len(text)
}

// head finds the line and column of a member's key or an item's dash. shared is true for the
// first member of a list item, which is on the line of the dash.
func (m *textLines) head(field document.Value) (line, column int, shared, ok bool) {
	line, at, ok := m.find(field)
	if !ok {
		return 0, 0, false, false
	}
	before := strings.TrimRight(m.lines[line][:at], " ")
	item := strings.TrimLeft(before, " ") == "-"
	if !item && !strings.HasSuffix(before, ":") {
		for line--; line >= 0 && !content(m.lines[line]); line-- { // the key is above its value
		}
		if line < 0 {
			return 0, 0, false, false
		}
	}
	column = indentation(m.lines[line])
	if shared = strings.HasPrefix(m.lines[line][column:], "- ") && !item; shared {
		column += 1 + indentation(m.lines[line][column+1:])
	}
	return line, column, shared, true
}

// remove removes the lines of a member or a list item.
func (m *textLines) remove(field document.Value) bool {
	line, column, shared, ok := m.head(field)
	if !ok {
		return false
	}
	first, end := m.lines[line], m.after(line, column)
	rest := slices.Clone(m.lines[end:])
	if shared { // the next member moves to the line of the dash
		if len(rest) == 0 || indentation(rest[0]) != column || !content(rest[0]) {
			return false
		}
		rest[0] = first[:column] + rest[0][column:]
	}
	m.lines = append(m.lines[:line], rest...)
	return true
}

// replace replaces a value by another one.
func (m *textLines) replace(field, value document.Value) bool {
	line, at, _ := m.find(field)
	head, column, _, ok := m.head(field)
	if !ok {
		return false
	}
	end := m.after(head, column)
	text, scalar := value.YAMLScalar()
	if value.Len() == 0 && !scalar {
		text, scalar = value.String(), value.Kind() == document.Object || value.Kind() == document.List
	}
	if scalar && end == head+1 && line == head {
		rest := m.lines[line][at:]
		m.lines[line] = m.lines[line][:at] + text + rest[scalarLength(rest):]
		return true
	}
	if line == head {
		m.lines[line] = strings.TrimRight(m.lines[line][:at], " ") + "\n"
	}
	key, comment, _ := strings.Cut(strings.TrimRight(m.lines[head], "\r\n"), " #")
	if !strings.HasSuffix(strings.TrimRight(key, " "), ":") {
		return false
	}
	if comment != "" {
		comment = " #" + comment
	}
	lines := []string{strings.TrimRight(key, " ") + comment + "\n"}
	if scalar {
		lines[0] = strings.TrimRight(key, " ") + " " + text + comment + "\n"
	} else {
		if value.Kind() == document.Object {
			column += 2
		}
		lines = append(lines, printed(value, column)...)
	}
	m.lines = slices.Concat(m.lines[:head], lines, m.lines[end:])
	return true
}

// printed returns the lines of a value in YAML, indented.
func printed(v document.Value, column int) []string {
	var lines []string
	for line := range strings.Lines(string(v.YAML())) {
		if strings.TrimSpace(line) != "" {
			line = strings.Repeat(" ", column) + line
		}
		lines = append(lines, line)
	}
	return lines
}

// endOfMembers returns the line after the members of an object, and their column.
func (m *textLines) endOfMembers(object document.Value) (end, column int, ok bool) {
	for _, v := range object.Members() {
		line, at, _, found := m.head(v)
		if !found {
			return 0, 0, false
		}
		end, column, ok = max(end, m.after(line, at)), at, true
	}
	return end, column, ok
}

// insert inserts members before a line.
func (m *textLines) insert(line, column int, members document.Value) bool {
	if line > 0 && !strings.HasSuffix(m.lines[line-1], "\n") {
		m.lines[line-1] += "\n"
	}
	m.lines = slices.Concat(m.lines[:line], printed(members, column), m.lines[line:])
	return true
}

// flow reports whether a value is in flow style: {a: 1} or [1, 2].
func (m *textLines) flow(line, at int) bool {
	return m.lines[line][at] == '{' || m.lines[line][at] == '['
}

// replaceFlow replaces a value in flow style that ends on the same line and is not the whole
// document.
func (m *textLines) replaceFlow(line, at int, value document.Value) bool {
	text := m.lines[line]
	end := flowLength(text[at:])
	if end == 0 || strings.TrimSpace(text[:at]) == "" {
		return false
	}
	m.lines[line] = text[:at] + flowText(value) + text[at+end:]
	return true
}

// flowLength returns the length of a value in flow style, 0 if it does not end on the line.
func flowLength(text string) int {
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
		}
	}
	return 0
}

// flowText formats a value in flow style.
func flowText(v document.Value) string {
	var parts []string
	switch v.Kind() {
	case document.Object:
		for name, kid := range v.Members() {
			parts = append(parts, flowText(document.NewString(name))+": "+flowText(kid))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case document.List:
		for _, kid := range v.Items() {
			parts = append(parts, flowText(kid))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
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

// after returns the line after the node at a line and column. Comments that are not indented
// further, and blank lines, belong to what follows.
func (m *textLines) after(line, column int) int {
	end := line + 1
	item := strings.HasPrefix(m.lines[line][column:], "- ")
	for i := line + 1; i < len(m.lines); i++ {
		text := m.lines[i]
		deep := indentation(text) > column || !item && indentation(text) == column && strings.HasPrefix(text[column:], "- ")
		if content(text) && !deep {
			break
		}
		if deep && strings.TrimSpace(text) != "" {
			end = i + 1
		}
	}
	return end
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// content reports whether a line has anything but white space and a comment.
func content(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '#'
}
