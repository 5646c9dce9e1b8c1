package explain

import (
	"bytes"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Line is one line of an object's YAML.
type Line struct {
	// Text is the line without its newline.
	Text string `json:"text"`
	// Path is the path of the line's field in field sets. All lines of an atomic list or
	// object have the path of the whole.
	Path document.Path `json:"path"`
	// Owners holds the indices of the managedFields entries that own the field; Below those
	// of entries that own only fields below it. The indices are those of
	// fieldmanager.Managed.Entries.
	Owners []int `json:"owners,omitempty"`
	Below  []int `json:"below,omitempty"`
	// Merges describes how the field is merged; see the function Merges.
	Merges string `json:"merges"`
}

// Lines returns the YAML of an object of type t, without managedFields, with the owners of
// each line. The text is that of document.Value.YAML. An absent object has no lines.
func Lines(t *schema.Type, o fieldmanager.Object) []Line {
	w := newLineWriter()
	p := root(t, o)
	w.container(&p, former{}, "", "")
	return w.finish()
}

func newLineWriter() lineWriter {
	return lineWriter{lines: make([]Line, 0, 256), ends: make([]int, 0, 256), fresh: make([]int, 0, 256), names: map[string]memberName{}}
}

// finish sets the texts of the lines, which are substrings of one string.
func (w *lineWriter) finish() []Line {
	text, from := string(w.text), 0
	for i, end := range w.ends {
		w.lines[w.fresh[i]].Text = text[from:end]
		from = end
	}
	return w.lines
}

type lineWriter struct {
	lines  []Line
	text   []byte        // concatenated texts of the new lines
	fresh  []int         // indices of the new lines
	ends   []int         // end of each new line in text
	path   document.Path // path of the current place
	claims claimStack
	paths  document.Path // arena for the paths of lines
	last   [2][]int      // Owners and Below of the previous line
	names  map[string]memberName
	before before
}

// memberName is a member's name as a path step and as YAML.
type memberName struct {
	step document.Step
	text string
}

func (w *lineWriter) name(key string) memberName {
	n, ok := w.names[key]
	if !ok {
		n = memberName{document.FieldStep(key), keyText(key)}
		w.names[key] = n
	}
	return n
}

// container writes the members or items of a place. first is the indentation of the first
// line, rest that of the others.
func (w *lineWriter) container(p *place, was former, first, rest string) {
	switch {
	case !p.v.Exists():
	case p.v.Len() == 0:
		w.value(p, "", first, rest)
	case p.v.Kind() == document.Object:
		w.members(p, was, first, rest)
	default:
		w.items(p, was, first, rest)
	}
}

func (w *lineWriter) members(p *place, was former, indent, rest string) {
	n, depth := len(w.claims), len(w.path)
	left := w.formerMembers(was, p)
	for i := range p.v.Len() {
		key := p.v.Key(i)
		name, kid := w.name(key), p.member(i, &w.claims)
		w.path = append(w.path, name.step)
		if f, top := left.of(w, key); !w.again(f, &kid, top == (i == 0)) {
			w.member(name.text, &kid, f, indent, rest)
		}
		w.claims.release(n)
		w.path = w.path[:depth]
		indent = rest
	}
}

func (w *lineWriter) items(p *place, was former, first, rest string) {
	n, depth := len(w.claims), len(w.path)
	indent, below := first+"- ", indented(rest)
	left := w.formerItems(was, p)
	for i := range p.v.Len() {
		kid, e := p.item(i, &w.claims)
		if e != "" {
			w.path = append(w.path, fieldset.Step(e))
		}
		if f, top := left.of(w, i, e); !w.again(f, &kid, top == (i == 0)) {
			w.container(&kid, f, indent, below)
		}
		w.claims.release(n)
		w.path = w.path[:depth]
		if i == 0 && first != rest {
			first, indent = rest, rest+"- "
		}
	}
}

// indented returns an indentation two columns deeper.
func indented(rest string) string {
	const blanks = "                                                                "
	if n := len(rest) + 2; n <= len(blanks) {
		return blanks[:n]
	}
	return rest + "  "
}

func (w *lineWriter) member(key string, p *place, was former, first, rest string) {
	if p.v.Len() == 0 {
		w.value(p, key, first, rest)
		return
	}
	w.add(p, first, key, ":")
	if p.v.Kind() == document.Object {
		rest = indented(rest)
	}
	was.at++ // skip the line of the key
	w.container(p, was, rest, rest)
}

// value writes a scalar or an empty list or object. key is the text of the member's name,
// "" for a list item.
func (w *lineWriter) value(p *place, key, first, rest string) {
	text, ok := p.v.YAMLScalar()
	if ok && key != "" {
		w.add(p, first, key, ": ", text)
		return
	}
	if ok {
		w.add(p, first, text)
		return
	}
	v := p.v
	if key != "" {
		name, _ := w.path[len(w.path)-1].Name()
		v = document.NewObject().With(name, v)
	}
	for i, line := range yamlOf(v) {
		if i == 0 {
			w.add(p, first, line)
		} else if line == "" {
			w.add(p)
		} else {
			w.add(p, rest, line)
		}
	}
}

func (w *lineWriter) add(p *place, parts ...string) {
	for _, part := range parts {
		w.text = append(w.text, part...)
	}
	w.ends, w.fresh = append(w.ends, len(w.text)), append(w.fresh, len(w.lines))
	w.lines = append(w.lines, Line{Path: w.copied(), Owners: w.those(0, p, (*claim).owns), Below: w.those(1, p, (*claim).below), Merges: Merges(p.t)})
}

// copied returns a copy of the current path.
func (w *lineWriter) copied() document.Path {
	if n := len(w.lines); n > 0 && slices.Equal(w.lines[n-1].Path, w.path) {
		return w.lines[n-1].Path
	}
	if cap(w.paths)-len(w.paths) < len(w.path) {
		w.paths = make(document.Path, 0, max(512, len(w.path)))
	}
	n := len(w.paths)
	w.paths = append(w.paths, w.path...)
	return w.paths[n:len(w.paths):len(w.paths)]
}

// those returns the indices of the claims that satisfy holds. It reuses the list of the
// previous line if that is equal, which is common.
func (w *lineWriter) those(which int, p *place, holds func(*claim) bool) []int {
	last, n, same := w.last[which], 0, true
	for i := range p.claims {
		if holds(&p.claims[i]) {
			same = same && n < len(last) && last[n] == i
			n++
		}
	}
	if same && n == len(last) {
		return last
	}
	var list []int
	for i := range p.claims {
		if holds(&p.claims[i]) {
			list = append(list, i)
		}
	}
	w.last[which] = list
	return list
}

// keyText returns a key in YAML.
func keyText(key string) string {
	if text, ok := document.NewString(key).YAMLScalar(); ok {
		return text
	}
	line := yamlOf(document.NewObject().With(key, document.NewNull()))[0]
	return strings.TrimSuffix(line, ": null")
}

func yamlOf(v document.Value) []string {
	return strings.Split(string(bytes.TrimSuffix(v.YAML(), []byte("\n"))), "\n")
}

// Merges describes how fields of a type are merged, such as "keyed list (name): each item
// has its own owners".
func Merges(t *schema.Type) string {
	switch {
	case t == nil:
		return "no schema"
	case t.Scalar == schema.IntOrStringScalar:
		return "single value"
	case t.List != nil && t.Map != nil:
		return "any value (no schema)"
	case t.List != nil:
		switch t.List.Kind {
		case schema.SetList:
			return "set: each item has its own owners"
		case schema.KeyedList:
			names := make([]string, len(t.List.Keys))
			for i, k := range t.List.Keys {
				names[i] = k.Name
			}
			return "keyed list (" + strings.Join(names, ", ") + "): each item has its own owners"
		}
		return "atomic list: replaced as a whole"
	case t.Map != nil && t.Map.Atomic:
		return "atomic object: replaced as a whole"
	case t.Map != nil:
		return "object: each member has its own owners"
	}
	return "single value"
}
