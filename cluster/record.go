package cluster

import (
	"bytes"
	"errors"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// Record is a stored object: without its resourceVersion, which is the store's revision,
// without the deprecated selfLink, and with its managedFields decoded. It is immutable. A
// store that persists bytes uses Encode and DecodeRecord.
//
// The object is held as a tree, as text, or both (see text.go). A tree has thousands of pointers,
// which each garbage collection follows.
type Record struct {
	// object is nil where only the text is held.
	object atomic.Pointer[fieldmanager.Object]
	// text is the object with its managedFields, nil until there is one.
	text atomic.Pointer[objectText]
	// original is the value as it was written if it contains a -0, which is read as 0; the
	// next write then counts as a change even if it changes nothing. Otherwise original is
	// absent.
	original document.Value
	// decoded is the kind as which the object was decoded before it was stored, or nil.
	decoded *schema.Kind
	// complete is the kind for which decoding and reading leave the object unchanged, valid
	// the kind for which it passes validation. Each is nil until that is known.
	complete, valid atomic.Pointer[schema.Kind]
	// form is the encoding that was served last, nil until there is one.
	form atomic.Pointer[form]
	// size is the result of Size plus one, 0 until Size is called.
	size atomic.Int64
}

// MaxObjectBytes is the maximum size of a stored object in bytes: etcd's default request limit
// (--max-request-bytes). kube-apiserver stores built-in kinds as protobuf, which is a little
// shorter than the JSON that is measured here.
const MaxObjectBytes = 3 << 19 // 1.5 MiB

// Size returns the length of the record's JSON in bytes.
func (r *Record) Size() int {
	if n := r.size.Load(); n > 0 {
		return int(n - 1)
	}
	o := r.tree()
	n := o.Value.JSONLen()
	if o.Managed.Len() > 0 {
		n += len(`"managedFields":,`) + o.Managed.Value().JSONLen()
	}
	r.size.Store(int64(n + 1))
	return n
}

// measure computes the size of the record from that of before, the record that it was made
// from, and measures only the parts that they do not share. It does nothing if the size of
// before is not known.
func (r *Record) measure(before *Record) {
	n := before.size.Load() // like r.size, one more than the length
	now, was := r.tree(), before.tree()
	if n == 0 || (now.Managed.Len() > 0) != (was.Managed.Len() > 0) {
		return
	}
	length := now.Value.JSONLenUpdate(was.Value, int(n))
	length = now.Managed.Value().JSONLenUpdate(was.Managed.Value(), length)
	r.size.Store(int64(length))
}

// Lifetime returns how long kube-apiserver keeps the object after a write: an hour for an
// Event, 0 (without limit) for anything else.
func (r *Record) Lifetime() time.Duration { return kinds.Lifetime(r.tree().Value) }

// withoutManagers returns the record without managedFields, which kube-apiserver stores if
// managedFields make the object too large.
func (r *Record) withoutManagers() *Record {
	return recordOf(fieldmanager.Object{Value: r.tree().Value}, r.original)
}

// Encode returns the record as JSON.
func (r *Record) Encode() []byte {
	o := r.tree()
	if r.original.Exists() {
		o.Value = r.original
	}
	return o.Join().JSON()
}

// DecodeRecord decodes the JSON that Encode returns.
func DecodeRecord(data []byte) (*Record, error) {
	object, err := decodeObject(data)
	if err != nil {
		return nil, err
	}
	if isUnreadable(object.Value) || meta(object.Value, "name") == "" {
		return nil, errors.New("not an object with a kind and a name")
	}
	r := newRecord(object, document.Value{})
	if bytes.Contains(data, []byte("-0")) && containsNumber(object.Value, writtenNegativeZero) {
		r.original = object.Value
	}
	return r, nil
}

// UnreadableRecord returns the record of a stored value that cannot be decoded, for the option Unreadable of package
// store/etcd. Requests that read it fail with an internal error.
func UnreadableRecord(error) *Record { return recordOf(fieldmanager.Object{}, document.Value{}) }

// storesBytes reports whether there may be such records. A page has none, and its engine is smaller without the check.
const storesBytes = runtime.GOOS != "js"

// isUnreadable reports whether an object is that of an UnreadableRecord: it has no kind.
func isUnreadable(object document.Value) bool { return !object.Get("kind").Exists() }

// decodeObject decodes an object as it is stored.
func decodeObject(data []byte) (fieldmanager.Object, error) {
	doc, err := document.Parse(data, document.Options{MaxBytes: -1})
	if err != nil {
		return fieldmanager.Object{}, err
	}
	object := fieldmanager.Object{Value: doc.Root.Remove("metadata", "managedFields")}
	object.Managed, err = fieldmanager.DecodeStored(doc.Root.Lookup("metadata", "managedFields"))
	return object, err
}

// recordOf returns a record of an object that reread leaves unchanged; original is the value
// before reread, or absent (see Record.original).
func recordOf(o fieldmanager.Object, original document.Value) *Record {
	r := &Record{original: original}
	r.object.Store(&o)
	return r
}

// newRecord returns the record of an object that was made from live, an object that reread
// leaves unchanged; live may be absent.
func newRecord(o fieldmanager.Object, live document.Value) *Record {
	o.Value = withMeta(o.Value, "resourceVersion", document.Value{})
	o.Value = withMeta(o.Value, "selfLink", document.Value{})
	value := reread(o.Value, live)
	var original document.Value
	if !document.SameNode(value, o.Value) && containsNumber(o.Value, printedNegativeZero) {
		original = o.Value
	}
	o.Value = value
	return recordOf(o, original)
}

// The functions below report what a number is: writtenNegativeZero that it was written as -0, which is
// decoded as an integer, and printedNegativeZero that it is printed as -0.
func writtenNegativeZero(n document.Value) bool { return n.NumberText() == "-0" }
func printedNegativeZero(n document.Value) bool { return !n.IsInt() && string(n.JSON()) == "-0" }
func isFloat(n document.Value) bool             { return !n.IsInt() }

// containsNumber reports whether v is or contains a number for which is returns true.
func containsNumber(v document.Value, is func(document.Value) bool) bool {
	if k := v.Kind(); k < document.List {
		return k == document.Number && is(v)
	}
	for i := range v.Len() {
		if containsNumber(v.At(i), is) {
			return true
		}
	}
	return false
}

// reread returns the value after encoding it as JSON and decoding it again: 2.0 is printed
// without its fraction and becomes an integer. Parts shared with live, which reread leaves
// unchanged, are skipped.
func reread(v, live document.Value) document.Value {
	if !hasFloat(v, live) {
		return v
	}
	return withIntegers(v, live)
}

// withIntegers is reread for a value that contains floats.
func withIntegers(v, live document.Value) document.Value {
	if remake.Shared(v, live) {
		return v
	}
	before := remake.EarlierOf(live)
	switch v.Kind() {
	case document.Number:
		if v.IsInt() {
			return v
		}
		if n, err := strconv.ParseInt(string(v.JSON()), 10, 64); err == nil {
			return document.NewInt(n)
		}
	case document.Object:
		return remake.Members(v, func(i int, part document.Value) document.Value { return withIntegers(part, before.Member(v.Key(i))) })
	case document.List:
		return remake.ItemsUpdate(v, live, func(_ int, part, was document.Value) document.Value { return withIntegers(part, was) })
	}
	return v
}

// hasFloat reports whether v contains a float outside the parts that it shares with live.
func hasFloat(v, live document.Value) bool {
	if !live.Exists() {
		return containsNumber(v, isFloat)
	}
	switch v.Kind() {
	case document.Number:
		return !v.IsInt()
	case document.Object:
		before := remake.EarlierOf(live)
		for i := range v.Len() {
			part := v.At(i)
			if k := part.Kind(); k != document.Number && k < document.List {
				continue
			}
			if was := before.Member(v.Key(i)); !document.SameNode(part, was) && hasFloat(part, was) {
				return true
			}
		}
	case document.List:
		before := remake.EarlierOf(live)
		from, to := before.Changed(v)
		for i := from; i < to; i++ {
			part := v.At(i)
			if was := before.Item(v, i); !document.SameNode(part, was) && hasFloat(part, was) {
				return true
			}
		}
	}
	return false
}

// UID returns the object's uid, for preconditions in stores.
func (r *Record) UID() string { return meta(r.tree().Value, "uid") }

// Equal reports whether a and b are the same record. A store uses it to detect updates that
// change nothing, which return the record that they were given.
func Equal(a, b *Record) bool { return a == b }

// same reports whether two records have equal contents.
func (r *Record) same(o *Record) bool {
	a, b := r.tree(), o.tree()
	return r.original.Exists() == o.original.Exists() && document.Identical(a.Value, b.Value) && sameManagers(a.Managed, b.Managed, true)
}

// sameManagers compares managedFields, with or without the timestamps of their entries.
func sameManagers(a, b fieldmanager.Managed, times bool) bool {
	if document.SameNode(a.Value(), b.Value()) {
		return true
	}
	if a.Value().Len() != b.Value().Len() {
		return false
	}
	if times {
		return document.Identical(a.Value(), b.Value())
	}
	return document.Identical(withoutTimes(a), withoutTimes(b))
}

func withoutTimes(m fieldmanager.Managed) document.Value {
	var list document.ListBuilder
	if m.Len() == 0 {
		return document.Value{}
	}
	for _, entry := range m.Value().Items() {
		list.Append(entry.Without("time"))
	}
	return list.List()
}

// versioned returns the object with its resourceVersion set to a revision.
func versioned(o fieldmanager.Object, revision int64) fieldmanager.Object {
	o.Value = withMeta(o.Value, "resourceVersion", document.NewString(strconv.FormatInt(revision, 10)))
	return o
}
