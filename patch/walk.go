package patch

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// walk is the state of one traversal of object and patch: the current path, and the
// decisions if there is an observer.
type walk struct {
	path      document.Path
	observer  Observer
	decisions []Decision
}

func (w *walk) key(k string) { w.path = append(w.path, document.FieldStep(k)) }
func (w *walk) item(i int)   { w.path = append(w.path, document.IndexStep(i)) }
func (w *walk) up()          { w.path = w.path[:len(w.path)-1] }

// here returns a copy of the current path, for an error.
func (w *walk) here() document.Path { return slices.Clone(w.path) }

// note records a decision about member key at the current path.
func (w *walk) note(key string, r Rule, what Outcome, old, now document.Value) {
	if w.observer == nil {
		return
	}
	p := append(w.here(), document.FieldStep(key))
	w.decisions = append(w.decisions, Decision{Path: p, Rule: r, Outcome: what, Old: old, New: now})
}

// noteItem records a decision about item i of the list at the current path.
func (w *walk) noteItem(i int, r Rule, what Outcome, old, now document.Value) {
	if w.observer == nil {
		return
	}
	p := append(w.here(), document.IndexStep(i))
	w.decisions = append(w.decisions, Decision{Path: p, Rule: r, Outcome: what, Old: old, New: now})
}

// report passes the decisions to the observer. It is called when the patch has succeeded.
func (w *walk) report() {
	for _, d := range w.decisions {
		w.observer(d)
	}
}

// A cursor looks up members of an object for ascending keys.
type cursor struct {
	object document.Value
	i      int
}

func (c *cursor) find(key string) document.Value {
	n := c.object.Len()
	for step := 0; c.i < n && step < 4; step++ {
		if k := c.object.Key(c.i); k == key {
			c.i++
			return c.object.At(c.i - 1)
		} else if k > key {
			return document.Value{}
		}
		c.i++
	}
	i, found := c.object.Find(key)
	c.i = i
	if !found {
		return document.Value{}
	}
	c.i++
	return c.object.At(i)
}
