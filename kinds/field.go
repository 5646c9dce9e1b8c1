package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// A field is a value in the object under validation, with its path. Fields are small and are
// passed by value. The steps of their paths are stored in the check, which reuses the memory,
// so that validating a valid object does not allocate. A path is formatted only for an error.
type field struct {
	document.Value
	check *check
	at    int32 // the last step, as an index of check.steps
}

// A step is one element of a field's path.
type step struct {
	above int32 // the previous step, 0 for the object
	// index is the index of an item. For a shownStep and a shownKeyStep it is the index in
	// check.shown of the text that messages contain instead of name.
	index int32
	// name is a dotted field path, a map key or, for a movedStep, the index that messages
	// show.
	name string
	kind stepKind
}

type stepKind uint8

const (
	rootStep     stepKind = iota
	fieldStep             // .name
	keyStep               // [name]
	itemStep              // [index]
	shownStep             // .shown instead of .name
	hiddenStep            // an item without its index in messages
	movedStep             // an item with a different index in messages
	unnamedStep           // a part that is not in messages
	shownKeyStep          // [shown] instead of [name]
	memberStep            // .name, in which a dot does not separate fields
)

func (f field) below(s step, v document.Value) field {
	s.above = f.at
	f.check.steps = append(f.check.steps, s)
	return field{v, f.check, int32(len(f.check.steps) - 1)}
}

// unchanged reports whether f is part of the object that is known to be valid, so that rules
// that depend on nothing outside f can be skipped.
func (f field) unchanged() bool {
	return f.check.valid.Exists() && document.SameNode(f.Value, f.in(f.check.valid))
}

// in returns the value at f's path in another object.
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

// get returns the field at a dotted path: get("resources.limits"). It may be absent in the
// object, and can still have errors.
func (f field) get(fields string) field {
	return f.below(step{name: fields, kind: fieldStep}, lookup(f.Value, fields))
}

// getAs is get for a field that has a different path in kube-apiserver's messages, such as the
// labels of a pod template ("labels" for "metadata.labels"). With shown "" messages have the
// path of f itself; with fields "" the value is f itself.
func (f field) getAs(fields, shown string) field {
	s := step{name: fields, kind: unnamedStep}
	if shown != "" {
		s.kind, s.index = shownStep, int32(len(f.check.shown))
		f.check.shown = append(f.check.shown, shown)
	}
	return f.below(s, lookup(f.Value, fields))
}

// key returns a member of a map, whose key messages show in brackets: limits[cpu].
func (f field) key(key string) field {
	return f.below(step{name: key, kind: keyStep}, f.Value.Get(key))
}

// memberAt is the method key for the i-th member of a map. It also returns the member's key.
func (f field) memberAt(i int) (member field, key string) {
	key = f.Value.Key(i)
	return f.below(step{name: key, kind: keyStep}, f.Value.At(i)), key
}

// fieldKey is key for a map whose keys messages show like the names of fields:
// annotations.example.com/a.
func (f field) fieldKey(key string) field {
	return f.below(step{name: key, kind: memberStep}, f.Value.Get(key))
}

// fieldAt is memberAt for a map whose keys messages show like the names of fields:
// capacity.cpu, but capacity[] for an empty key.
func (f field) fieldAt(i int) (member field, key string) {
	member, key = f.memberAt(i)
	if key != "" {
		f.check.steps[member.at].kind = memberStep
	}
	return member, key
}

// memberWithin is memberAt for a map whose keys messages show with at most limit bytes, the
// middle of longer ones being left out.
func (f field) memberWithin(i, limit int) (member field, key string) {
	if key = f.Value.Key(i); len(key) <= limit {
		return f.memberAt(i)
	}
	left := limit - len("...")
	f.check.shown = append(f.check.shown, key[:(left+1)/2]+"..."+key[len(key)-left/2:])
	return f.below(step{name: key, kind: shownKeyStep, index: int32(len(f.check.shown) - 1)}, f.Value.At(i)), key
}

// members returns the number of members of an object or map, 0 for other values.
func (f field) members() int {
	if f.Value.Kind() != document.Object {
		return 0
	}
	return f.Value.Len()
}

// items returns the number of items of a list, 0 for other values.
func (f field) items() int {
	if f.Value.Kind() != document.List {
		return 0
	}
	return f.Value.Len()
}

// item returns the i-th item of a list, absent if there is none.
func (f field) item(i int) field { return f.itemBy(i, itemStep) }

// hiddenItem is item without the index in messages.
func (f field) hiddenItem(i int) field { return f.itemBy(i, hiddenStep) }

// itemAt is item with a different index in messages.
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

// isWritten is isSet for a list or map, which counts as set also if it is empty. Decoding
// drops empty ones, but a Go value of nil differs from them where kube-apiserver compares with
// nil or by reflection.
func (f field) isWritten() bool {
	return f.isSet() || f.wasEmpty()
}

// wasEmpty reports whether the client wrote an empty list or map, which decoding dropped.
func (f field) wasEmpty() bool {
	if f.Value.Exists() || !f.check.written.Exists() {
		return false
	}
	v := f.check.written.Follow(f.path())
	return (v.Kind() == document.List || v.Kind() == document.Object) && v.Len() == 0
}

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

// text returns the value of a string, "" for other values.
func (f field) text() string { return f.Value.StringOr("") }

// number returns the value of an integer, 0 for other values.
func (f field) number() int64 {
	i, _ := f.Value.Int()
	return i
}

// isTrue reports whether the field is the boolean true.
func (f field) isTrue() bool {
	b, _ := f.Value.Bool()
	return b
}

// lookup returns the value at a dotted path.
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

// path returns the path of the field in the object.
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
	case keyStep, shownKeyStep, memberStep:
		p = p.Child(s.name)
	case itemStep, hiddenStep, movedStep:
		p = p.Item(int(s.index))
	}
	return p
}

// pathText returns the path as it is in kube-apiserver's messages.
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
	case fieldStep, memberStep:
		dst = append(appendDot(dst), s.name...)
	case shownStep:
		dst = append(appendDot(dst), c.shown[s.index]...)
	case keyStep:
		dst = append(append(append(dst, '['), s.name...), ']')
	case shownKeyStep:
		dst = append(append(append(dst, '['), c.shown[s.index]...), ']')
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
