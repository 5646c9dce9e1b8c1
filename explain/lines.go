package explain

import (
	"bytes"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// Line is one line of an object's YAML.
type Line struct {
	// Text of the line, without its end.
	Text string
	// Path of the field that the line belongs to. The lines of an atomic list or
	// object below its first have the path of the whole.
	Path fieldmanager.Path
	// Owners are the positions, in the object's managers, of those who own the
	// field; Below of those who own only something below it.
	Owners, Below []int
	// Merges says how the field merges, such as "keyed list (name)".
	Merges string
}

// Lines prints an object as document.Value.YAML does, without managedFields, and
// says of each line who owns it.
func Lines(t *schema.Type, o fieldmanager.Object) []Line {
	var w lineWriter
	w.container(root(t, o), "", "")
	return w.lines
}

type lineWriter struct{ lines []Line }

// container writes the members or items of a place. first stands before the
// first line and rest before all others.
func (w *lineWriter) container(p place, first, rest string) {
	indent := first
	for i := range p.v.Len() {
		if p.v.Kind() == document.Object {
			w.member(p.v.Key(i), p.member(i), indent, rest)
		} else {
			w.item(p.item(i), indent, rest)
		}
		indent = rest
	}
	if p.v.Len() == 0 {
		w.value(p, "", false, first, rest)
	}
}

func (w *lineWriter) member(key string, p place, first, rest string) {
	if p.v.Len() == 0 {
		w.value(p, key, true, first, rest)
		return
	}
	w.add(p, first+keyText(key)+":")
	below := rest
	if p.v.Kind() == document.Object {
		below += "  "
	}
	w.container(p, below, below)
}

func (w *lineWriter) item(p place, first, rest string) {
	w.container(p, first+"- ", rest+"  ")
}

// value writes a value without members: a scalar, an empty list or object.
// keyed says that it is an object's member.
func (w *lineWriter) value(p place, key string, keyed bool, first, rest string) {
	if text, ok := p.v.YAMLScalar(); ok {
		if keyed {
			text = keyText(key) + ": " + text
		}
		w.add(p, first+text)
		return
	}
	v := p.v
	if keyed {
		v = document.NewObject().With(key, v)
	}
	for i, line := range yamlOf(v) {
		if i == 0 {
			w.add(p, first+line)
		} else if line == "" {
			w.add(p, "")
		} else {
			w.add(p, rest+line)
		}
	}
}

func (w *lineWriter) add(p place, text string) {
	w.lines = append(w.lines, Line{Text: text, Path: p.path, Owners: p.owners(), Below: p.below(), Merges: Merges(p.t)})
}

// keyText is a key as YAML writes it.
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

// Merges says in words how a field of that type merges.
func Merges(t *schema.Type) string {
	switch {
	case t == nil:
		return "no schema"
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
