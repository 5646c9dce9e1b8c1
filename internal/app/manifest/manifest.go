// Package manifest loads Kubernetes objects from files, directories, globs, standard input and
// file systems, in YAML or JSON, with several documents per file and Lists of any kind.
//
// The command, the API server, patchlabtest and scenarios load their objects and
// CustomResourceDefinitions with this package, so that all of them accept the same files.
package manifest

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
)

// An Object is an object in an input: a document, or an item of a List in a document.
type Object struct {
	Value document.Value
	// Document is the document with the object, for positions.
	Document *document.Document
	// At is the path from the document's root to the object; empty unless the object is an
	// item of a List.
	At document.Path
}

// Position returns the position at which the object begins.
func (o Object) Position() document.Position { return o.PositionOf(nil) }

// PositionOf returns the position of a field, or of the nearest enclosing field that is in the
// text.
func (o Object) PositionOf(p document.Path) document.Position {
	if len(o.At) > 0 {
		p = slices.Concat(o.At, p)
	}
	return o.Document.PositionOf(p)
}

// Kind returns the object's kind, "" if it has none.
func (o Object) Kind() string { return o.Value.Get("kind").StringOr("") }

// Typed reports whether the object has both apiVersion and kind.
func (o Object) Typed() bool {
	return o.Value.Get("apiVersion").Exists() && o.Value.Get("kind").Exists()
}

// crdKind is the kind CustomResourceDefinition.
const crdKind = "CustomResourceDefinition"

// IsCRD reports whether the object is a CustomResourceDefinition.
func (o Object) IsCRD() bool { return o.Kind() == crdKind }

// Split returns the objects in documents in order; a List contributes its items. A document
// that is not an object, such as a JSON patch, is returned as it is. Documents without a value are
// left out.
func Split(docs ...*document.Document) []Object {
	var objects []Object
	for _, d := range docs {
		if d == nil || !d.Root.Exists() {
			continue
		}
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

// list returns the items of a List: an object whose kind ends in "List", and which has items
// but no name, as objects have. An empty List may have null in place of the items, as Go programs
// and templates write it.
func list(v document.Value) (items document.Value, ok bool) {
	items = v.Get("items")
	if items.Kind() != document.List && !items.IsNull() || !strings.HasSuffix(v.Get("kind").StringOr(""), "List") {
		return items, false
	}
	return items, !v.Lookup("metadata", "name").Exists()
}

// withType sets apiVersion and kind of an item that has none from its list, because the API
// server omits them in lists of built-in kinds.
func withType(list, item document.Value) document.Value {
	kind := strings.TrimSuffix(list.Get("kind").StringOr(""), "List")
	if item.Kind() != document.Object || kind == "" || item.Get("kind").Exists() {
		return item
	}
	return item.With("kind", document.NewString(kind)).With("apiVersion", list.Get("apiVersion"))
}

// WithNamespace returns a configuration with the namespace that kubectl adds to one of a namespaced
// kind that has none. An empty namespace is that of a cluster-scoped kind, from whose configuration kubectl
// removes one.
func WithNamespace(config document.Value, namespace string) document.Value {
	own := config.Lookup("metadata", "namespace")
	if namespace == "" && (own.Kind() == document.String || own.IsNull()) {
		return config.Remove("metadata", "namespace")
	}
	if namespace == "" || config.Kind() != document.Object || own.Exists() && !own.IsNull() && own.StringOr("-") != "" {
		return config
	}
	return config.Set(document.NewString(namespace), "metadata", "namespace")
}

// SortForCreation moves CustomResourceDefinitions to the front, followed by Namespaces and IPAddresses, and
// otherwise keeps the order.
func SortForCreation(objects []Object) {
	rank := func(o Object) int {
		switch o.Kind() {
		case crdKind:
			return 0
		case "Namespace":
			return 1
		case "IPAddress": // that of a Service would be created with it otherwise
			return 2
		}
		return 3
	}
	sort.SliceStable(objects, func(a, b int) bool { return rank(objects[a]) < rank(objects[b]) })
}

// Locate returns the position of a field in a change. In a JSON patch it is the first
// operation on the field or an enclosing one, unless the path leads through the operations
// themselves.
func (o Object) Locate(field document.Path) document.Position {
	if o.Value.Kind() != document.List || len(field) == 0 {
		return o.PositionOf(field)
	}
	if _, ok := field[0].Index(); ok {
		return o.PositionOf(field)
	}
	pointer := jsonpointer.Of(field)
	for i, op := range o.Value.Items() {
		if path := op.Get("path").StringOr(""); path != "" && (pointer == path || strings.HasPrefix(pointer, path+"/")) {
			return o.PositionOf(document.Path{}.Item(i))
		}
	}
	return o.Position()
}
