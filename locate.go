package patchlab

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// locator finds where the fields of a document are written. It indexes each list that it
// passes once, so that finding all fields of a long list takes linear time.
type locator struct {
	object manifest.Object
	t      *schema.Type
	lists  map[document.Identity]map[string]int
}

func newLocator(o manifest.Object, t *schema.Type) *locator {
	return &locator{object: o, t: t, lists: map[document.Identity]map[string]int{}}
}

// locate returns the position of a field, or of what is nearest around it.
func (l *locator) locate(field document.Path) document.Position {
	return l.object.Locate(l.indexed(field))
}

// indexed returns a path with the positions of items in place of their keys, as far as
// the document has them.
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
			found = v.Kind() == document.List && at < v.Len() // an item of the object that the document lacks
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

// item finds the position of a list's item. Of items with the same key the first counts.
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
