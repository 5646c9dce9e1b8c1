package defaults

import (
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// ErrType says that a value cannot be held by its field's Go type.
var ErrType = errors.New("wrong type")

// DecodeError says what could not be decoded. The API server answers 400
// where it reads a body, and 422 or 500 where it reads the result of a patch.
type DecodeError struct {
	Path   document.Path
	Reason string
	Err    error // ErrType
}

func (e *DecodeError) Error() string { return e.Path.String() + ": " + e.Reason }

func (e *DecodeError) Unwrap() error { return e.Err }

// Source says what the API server decodes an object from.
type Source uint8

const (
	// FromJSON is a body, or the result of a JSON or merge patch: text that is
	// decoded strictly, where 2.0 is no integer.
	FromJSON Source = iota
	// FromTree is the result of a strategic merge patch or of an apply: an
	// unstructured object that is converted, where 2.0 is the integer 2 and
	// unknown fields are listed by name.
	FromTree

	// InMemory, added to one of the others, leaves out that the object is stored
	// and read again: a list or map that is always written is still empty then,
	// and not null. It is what field management sees. Within lists that it
	// compares as a whole, by what Go holds in memory, quantities keep their
	// spelling and empty lists and maps stay where they were given: there they
	// differ from what has been stored.
	InMemory Source = 1 << 7
)

// Problem is something in an object that its kind does not know, which
// fieldValidation makes an error, a warning or nothing.
type Problem struct {
	// Path of the field.
	Path document.Path
	// Message is the API server's, such as: unknown field "spec.foo"
	Message string
	// Value is what the field holds, for its position.
	Value document.Value
}

// Decode returns what remains of v once it has been decoded into the Go type of
// its kind, converted to the API server's own version, stored and read again:
//
//  1. fields that the kind does not know are gone, and reported;
//  2. null is the same as missing; within a list or a map it is the zero value;
//  3. empty values are gone where the Go field is left out when it is empty, and
//     are there where it is not (status: {});
//  4. quantities, times and base64 are in canonical form;
//  5. what stands under two names stands under both (serviceAccount), and what
//     is only for writing is where it belongs (stringData).
//
// Problems are the unknown fields; from text they come in the order of their
// paths, which their Values' positions can bring into that of the text. An
// error is a *DecodeError. The same value comes back where nothing changes, and
// for objects of kinds that are not built in.
func Decode(k *schema.Kind, v document.Value, from Source) (document.Value, []Problem, error) {
	d, err := DecodeUpdate(k, v, document.Value{}, from)
	return d.Value, d.Problems, err
}

// Decoded is the result of decoding an object.
type Decoded struct {
	// Value is what remains of the object.
	Value    document.Value
	Problems []Problem
	// Stored reports that storing Value and reading it again changes nothing: it was
	// decoded without InMemory, or in a way that InMemory made no difference.
	Stored bool
}

// DecodeUpdate is Decode for a value that was made from live, an object of the kind
// that decoding does not change. Parts that both share are not looked into.
func DecodeUpdate(k *schema.Kind, v, live document.Value, from Source) (Decoded, error) {
	t := k.Type()
	if !k.Builtin || t.Map == nil {
		return Decoded{Value: v}, nil
	}
	memory := from&InMemory != 0
	d := decoder{from: from &^ InMemory, text: storedAsText(k.Group), memory: memory}
	from = d.from
	out := d.value(t, v, live)
	if d.err != nil {
		return Decoded{Value: v}, d.err
	}
	if from == FromTree {
		slices.SortStableFunc(d.problems, func(a, b Problem) int { return strings.Compare(a.Message, b.Message) })
	}
	return Decoded{Value: out, Problems: d.problems, Stored: !d.differs}, nil
}

// storedAsText reports whether the API server keeps a group's objects as JSON.
// All others it keeps as protobuf, where an empty list is no list.
func storedAsText(group string) bool {
	return group == "apiextensions.k8s.io" || group == "apiregistration.k8s.io"
}

type decoder struct {
	from     Source
	text     bool // stored as JSON, see storedAsText
	memory   bool // InMemory
	differs  bool // something was decoded otherwise because of memory
	atomic   int  // atomic objects around
	whole    int  // lists around that are compared as a whole
	path     document.Path
	keys     []int // positions in path of keys of maps
	problems []Problem
	err      error // the first
}

func (d *decoder) fail(reason string) {
	if d.err == nil {
		d.err = &DecodeError{Path: slices.Clone(d.path), Reason: reason, Err: ErrType}
	}
}

func (d *decoder) push(key string) { d.path = append(d.path, document.FieldStep(key)) }
func (d *decoder) pop()            { d.path = d.path[:len(d.path)-1] }

// value decodes a value. Null is the zero value of t: fields, which may be
// missing, are settled by object.
func (d *decoder) value(t *schema.Type, v, live document.Value) document.Value {
	if remake.Shared(v, live) {
		return v
	}
	switch classOf(t) {
	case opaque:
		return v
	case structure:
		return d.object(t, v, live)
	case dictionary:
		return d.dictionary(t, v, live)
	case list:
		return d.list(t, v, live)
	}
	if v.IsNull() {
		if z := zero(t); !z.IsNull() {
			return z
		}
		return v
	}
	return d.scalar(t, v)
}

// object decodes a Go struct: members and fields, both sorted by name, side by side.
func (d *decoder) object(t *schema.Type, v, live document.Value) document.Value {
	if v.IsNull() {
		return zero(t)
	}
	if v.Kind() != document.Object {
		d.fail("expected an object, found " + describe(v))
		return v
	}
	if t.Map.Atomic {
		d.atomic++
		defer func() { d.atomic-- }()
	}
	fields, out, before := t.Map.Fields, rebuild{old: v}, remake.EarlierOf(live)
	j := 0
	for i := range v.Len() {
		key := v.Key(i)
		order := 1
		for ; j < len(fields); j++ {
			if order = strings.Compare(fields[j].Name, key); order >= 0 {
				break
			}
			out.insert(fields[j].Name, d.missing(&fields[j]))
		}
		if j == len(fields) || order > 0 {
			d.unknown(key, v.At(i))
			out.drop()
			continue
		}
		out.set(key, d.field(&fields[j], v.At(i), before.Member(key)))
		j++
	}
	for ; j < len(fields); j++ {
		out.insert(fields[j].Name, d.missing(&fields[j]))
	}
	return d.convert(t.Name, v, out.value())
}

// field decodes a field's value; absent where it is not written.
func (d *decoder) field(f *schema.Field, v, live document.Value) document.Value {
	if v.IsNull() {
		if w := d.missing(f); !w.IsNull() {
			return w
		}
		return v
	}
	d.push(f.Name)
	w := d.value(f.Type, v, live)
	d.pop()
	if f.Go&schema.GoPointer != 0 {
		return w
	}
	if f.Go&(schema.GoOmitEmpty|schema.GoOmitZero) != 0 {
		if d.memory && d.whole > 0 && w.Len() == 0 && (w.Kind() == document.List || w.Kind() == document.Object) {
			d.differs = true
			return w
		}
		if f.Go&schema.GoOmitEmpty != 0 && empty(w) && emptiable(f.Type) || f.Go&schema.GoOmitZero != 0 && w.IsNull() {
			return document.Value{}
		}
		return w
	}
	if !d.text && w.Len() == 0 && (w.Kind() == document.List || classOf(f.Type) == dictionary) && !d.keepInMemory() {
		return document.NewNull()
	}
	return w
}

// keepInMemory reports whether a value that storing changes is kept, because only the
// object in memory is decoded.
func (d *decoder) keepInMemory() bool {
	d.differs = d.differs || d.memory
	return d.memory
}

// missing returns how a field without a value is written. In memory, Go's zero
// Quantity differs from a stored "0"; the difference is visible only when lists are
// compared as a whole.
func (d *decoder) missing(f *schema.Field) document.Value {
	if d.memory && d.whole > 0 && classOf(f.Type) == amount {
		d.differs = true
		return document.Value{}
	}
	return missing(f)
}

// missing returns how a field without a value is written: absent where it is not.
func missing(f *schema.Field) document.Value {
	omit := f.Go&schema.GoOmitEmpty != 0 && (f.Go&schema.GoPointer != 0 || emptiable(f.Type)) || f.Go&schema.GoOmitZero != 0
	switch {
	case omit:
		return document.Value{}
	case f.Go&schema.GoPointer != 0:
		return document.NewNull()
	}
	return zero(f.Type)
}

func (d *decoder) unknown(key string, v document.Value) {
	p := append(slices.Clone(d.path), document.FieldStep(key))
	d.problems = append(d.problems, Problem{Path: p, Message: `unknown field "` + d.dotted(p) + `"`, Value: v})
}

// dotted writes a path as the API server's decoders do: spec.containers[0].image.
// The one for trees leaves out the keys of maps.
func (d *decoder) dotted(p document.Path) string {
	var b strings.Builder
	for i, s := range p {
		switch name, ok := s.Name(); {
		case d.from == FromTree && slices.Contains(d.keys, i):
		case !ok:
			b.WriteString(s.String())
		case i == 0:
			b.WriteString(name)
		default:
			b.WriteString("." + name)
		}
	}
	return b.String()
}

func (d *decoder) dictionary(t *schema.Type, v, live document.Value) document.Value {
	if v.IsNull() {
		return v
	}
	if v.Kind() != document.Object {
		d.fail("expected an object, found " + describe(v))
		return v
	}
	out, before := rebuild{old: v}, remake.EarlierOf(live)
	d.keys = append(d.keys, len(d.path))
	defer func() { d.keys = d.keys[:len(d.keys)-1] }()
	for i := range v.Len() {
		key := v.Key(i)
		d.push(key)
		w := d.value(t.Map.Elem, v.At(i), before.Member(key))
		d.pop()
		if w.IsNull() && !d.text && !d.keepInMemory() {
			switch classOf(t.Map.Elem) { // protobuf knows no nil within a map
			case bytes:
				w = document.NewString("")
			case list:
				w = document.NewList()
			}
		}
		out.set(key, w)
	}
	return out.value()
}

func (d *decoder) list(t *schema.Type, v, live document.Value) document.Value {
	if v.IsNull() {
		return v
	}
	if v.Kind() != document.List {
		d.fail("expected a list, found " + describe(v))
		return v
	}
	if d.atomic > 0 || t.List.Kind == schema.AtomicList {
		d.whole++
		defer func() { d.whole-- }()
	}
	d.path = append(d.path, document.Step{})
	list, before := v, remake.EarlierOf(live)
	v = remake.Items(v, func(i int, item document.Value) document.Value {
		d.path[len(d.path)-1] = document.IndexStep(i)
		return d.value(t.List.Elem, item, before.Item(list, i))
	})
	d.pop()
	return v
}

// rebuild makes an object anew member by member, in order, and only from the
// first member on that differs from the old one's.
type rebuild struct {
	old     document.Value
	done    int // members of old settled
	changed bool
	b       document.ObjectBuilder
}

func (r *rebuild) change() {
	if r.changed {
		return
	}
	r.changed = true
	r.b.Grow(r.old.Len() + 2)
	for i := range r.done {
		r.b.Keep(r.old, i)
	}
}

// set settles the next old member: it becomes v, or goes where v is absent.
func (r *rebuild) set(key string, v document.Value) {
	if !document.SameNode(v, r.old.At(r.done)) {
		r.change()
		r.b.Set(key, v)
	} else if r.changed {
		r.b.Keep(r.old, r.done)
	}
	r.done++
}

func (r *rebuild) drop() {
	r.change()
	r.done++
}

// insert adds a member that the old object has not, before the next old one.
func (r *rebuild) insert(key string, v document.Value) {
	if v.Exists() {
		r.change()
		r.b.Set(key, v)
	}
}

func (r *rebuild) value() document.Value {
	if !r.changed {
		return r.old
	}
	return r.b.Object()
}
