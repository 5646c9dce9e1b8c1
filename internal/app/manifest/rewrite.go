package manifest

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
)

// Rewrite changes the n-th document of a text to have the value wanted, and keeps everything
// else: comments, quotation marks, line ends, the order of members, and other documents. The
// result is parsed again and compared with wanted, so that for a text that cannot be changed
// in place (such as JSON, or YAML with anchors at the change) it returns an error, with the
// field and the reason, instead of a wrong text.
//
// Removed members and items are removed together with the comments within them. A scalar is
// replaced in place, and its comment is kept. In a list, only the items that differ are
// replaced.
func Rewrite(text string, n int, wanted document.Value) (string, error) {
	before, err := documentsOf(text)
	switch {
	case err != nil:
		return "", err
	case n < 0 || n >= len(before):
		return "", errors.New("the text has no such document")
	case wanted.Kind() != before[n].Root.Kind():
		return "", errors.New("no field remains")
	}
	m := textLines{doc: before[n], lines: strings.SplitAfter(text, "\n"), end: "\n"}
	if strings.HasSuffix(m.lines[0], "\r\n") {
		m.end = "\r\n"
	}
	edits := m.edits(wanted)
	for _, e := range edits {
		if err := e.do(); err != nil {
			return "", fmt.Errorf("%s: %w", pathText(e.path), err)
		}
	}
	out := strings.Join(m.lines, "")
	after, err := documentsOf(out)
	if err != nil || len(after) != len(before) {
		// The edits are sorted from the end of the text; the first one in the text is named.
		return "", fmt.Errorf("%s: %w", pathText(edits[len(edits)-1].path), errNotRead)
	}
	for i := range after {
		want := before[i].Root
		if i == n {
			want = wanted
		}
		if !document.Identical(after[i].Root, want) {
			return "", fmt.Errorf("%s: %w", pathText(firstDifference(nil, after[i].Root, want)), errElsewhere)
		}
	}
	return out, nil
}

// The reasons why a text is not changed in place.
var (
	errPlace     = errors.New("the place of the value in the text is not known, as with an alias or a merge key")
	errKey       = errors.New("the key or the dash of the value is not before it in the text, as with an alias")
	errTag       = errors.New("the value has a tag or an anchor")
	errFlow      = errors.New("the value is in flow style ({…} or […]) and contains a comment or is the whole document")
	errNotRead   = errors.New("the text is not valid YAML after the change")
	errElsewhere = errors.New("the change of the text changes other values, too, as with an anchor")
)

func documentsOf(text string) ([]*document.Document, error) {
	return document.Read([]byte(text), document.Options{MaxBytes: MaxBytes})
}

// firstDifference returns the path of the first value that differs.
func firstDifference(path document.Path, a, b document.Value) document.Path {
	if a.Kind() != b.Kind() {
		return path
	}
	for name, v := range a.Members() {
		if other := b.Get(name); !document.Identical(v, other) {
			return firstDifference(path.Child(name), v, other)
		}
	}
	for name := range b.Members() {
		if !a.Get(name).Exists() {
			return path.Child(name)
		}
	}
	for i, v := range a.Items() {
		if i < b.Len() && !document.Identical(v, b.At(i)) {
			return firstDifference(path.Item(i), v, b.At(i))
		}
	}
	return path
}

// pathText returns the path of a field for a message; the document has an empty path.
func pathText(path document.Path) string {
	if len(path) == 0 {
		return "the document"
	}
	return path.String()
}

// textLines is the text of a document, line by line.
type textLines struct {
	doc   *document.Document
	lines []string // including line ends
	end   string   // the line end of inserted lines
	found []edit
}

// edit is the change of the text for the value at path. It changes no lines before line.
type edit struct {
	path     document.Path
	line, at int
	do       func() error
}

// edits returns the changes that give the document the value wanted. They are sorted from the
// end of the text, so that line numbers remain valid.
func (m *textLines) edits(wanted document.Value) []edit {
	m.compare(nil, m.doc.Root, wanted)
	sort.SliceStable(m.found, func(a, b int) bool {
		x, y := m.found[a], m.found[b]
		return x.line > y.line || x.line == y.line && x.at > y.at
	})
	return m.found
}

// compare adds the edits that change the value now to wanted.
func (m *textLines) compare(path document.Path, now, wanted document.Value) {
	line, at, ok := m.find(now)
	switch {
	case document.Identical(now, wanted):
	case !ok:
		m.add(path, 0, 0, func() error { return errPlace })
	case m.flow(line, at):
		m.add(path, line, at, func() error { return m.replaceFlow(line, at, now, wanted) })
	case now.Kind() == document.Object && wanted.Kind() == document.Object && now.Len() > 0 && wanted.Len() > 0:
		m.members(path, now, wanted)
	case now.Kind() == document.List && wanted.Kind() == document.List && now.Len() > 0 && wanted.Len() > 0:
		m.items(path, now, wanted)
	default:
		m.add(path, line, at, func() error { return m.replace(now, wanted) })
	}
}

