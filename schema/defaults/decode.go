package defaults

import (
	"errors"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// ErrType: a value does not fit its field's Go type.
var ErrType = errors.New("wrong type")

// DecodeError reports a value that cannot be decoded. The API server returns 400 for a
// request body, and 422 or 500 for the result of a patch.
type DecodeError struct {
	Path   document.Path
	Reason string
	// Value is the value at Path, which begins in an object of type Type.
	Value document.Value
	Type  *schema.Type
	// From is the source without its flags.
	From Source
	Err  error // ErrType
}

func (e *DecodeError) Error() string { return e.Path.String() + ": " + e.Reason }

func (e *DecodeError) Unwrap() error { return e.Err }

// Source is the input that the API server decodes an object from.
type Source uint8

const (
	// FromJSON is JSON text that is decoded strictly: a request body, or the result of a
	// JSON or merge patch. 2.0 is not an integer.
	FromJSON Source = iota
	// FromTree is an unstructured object that is converted: the result of a strategic merge
	// patch or of an apply. 2.0 is the integer 2, and unknown fields are reported by name.
	FromTree

	// InMemory is a flag that can be added to the others. It omits the round trip through
	// storage, so that the result is the object as field management sees it: a list or map
	// that is always written is empty and not null, and inside atomic lists, which field
	// management compares as Go values, quantities keep their spelling, times keep fractions
	// of a second, and empty lists and maps are kept.
	InMemory Source = 1 << 7

	// AsWritten is a flag for FromJSON. Of several values that cannot be decoded, the error is about the
	// first one in the text, and not about the first one by the names of the fields. In an object that
	// was changed since it was read, as by a patch, the names decide.
	AsWritten Source = 1 << 5

	// Encoded is a flag for InMemory. The result is the JSON of the object in memory, as webhooks and
	// policies get it: atomic lists are like the rest of the object.
	Encoded Source = 1 << 6
)

// Problem is an unknown or duplicate field. fieldValidation determines whether it is an
// error, a warning or ignored.
type Problem struct {
	// Path is the path of the field.
	Path document.Path
	// Message is the API server's message, such as: unknown field "spec.foo"
	Message string
	// Value is the field's value, from which its position can be determined.
	Value document.Value
}

// Decode returns v as kube-apiserver has it after decoding it into the Go type of its kind,
// converting it to the internal version, storing it and reading it back:
//
//  1. Fields that the kind does not have are dropped and reported.
//  2. A null field is a missing field; a null list item or map value is the zero
//     value.
//  3. Empty values are dropped if the Go field has omitempty, and otherwise
//     written (status: {}).
//  4. Quantities, times and base64 have canonical form.
//  5. Fields with two names have both (serviceAccount), and write-only fields are
//     moved (stringData).
//
// The returned Problems are the unknown fields, in the order of their paths; sort by the
// position of their Values for source order. An error is a *DecodeError. If nothing
// changes, or the kind is not built in, Decode returns v itself.
func Decode(k *schema.Kind, v document.Value, from Source) (document.Value, []Problem, error) {
	d, err := DecodeUpdate(k, v, document.Value{}, from)
	return d.Value, d.Problems, err
}

// Decoded is the result of DecodeUpdate.
type Decoded struct {
	// Value is the decoded object.
	Value    document.Value
	Problems []Problem
	// Stored reports that a round trip through storage does not change Value: it was
	// decoded without InMemory, or InMemory made no difference.
	Stored bool
	// Emptied reports that Value lacks an empty list or map of the input. The API server
	// drops it only when it encodes the object; its validation still sees it.
	Emptied bool
}

// DecodeUpdate is Decode for a value derived from live, a decoded object of the kind. Parts
// that both share are skipped.
func DecodeUpdate(k *schema.Kind, v, live document.Value, from Source) (Decoded, error) {
	t := k.Type()
	if !k.Builtin || t.Map == nil {
		return Decoded{Value: v}, nil
	}
	memory := from&InMemory != 0
	d := decoder{root: t, from: from &^ (InMemory | Encoded | AsWritten), text: storedAsText(k.Group), memory: memory, encoded: from&Encoded != 0, path: make(document.Path, 0, usualDepth)}
	out := d.value(t, v, live)
	if textOrder && d.err != nil && from&AsWritten != 0 {
		first := decoder{root: t, from: d.from, asWritten: true}
		first.value(t, v, document.Value{})
		if first.err != nil { // otherwise it is an error of the conversion, which follows
			d.err = first.err
		}
	}
	if d.err != nil {
		return Decoded{Value: v}, d.err
	}
	if d.from == FromTree {
		sort.SliceStable(d.problems, func(a, b int) bool { return d.problems[a].Message < d.problems[b].Message })
	}
	return Decoded{Value: out, Problems: d.problems, Stored: !d.differs, Emptied: d.emptied}, nil
}

// storedAsText reports whether the API server stores a group's objects as JSON. All others
// are stored as protobuf, which cannot represent an empty list.
func storedAsText(group string) bool {
	return group == "apiextensions.k8s.io" || group == "apiregistration.k8s.io"
}

type decoder struct {
	root      *schema.Type
	from      Source
	text      bool // stored as JSON, see storedAsText
	memory    bool // InMemory
	encoded   bool // Encoded
	asWritten bool // AsWritten: only the error is wanted
	differs   bool // memory made a difference
	emptied   bool // an empty list or map was dropped
	atomic    int  // number of enclosing atomic objects
	whole     int  // number of enclosing atomic lists
	path      document.Path
	keys      []int        // indices in path of map keys
	schema    *schema.Type // schema.JSONSchemaProps, if a value of it encloses this one
	problems  []Problem
	err       error // the first error, or that of stop
	stopped   bool
}

// fail reports that v, the value at the current path, cannot be decoded.
func (d *decoder) fail(v document.Value, reason string) {
	if d.err == nil {
		d.err = &DecodeError{Path: slices.Clone(d.path), Reason: reason, Value: v, Type: d.root, From: d.from, Err: ErrType}
	}
}

// stop is fail for a value whose Go type decodes itself. Go's JSON decoder ends at its error, and returns it
// instead of earlier ones, after which it continues.
func (d *decoder) stop(v document.Value, reason string) {
	if !d.stopped && d.from == FromJSON {
		d.err, d.stopped = nil, true
	}
	d.fail(v, reason)
}

func (d *decoder) push(key string) { d.path = append(d.path, document.FieldStep(key)) }
func (d *decoder) pop()            { d.path = d.path[:len(d.path)-1] }

// value decodes a value. Null is the zero value of t; missing fields are handled by object.
func (d *decoder) value(t *schema.Type, v, live document.Value) document.Value {
	if remake.Shared(v, live) {
		return v
	}
	switch classOf(t) {
	case opaque:
		return d.union(t, v, live)
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

// object decodes a Go struct by merging members and fields, both sorted by name.
func (d *decoder) object(t *schema.Type, v, live document.Value) document.Value {
	if v.IsNull() {
		return zero(t)
	}
	if v.Kind() != document.Object {
		d.fail(v, "expected an object, found "+describe(v))
		return v
	}
	if t.Name == schema.JSONSchemaProps {
		d.schema = t
	}
	if textOrder && d.asWritten {
		for _, i := range v.TextOrder() {
			if f := t.Map.Field(v.Key(i)); f != nil {
				d.field(f, v.At(i), document.Value{})
			}
		}
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
	return d.convert(t, v, out.value())
}

// field decodes a field's value; it is absent if the field is omitted.
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
		if w.IsNull() {
			return d.missing(f)
		}
		return w
	}
	if f.Go&(schema.GoOmitEmpty|schema.GoOmitZero) != 0 {
		if d.memory && d.whole > 0 && w.Len() == 0 && (w.Kind() == document.List || w.Kind() == document.Object) {
			d.differs = true
			return w
		}
		if Omits(f, w) || f.Go&schema.GoOmitZero != 0 && w.IsNull() {
			d.emptied = d.emptied || w.Kind() == document.List || w.Kind() == document.Object
			return document.Value{}
		}
		return w
	}
	if !d.text && w.Len() == 0 && (w.Kind() == document.List || w.Kind() == document.Object) {
		// Protobuf has neither empty lists nor empty maps. It keeps the text of an opaque value.
		if c := classOf(f.Type); (c == list || c == dictionary) && !d.keepInMemory() {
			return document.NewNull()
		}
	}
	return w
}

// keepInMemory reports whether a value that storage would change is kept because InMemory
// is set.
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

// missing returns how a field without a value is encoded; absent if it is omitted.
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
	d.problems = append(d.problems, Problem{Path: p, Message: "unknown field " + strconv.Quote(d.dotted(p)), Value: v})
}

// dotted prints a path like the API server's decoders: spec.containers[0].image. The
// decoder of unstructured objects omits the keys of maps.
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
		d.fail(v, "expected an object, found "+describe(v))
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
			switch classOf(t.Map.Elem) { // protobuf cannot represent nil within a map
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
		d.fail(v, "expected a list, found "+describe(v))
		return v
	}
	if !d.encoded && (d.atomic > 0 || t.List.Kind == schema.AtomicList) {
		d.whole++
		defer func() { d.whole-- }()
	}
	d.path = append(d.path, document.Step{})
	v = remake.ItemsUpdate(v, live, func(i int, item, was document.Value) document.Value {
		d.path[len(d.path)-1] = document.IndexStep(i)
		return d.value(t.List.Elem, item, was)
	})
	d.pop()
	return v
}

// rebuild rebuilds an object member by member, in order, beginning at the first difference.
type rebuild struct {
	old     document.Value
	done    int // number of members of old processed
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

// set replaces the next old member by v, or removes it if v is absent.
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

// insert adds a member that the old object lacks before the next old one.
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
