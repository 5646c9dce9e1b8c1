// Package manifest loads Kubernetes objects from the places where people keep
// them: files, folders, globs, standard input and file systems, in YAML or JSON,
// with several documents to a file and Lists of any kind in them.
//
// The command, the API server, the tests' server and scenarios load their
// objects and CustomResourceDefinitions through this package, so that a file
// that one of them takes is taken by all.
package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// An Object is one object of an input: a document, or an item of a List in one.
type Object struct {
	Value document.Value
	// Document holds the object; it knows lines and columns.
	Document *document.Document
	// At leads from the document's root to the object; empty unless the object
	// is an item of a List.
	At document.Path
}

// Position returns where the object begins.
func (o Object) Position() document.Position { return o.PositionOf(nil) }

// PositionOf returns where a field of the object is written, or the nearest
// field around it that is written at all.
func (o Object) PositionOf(p document.Path) document.Position {
	if len(o.At) > 0 {
		p = slices.Concat(o.At, p)
	}
	return o.Document.PositionOf(p)
}

// Kind returns the object's kind, "" where it has none.
func (o Object) Kind() string { return o.Value.Get("kind").StringOr("") }

// Typed reports whether the object has both apiVersion and kind.
func (o Object) Typed() bool {
	return o.Value.Get("apiVersion").Exists() && o.Value.Get("kind").Exists()
}

// crdKind is the kind of a CustomResourceDefinition.
const crdKind = "CustomResourceDefinition"

// IsCRD reports whether the object is a CustomResourceDefinition.
func (o Object) IsCRD() bool { return o.Kind() == crdKind }

// Split returns the objects of documents in their order; a List contributes its
// items. What is not an object, such as a JSON patch, is returned as it is.
func Split(docs ...*document.Document) []Object {
	var objects []Object
	for _, d := range docs {
		objects = split(objects, Object{Value: d.Root, Document: d})
	}
	return objects
}

func split(objects []Object, o Object) []Object {
	items, ok := list(o.Value)
	if !ok {
		return append(objects, o)
	}
	for i, item := range items.Items() {
		objects = split(objects, Object{Value: withType(o.Value, item), Document: o.Document, At: o.At.Child("items").Item(i)})
	}
	return objects
}

// list returns the items of a List: an object whose kind ends in "List" and that
// has items but no name, as the objects of the API have one and lists do not.
func list(v document.Value) (items document.Value, ok bool) {
	items = v.Get("items")
	if items.Kind() != document.List || !strings.HasSuffix(v.Get("kind").StringOr(""), "List") {
		return items, false
	}
	return items, !v.Lookup("metadata", "name").Exists()
}

// withType gives an item its apiVersion and kind where it leaves them to its
// list, as the API server does in the lists of built-in kinds.
func withType(list, item document.Value) document.Value {
	kind := strings.TrimSuffix(list.Get("kind").StringOr(""), "List")
	if item.Kind() != document.Object || kind == "" || item.Get("kind").Exists() {
		return item
	}
	return item.With("kind", document.NewString(kind)).With("apiVersion", list.Get("apiVersion"))
}

// SortForCreation moves CustomResourceDefinitions before the objects that may
// need them, and Namespaces next; otherwise the order stays.
func SortForCreation(objects []Object) {
	rank := func(o Object) int {
		switch o.Kind() {
		case crdKind:
			return 0
		case "Namespace":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(objects, func(a, b Object) int { return rank(a) - rank(b) })
}

// Locate returns where a change says something of a field. For a JSON patch that
// is the first operation on the field or on what the field is in, unless the path
// leads through the operations themselves.
func (o Object) Locate(field document.Path) document.Position {
	if o.Value.Kind() != document.List || len(field) == 0 {
		return o.PositionOf(field)
	}
	if _, ok := field[0].Index(); ok {
		return o.PositionOf(field)
	}
	pointer := pointerTo(field)
	for i, op := range o.Value.Items() {
		if path := op.Get("path").StringOr(""); path != "" && (pointer == path || strings.HasPrefix(pointer, path+"/")) {
			return o.PositionOf(document.Path{}.Item(i))
		}
	}
	return o.Position()
}

// pointerTo returns a path as a JSON pointer (RFC 6901).
func pointerTo(p document.Path) string {
	var b strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, step := range p {
		if i, ok := step.Index(); ok {
			b.WriteString("/" + strconv.Itoa(i))
			continue
		}
		name, _ := step.Name()
		b.WriteString("/" + escape.Replace(name))
	}
	return b.String()
}
