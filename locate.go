package patchlab

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// locator finds the positions of fields in a document. It indexes each list once, so that
// locating every field of a long list takes linear time.
type locator struct {
	object manifest.Object
	t      *schema.Type
	lists  map[document.Identity]map[string]int
}

func newLocator(o manifest.Object, t *schema.Type) *locator {
	return &locator{object: o, t: t, lists: map[document.Identity]map[string]int{}}
}

// locate returns the position of a field, or of its nearest parent that has one.
func (l *locator) locate(field document.Path) document.Position {
	return l.object.Locate(l.indexed(field))
}

// indexed returns the path with list indices in place of keys, as far as the document has
// the items.
func (l *locator) indexed(field document.Path) document.Path {
	t, v := l.t, l.object.Value
	out := make(document.Path, 0, len(field))
	for i, s := range field {
		if name, ok := s.Name(); ok {
			v = v.Get(name)
			if t != nil {
				t = t.Map.Member(name)
			}
			out = append(out, s)
			continue
		}
		at, found := s.Index()
		if found {
			found = v.Kind() == document.List && at < v.Len() // the document lacks this item of the object
		} else {
			at, found = l.item(t, v, s)
		}
		if !found {
			return append(out, field[i:]...)
		}
		v = v.At(at)
		if t != nil && t.List != nil {
			t = t.List.Elem
		}
		out = append(out, document.IndexStep(at))
	}
	return out
}

// item returns the index of a list item. If several items have the same key, the first is
// used.
func (l *locator) item(t *schema.Type, list document.Value, s document.Step) (int, bool) {
	if t == nil || t.List == nil || list.Kind() != document.List {
		return 0, false
	}
	id := list.Identity()
	items, known := l.lists[id]
	if !known {
		items = make(map[string]int, list.Len())
		for i, item := range list.Items() {
			if element, ok := structured.ItemElement(t.List, item); ok {
				if _, twice := items[element]; !twice {
					items[element] = i
				}
			}
		}
		l.lists[id] = items
	}
	i, ok := items[s.Element()]
	return i, ok
}