func (m *textLines) add(path document.Path, line, at int, do func() error) {
	m.found = append(m.found, edit{path, line, at, do})
}

// members compares two objects.
func (m *textLines) members(path document.Path, now, wanted document.Value) {
	var fresh document.ObjectBuilder
	for name, v := range wanted.Members() {
		if !now.Get(name).Exists() {
			fresh.Set(name, v)
		}
	}
	if fresh.Len() > 0 {
		siblings := below(now)
		m.insertion(path, siblings, len(siblings), fresh.Object())
	}
	for name, v := range now.Members() {
		if next := wanted.Get(name); next.Exists() {
			m.compare(path.Child(name), v, next)
		} else {
			m.removal(path.Child(name), v)
		}
	}
}

// items compares two lists. If wanted only lacks items, these are removed. Otherwise the items
// between the common beginning and the common end are replaced one by one, and the remaining
// ones are removed, or inserted after the last one before them.
func (m *textLines) items(path document.Path, now, wanted document.Value) {
	old, next := below(now), below(wanted)
	if gone, ok := without(old, next); ok {
		for _, i := range gone {
			m.removal(path.Item(i), old[i])
		}
		return
	}
	first, same := 0, 0
	for least := min(len(old), len(next)); first < least && document.Identical(old[first], next[first]); first++ {
	}
	for least := min(len(old), len(next)) - first; same < least && document.Identical(old[len(old)-1-same], next[len(next)-1-same]); same++ {
	}
	paired := min(len(old), len(next)) - same
	if added := next[paired : len(next)-same]; len(added) > 0 {
		m.insertion(path, old, paired, document.NewList(added...))
	}
	for i := first; i < paired; i++ {
		m.compare(path.Item(i), old[i], next[i])
	}
	for i := paired; i < len(old)-same; i++ {
		m.removal(path.Item(i), old[i])
	}
}

// below returns the values of an object's members or of a list's items.
func below(v document.Value) []document.Value {
	var all []document.Value
	for _, kid := range v.Members() {
		all = append(all, kid)
	}
	for _, kid := range v.Items() {
		all = append(all, kid)
	}
	return all
}

// without returns the indexes of the items of old that next lacks. ok is false if next has other
// items, or has them in another order.
func without(old, next []document.Value) (gone []int, ok bool) {
	kept := 0
	for i, v := range old {
		if kept < len(next) && document.Identical(v, next[kept]) {
			kept++
		} else {
			gone = append(gone, i)
		}
	}
	return gone, kept == len(next)
}

// insertion adds the edit that inserts members or items after the first n of their siblings.
func (m *textLines) insertion(path document.Path, siblings []document.Value, n int, added document.Value) {
	line, column := 0, 0
	for i, v := range siblings[:max(n, 1)] {
		head, at, _, ok := m.head(v)
		if !ok {
			m.add(path, 0, 0, func() error { return errKey })
			return
		}
		if column = at; i < n {
			head = m.after(head, at)
		}
		line = max(line, head)
	}
	m.add(path, line, 0, func() error { m.insert(line, column, added); return nil })
}

func (m *textLines) removal(path document.Path, v document.Value) {
	line, at, ok := m.find(v)
	m.add(path, line, at, func() error {
		if !ok {
			return errPlace
		}
		return m.remove(v)
	})
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
	if before != "" && strings.Trim(before, "- ") == "" { // a dash, or several if an item is a list
		column = len(before) - 1
		return line, column, column > indentation(before), true
	}
	if !strings.HasSuffix(before, ":") {
		for line--; line >= 0 && !content(m.lines[line]); line-- { // the key is above its value
		}
		if line < 0 {
			return 0, 0, false, false
		}
	}
	column = indentation(m.lines[line])
	for dash(m.lines[line][column:]) && content(m.lines[line][column+1:]) {
		column += 1 + indentation(m.lines[line][column+1:])
		shared = true
	}
	return line, column, shared, true
}

// remove removes the lines of a member or a list item.
func (m *textLines) remove(field document.Value) error {
	line, column, shared, ok := m.head(field)
	if !ok {
		return errKey
	}
	first, end := m.lines[line], m.after(line, column)
	rest := slices.Clone(m.lines[end:])
	if shared { // the next member, or the comment before it, moves to the line of the dash
		if len(rest) == 0 || indentation(rest[0]) != column {
			return errKey
		}
		rest[0] = first[:column] + rest[0][column:]
	}
	m.lines = append(m.lines[:line], rest...)
	return nil
}

// after returns the line after the node at a line and column. Comments that are not indented
// further, and blank lines, belong to what follows.
func (m *textLines) after(line, column int) int {
	end := line + 1
	item := dash(m.lines[line][column:])
	for i := line + 1; i < len(m.lines); i++ {
		text := m.lines[i]
		deep := indentation(text) > column || !item && indentation(text) == column && dash(text[column:])
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

// dash reports whether a text begins with the dash of a list item.
func dash(text string) bool {
	return text == "-" || strings.HasPrefix(text, "-") && strings.ContainsAny(text[1:2], " \r\n")
}

// content reports whether a line has anything but white space and a comment.
func content(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '#'
}
