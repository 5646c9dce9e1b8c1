package patch

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
)

// CreateJSON returns a JSON patch that changes from into exactly to: null differs from a
// missing member, and 1 from 1.0. Common members are compared recursively, and so are the items
// of two lists at the same index, between their common prefix and suffix; further items are
// removed or added behind them. If from and to are not both objects or both lists, the patch
// replaces the whole document. JSON applies such a patch only if both values are objects or lists.
func CreateJSON(from, to document.Value) document.Value {
	var d jsonDiff
	d.value(from, to)
	return d.ops.List()
}

// jsonDiff collects operations. pointer is the current location.
type jsonDiff struct {
	ops     document.ListBuilder
	pointer []byte
}

func (d *jsonDiff) emit(op string, val document.Value) {
	var b document.ObjectBuilder
	b.Set("op", document.NewString(op))
	b.Set("path", document.NewString(string(d.pointer)))
	b.Set("value", val)
	d.ops.Append(b.Object())
}

// at calls f with pointer extended by a token.
func (d *jsonDiff) at(token string, f func()) {
	n := len(d.pointer)
	d.pointer = append(append(d.pointer, '/'), jsonpointer.Encode(token)...)
	f()
	d.pointer = d.pointer[:n]
}

func (d *jsonDiff) value(from, to document.Value) {
	switch {
	case document.Identical(from, to):
	case from.Kind() == document.Object && to.Kind() == document.Object:
		d.object(from, to)
	case from.Kind() == document.List && to.Kind() == document.List:
		d.list(from, to)
	default:
		d.emit("replace", to)
	}
}

func (d *jsonDiff) object(from, to document.Value) {
	i, j := 0, 0
	for i < from.Len() || j < to.Len() {
		switch {
		case j == to.Len() || i < from.Len() && from.Key(i) < to.Key(j):
			d.at(from.Key(i), func() { d.emit("remove", document.Value{}) })
			i++
		case i == from.Len() || to.Key(j) < from.Key(i):
			d.at(to.Key(j), func() { d.emit("add", to.At(j)) })
			j++
		default:
			d.at(to.Key(j), func() { d.value(from.At(i), to.At(j)) })
			i++
			j++
		}
	}
}

func (d *jsonDiff) list(from, to document.Value) {
	start, end := 0, 0
	for start < from.Len() && start < to.Len() && document.Identical(from.At(start), to.At(start)) {
		start++
	}
	for end < from.Len()-start && end < to.Len()-start && document.Identical(from.At(from.Len()-1-end), to.At(to.Len()-1-end)) {
		end++
	}
	was, now := from.Len()-start-end, to.Len()-start-end
	for i := range min(was, now) {
		d.at(strconv.Itoa(start+i), func() { d.value(from.At(start+i), to.At(start+i)) })
	}
	for i := now; i < was; i++ {
		d.at(strconv.Itoa(start+now), func() { d.emit("remove", document.Value{}) })
	}
	for i := was; i < now; i++ {
		d.at(strconv.Itoa(start+i), func() { d.emit("add", to.At(start+i)) })
	}
}
