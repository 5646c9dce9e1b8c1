package manifest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
)

// Rewrite changes the n-th document of a text so that it reads as wanted, and
// leaves everything else as it is: comments, quotes, the order of members, the other
// documents. It reports whether that was done. What has been rewritten is read
// again and compared with wanted, so that a text that cannot be changed in place
// (such as JSON, or one with anchors where the change is) is reported instead of
// changed wrongly.
//
// Members and items that go are removed with the comments within them, a scalar is
// replaced where it stands, and a list that gains or exchanges items is printed anew.
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
	lines []string // with their ends
	found []edit
}

// edit is one change of the text. It changes lines from line on and none before.
type edit struct {
	line, at int
	do       func() bool
}

// edits returns the changes that make the document read as wanted, the last of the
// text first, so that each finds its lines where they were.
func (m *textLines) edits(wanted document.Value) []edit {
	m.compare(m.doc.Root, wanted)
	slices.SortStableFunc(m.found, func(a, b edit) int { return cmp.Or(b.line-a.line, b.at-a.at) })
	return m.found
}

// compare gathers the edits between a value of the text and the wanted one.
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

// items compares two lists, the second of which lacks items or has others in the
// place of some. It reports whether it is so.
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

// find returns the line that a value begins in, from 0, and where in it.
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

// head finds the line that a member's key, or an item's dash, stands in, and the
// column of the member or item. shared is set for the first member of an item, whose
// line has the dash too.
func (m *textLines) head(field document.Value) (line, column int, shared, ok bool) {
	line, at, ok := m.find(field)
	if !ok {
		return 0, 0, false, false
	}
	before := strings.TrimRight(m.lines[line][:at], " ")
	item := strings.TrimLeft(before, " ") == "-"
	if !item && !strings.HasSuffix(before, ":") {
		for line--; line >= 0 && !content(m.lines[line]); line-- { // the key stands above what it holds
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

// remove takes a member of an object, or an item of a list, out with its lines.
func (m *textLines) remove(field document.Value) bool {
	line, column, shared, ok := m.head(field)
	if !ok {
		return false
	}
	first, end := m.lines[line], m.after(line, column)
	rest := slices.Clone(m.lines[end:])
	if shared { // the next member takes its place
		if len(rest) == 0 || indentation(rest[0]) != column || !content(rest[0]) {
			return false
		}
		rest[0] = first[:column] + rest[0][column:]
	}
	m.lines = append(m.lines[:line], rest...)
	return true
}

// replace puts a value in the place of another.
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

// printed returns the lines of a value's YAML, indented.
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

// endOfMembers finds the line behind the members of an object, and their column.
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

// insert adds members in front of a line.
func (m *textLines) insert(line, column int, members document.Value) bool {
	if line > 0 && !strings.HasSuffix(m.lines[line-1], "\n") {
		m.lines[line-1] += "\n"
	}
	m.lines = slices.Concat(m.lines[:line], printed(members, column), m.lines[line:])
	return true
}

// flow reports whether a value is written in flow style: {a: 1} or [1, 2].
func (m *textLines) flow(line, at int) bool {
	return m.lines[line][at] == '{' || m.lines[line][at] == '['
}

// replaceFlow puts a value in the place of one in flow style, which ends in the same
// line and is not the whole document.
func (m *textLines) replaceFlow(line, at int, value document.Value) bool {
	text := m.lines[line]
	end := flowLength(text[at:])
	if end == 0 || strings.TrimSpace(text[:at]) == "" {
		return false
	}
	m.lines[line] = text[:at] + flowText(value) + text[at+end:]
	return true
}

// flowLength is how far a value in flow style goes in its line, 0 where it does not
// end there.
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

// flowText prints a value in flow style.
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

// scalarLength is how far the scalar that text begins with goes in its line.
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

// after finds the line behind what begins in a line and column: comments that stand
// there no deeper, and blank lines, are left to what follows.
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

// content reports whether a line has more than blanks and a comment.
func content(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '#'
}
