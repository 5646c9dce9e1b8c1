package playground

import (
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
)

// rewrite changes the text of a manifest so that it reads as wanted, which differs
// from it at a path only, and leaves the rest as it is, comments above all. It
// reports whether that was done: it can be where the field has lines of its own, in
// block style, and is only where the new text is read back as wanted.
func rewrite(text string, wanted document.Value, path document.Path) (string, bool) {
	m := textLines{lines: strings.SplitAfter(text, "\n")}
	now, ok := m.read(text)
	if !ok {
		return "", false
	}
	out := ""
	field, value := differing(now, wanted, path)
	if value.Exists() {
		out, ok = m.with(field, value)
	} else {
		out, ok = m.without(field)
	}
	if !ok {
		return "", false
	}
	then, ok := m.read(out)
	return out, ok && document.Identical(then, wanted)
}

// differing follows a path through two values, to where the second has nothing any
// more or the path ends.
func differing(now, wanted document.Value, path document.Path) (field, value document.Value) {
	for _, s := range path {
		now, wanted = s.In(now), s.In(wanted)
		if !wanted.Exists() {
			break
		}
	}
	return now, wanted
}

// textLines is the text of one document, line by line.
type textLines struct {
	doc   *document.Document
	lines []string // with their ends
}

// read reads a text, whose places are known then.
func (m *textLines) read(text string) (document.Value, bool) {
	docs, err := document.Read([]byte(text), document.Options{})
	if err != nil || len(docs) != 1 {
		return document.Value{}, false
	}
	m.doc = docs[0]
	return m.doc.Root, true
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

// with puts a scalar in the place of another.
func (m *textLines) with(field, value document.Value) (string, bool) {
	text, ok := value.YAMLScalar()
	line, at, found := m.find(field)
	if !ok || !found {
		return "", false
	}
	end := at + scalarLength(m.lines[line][at:])
	changed := m.lines[line][:at] + text + m.lines[line][end:]
	return strings.Join(m.lines[:line], "") + changed + strings.Join(m.lines[line+1:], ""), true
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

// without takes a field, or an item of a list, out with its lines.
func (m *textLines) without(field document.Value) (string, bool) {
	line, at, ok := m.find(field)
	if !ok {
		return "", false
	}
	before := strings.TrimRight(m.lines[line][:at], " ")
	if strings.TrimLeft(before, " ") != "-" && !strings.HasSuffix(before, ":") {
		for line--; line >= 0 && !content(m.lines[line]); line-- { // the key stands above what it holds
		}
		if line < 0 {
			return "", false
		}
	}
	first := m.lines[line]
	column := indentation(first)
	shared := strings.HasPrefix(first[column:], "- ") && strings.TrimLeft(before, " ") != "-"
	if shared { // the first member of an item: the next one takes its place
		column += 1 + indentation(first[column+1:])
	}
	end := m.after(line, column)
	rest := m.lines[end:]
	if shared {
		if len(rest) == 0 || indentation(rest[0]) != column || !content(rest[0]) {
			return "", false
		}
		rest = append([]string{first[:column] + rest[0][column:]}, rest[1:]...)
	}
	return strings.Join(m.lines[:line], "") + strings.Join(rest, ""), true
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
