package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Indexer converts the paths of field sets to paths with list indices. It reads each list once, so
// that converting the path of every field of a long list takes linear time.
type Indexer struct {
	t      *schema.Type // nil for an unknown type
	object document.Value
	lists  map[document.Identity]indexedList
}

// indexedList has the indices of the items of a list by their path elements.
type indexedList struct {
	first map[document.Step]int
	// repeated are all indices of path elements that several items have.
	repeated map[document.Step][]int
}

// NewIndexer returns an Indexer for the paths in an object of type t.
func NewIndexer(t *schema.Type, object document.Value) *Indexer {
	return &Indexer{t: t, object: object, lists: map[document.Identity]indexedList{}}
}

// Indexed returns the path with list indices in place of keys and values, as far as the object has
// the items. If several items have the same key, the first is used.
func (x *Indexer) Indexed(field document.Path) document.Path {
	t, v := x.t, x.object
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
			found = v.Kind() == document.List && at < v.Len()
		} else {
			at, found = x.item(t, v, s)
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

// item returns the index of a list item.
func (x *Indexer) item(t *schema.Type, list document.Value, s document.Step) (int, bool) {
	if t == nil || t.List == nil || list.Kind() != document.List {
		return 0, false
	}
	i, ok := x.list(t.List, list).first[s]
	return i, ok
}

// Repeated returns the path of the list of an item and the indices of all items with its path element, nil if there
// are no others.
func (x *Indexer) Repeated(item document.Path) (list document.Path, indices []int) {
	last := len(item) - 1
	list = x.Indexed(item[:last])
	t, v := x.t.At(list), x.object.Follow(list)
	if t == nil || t.List == nil || v.Kind() != document.List {
		return list, nil
	}
	return list, x.list(t.List, v).repeated[item[last]]
}

// list indexes a list, once.
func (x *Indexer) list(t *schema.ListType, list document.Value) indexedList {
	id := list.Identity()
	if known, ok := x.lists[id]; ok {
		return known
	}
	l := indexedList{first: make(map[document.Step]int, list.Len()), repeated: map[document.Step][]int{}}
	for i, item := range list.Items() {
		element, ok := ItemElement(t, item)
		if !ok {
			continue
		}
		step := fieldset.Step(element)
		first, twice := l.first[step]
		switch {
		case !twice:
			l.first[step] = i
		case l.repeated[step] == nil:
			l.repeated[step] = []int{first, i}
		default:
			l.repeated[step] = append(l.repeated[step], i)
		}
	}
	x.lists[id] = l
	return l
}
