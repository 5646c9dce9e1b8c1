package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// A field is a value of the object under validation together with its path. Fields
// are small and are passed by value. The steps of their paths are kept in the check,
// which reuses the memory: walking an object that has no errors allocates nothing,
// and a path is only written for an error.
type field struct {
	document.Value
	check *check
	at    int32 // the last step, an index of check.steps
}

// A step leads from one field to the next.
type step struct {
	above int32 // the step before, 0 for the object
	// index is the index of an item. For a shownStep it is the position in check.shown
	// of the text that messages write instead of name.
	index int32
	// name is the names of fields with dots between them, the key of a map, or for a
	// movedStep the index that messages show.
	name string
	kind stepKind
}

type stepKind uint8

const (
	rootStep    stepKind = iota
	fieldStep            // .name
	keyStep              // [name]
	itemStep             // [index]
	shownStep            // .shown for the value at name
	hiddenStep           // an item whose index messages leave out
	movedStep            // an item that messages show at another index
	unnamedStep          // a part that messages do not show at all
)

func (f field) below(s step, v document.Value) field {
	s.above = f.at
	f.check.steps = append(f.check.steps, s)
	return field{v, f.check, int32(len(f.check.steps) - 1)}
}

// unchanged reports whether f is a part of the object that is known to be valid, so
// that rules which depend on nothing outside f need not be checked again.
func (f field) unchanged() bool {
	return f.check.valid.Exists() && document.SameNode(f.Value, f.in(f.check.valid))
}

// in returns the part of another object that the fields on the way to f lead to.
func (f field) in(object document.Value) document.Value {
	s := &f.check.steps[f.at]
	switch s.kind {
	case rootStep:
		return object
	case fieldStep:
		return lookup(field{check: f.check, at: s.above}.in(object), s.name)
	}
	return document.Value{}
}

// get returns the part that the names of fields lead to, with dots between them:
// get("resources.limits"). It is absent where the object has none, and can be the
// subject of an error all the same.
func (f field) get(fields string) field {
	return f.below(step{name: fields, kind: fieldStep}, lookup(f.Value, fields))
}

// getAs is get for a part that kube-apiserver's messages call by another name, such
// as the labels of a pod template ("labels" for "metadata.labels"). With shown ""
// messages name f itself, and with fields "" the path leads to f itself.
func (f field) getAs(fields, shown string) field {
	s := step{name: fields, kind: unnamedStep}
	if shown != "" {
		s.kind, s.index = shownStep, int32(len(f.check.shown))
		f.check.shown = append(f.check.shown, shown)
	}
	return f.below(s, lookup(f.Value, fields))
}

// key returns a member of a map, which messages write in brackets: limits[cpu].
func (f field) key(key string) field {
	return f.below(step{name: key, kind: keyStep}, f.Value.Get(key))
}

// memberAt returns the i-th member of a map as key does, and its key.
func (f field) memberAt(i int) (member field, key string) {
	key = f.Value.Key(i)
	return f.below(step{name: key, kind: keyStep}, f.Value.At(i)), key
}

// members returns how many members an object or map has, 0 for anything else.
func (f field) members() int {
	if f.Value.Kind() != document.Object {
		return 0
	}
	return f.Value.Len()
}

// items returns how many items a list has, 0 for anything else.
func (f field) items() int {
	if f.Value.Kind() != document.List {
		return 0
	}
	return f.Value.Len()
}

// item returns the i-th item of a list, absent where there is none.
func (f field) item(i int) field { return f.itemBy(i, itemStep) }

// hiddenItem is item where messages leave the index out.
func (f field) hiddenItem(i int) field { return f.itemBy(i, hiddenStep) }

// itemAt is item where messages show another index.
func (f field) itemAt(i, shown int) field {
	if i == shown {
		return f.item(i)
	}
	item := f.itemBy(i, movedStep)
	f.check.steps[item.at].name = strconv.Itoa(shown)
	return item
}

func (f field) itemBy(i int, kind stepKind) field {
	var v document.Value
	if i < f.items() {
		v = f.Value.At(i)
	}
	return f.below(step{index: int32(i), kind: kind}, v)
}

// lastName returns the name of the last step.
func (f field) lastName() string { return f.check.steps[f.at].name }

// isSet reports whether the field has a value other than null.
func (f field) isSet() bool { return f.Value.Exists() && !f.Value.IsNull() }

// isEmpty reports whether the field is missing, null, "", an empty list or an empty
// object. The number 0 and false are not empty.
func (f field) isEmpty() bool {
	switch f.Value.Kind() {
	case document.Absent, document.Null:
		return true
	case document.String:
		s, _ := f.Value.Text()
		return s == ""
	case document.List, document.Object:
		return f.Value.Len() == 0
	}
	return false
}

// text returns a string's text, "" for anything else.
func (f field) text() string { return f.Value.StringOr("") }

// number returns an integer, 0 for anything else.
func (f field) number() int64 {
	i, _ := f.Value.Int()
	return i
}

// isTrue reports whether the field is the boolean true.
func (f field) isTrue() bool {
	b, _ := f.Value.Bool()
	return b
}

// lookup follows names of fields with dots between them.
func lookup(v document.Value, fields string) document.Value {
	for fields != "" {
		if v.Kind() != document.Object {
			return document.Value{}
		}
		if member := v.Get(fields); member.Exists() {
			return member
		}
		i := strings.IndexByte(fields, '.')
		if i < 0 {
			return document.Value{}
		}
		v, fields = v.Get(fields[:i]), fields[i+1:]
	}
	return v
}

// path returns the path from the object to the field.
func (f field) path() document.Path { return f.check.path(f.at) }

func (c *check) path(at int32) document.Path {
	s := &c.steps[at]
	if s.kind == rootStep {
		return nil
	}
	p := c.path(s.above)
	switch s.kind {
	case fieldStep, shownStep, unnamedStep:
		if s.name == "" {
			return p
		}
		for name := range strings.SplitSeq(s.name, ".") {
			p = p.Child(name)
		}
	case keyStep:
		p = p.Child(s.name)
	case itemStep, hiddenStep, movedStep:
		p = p.Item(int(s.index))
	}
	return p
}

// pathText returns the path as kube-apiserver's messages write it.
func (f field) pathText() string {
	if text := f.check.appendPath(nil, f.at); len(text) > 0 {
		return string(text)
	}
	return "<nil>"
}

func (c *check) appendPath(dst []byte, at int32) []byte {
	s := &c.steps[at]
	if s.kind == rootStep {
		return dst
	}
	dst = c.appendPath(dst, s.above)
	switch s.kind {
	case fieldStep:
		dst = append(appendDot(dst), s.name...)
	case shownStep:
		dst = append(appendDot(dst), c.shown[s.index]...)
	case keyStep:
		dst = append(append(append(dst, '['), s.name...), ']')
	case movedStep:
		dst = append(append(append(dst, '['), s.name...), ']')
	case itemStep:
		dst = append(strconv.AppendInt(append(dst, '['), int64(s.index), 10), ']')
	}
	return dst
}

func appendDot(dst []byte) []byte {
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	return dst
}
