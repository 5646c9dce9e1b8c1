package generate

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

func pointerToken(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// longest returns the list in v with the most items, and its pointer.
func longest(at string, v document.Value) (string, document.Value) {
	var where string
	var list document.Value
	if v.Kind() == document.List {
		where, list = at, v
	}
	for i := range v.Len() {
		key := itoa(i)
		if v.Kind() == document.Object {
			key = pointerToken(v.Key(i))
		}
		if w, l := longest(at+"/"+key, v.At(i)); l.Len() > list.Len() {
			where, list = w, l
		}
	}
	return where, list
}

// edits returns a JSON patch with many operations on a list of n items.
func (g *Generator) edits(list string, n int) document.Value {
	var b document.ListBuilder
	front := g.chance(3) // all at the front, where each moves all items
	at := func(n int) string {
		if front && !g.chance(10) {
			return list + "/0"
		}
		return list + "/" + itoa(g.IntN(n))
	}
	count, grows := 1+g.IntN(60), false
	if n > 600 && g.chance(4) {
		count, grows = n, true
	}
	for range count {
		var op document.Value
		switch kind := g.IntN(6); {
		case grows && !g.chance(10), kind == 0, n < 2:
			op = operation("add", at(n+1)).With("value", g.anything())
			n++
		case kind == 1 || kind == 2:
			op = operation("remove", at(n))
			n--
		case kind == 3:
			op = operation("replace", at(n)).With("value", g.anything())
		case kind == 4:
			op = operation("move", at(n)).With("from", document.NewString(at(n)))
		case g.chance(12):
			op = operation("copy", list+"2").With("from", document.NewString(list))
		case g.odd():
			op = operation("test", at(n)).With("value", g.oddValue())
		default:
			op = operation("copy", at(n+1)).With("from", document.NewString(at(n)))
			n++
		}
		b.Append(op)
	}
	return b.List()
}

func operation(op, path string) document.Value {
	return document.NewObject().With("op", document.NewString(op)).With("path", document.NewString(path))
}
