package cluster

import (
	"fmt"
	"runtime"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// mostCompactBytes is the size up to which a new object is held as text only. Parsing a larger
// one again would delay the next write to it by more than 0.1 ms.
const mostCompactBytes = 16 << 10

// holdsText reports whether records hold text. A page has few objects and reads all of them as
// trees, and its engine is smaller without the code that parses the text again.
const holdsText = runtime.GOOS != "js"

// compact makes a record that has just been created hold its object as text only. Many objects
// are created and then read as JSON or not at all; the text takes a third of the tree's memory
// and costs nothing in garbage collections. The next write parses the text into a tree again,
// which is then kept.
//
// Reading the object as k must leave it unchanged, so that the text is also what is served.
func (r *Record) compact(k *schema.Kind) {
	if !holdsText || r.complete.Load() != k || r.original.Exists() || r.Size() > mostCompactBytes {
		return
	}
	r.dropTree()
}

// dropTree makes the record hold its object as text only.
func (r *Record) dropTree() {
	o := r.tree()
	r.text.Store(textOf(o.Value, o.Managed.Value()))
	r.object.Store(nil)
}

// tree returns the object, and keeps it as a tree.
func (r *Record) tree() fieldmanager.Object {
	if o := r.object.Load(); o != nil || !holdsText {
		return *o
	}
	o := r.parsed()
	r.object.Store(&o)
	return o
}

// parsed returns the object without keeping it as a tree, for readers that keep the object or
// something derived from it themselves.
func (r *Record) parsed() fieldmanager.Object {
	if o := r.object.Load(); o != nil || !holdsText {
		return *o
	}
	o, err := decodeObject([]byte(r.text.Load().json))
	if err != nil {
		panic(fmt.Sprintf("the text of a stored object cannot be parsed: %v", err)) // it was encoded from a tree
	}
	return o
}

// labels returns the object's labels.
func (r *Record) labels() document.Value {
	if o := r.object.Load(); o != nil || !holdsText {
		return o.Value.Get("metadata").Get("labels")
	}
	t := r.text.Load()
	if t.labelsBegin == t.labelsEnd {
		return document.Value{}
	}
	doc, err := document.Parse([]byte(t.json[t.labelsBegin:t.labelsEnd]), document.Options{MaxBytes: -1})
	if err != nil {
		panic(fmt.Sprintf("the labels of a stored object cannot be parsed: %v", err)) // they were encoded from a tree
	}
	return doc.Root
}
