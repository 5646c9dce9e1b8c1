package defaults

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
)

// class is the Go type of a field as far as decoding depends on it.
type class uint8

const (
	opaque     class = iota // raw JSON, kept unchanged
	structure               // struct
	dictionary              // map
	list                    // slice
	text                    // string
	integer                 // int32, int64
	float                   // float64
	boolean                 // bool
	bytes                   // []byte
	amount                  // resource.Quantity
	moment                  // metav1.Time
	microtime               // metav1.MicroTime
	duration                // metav1.Duration
	intOrText               // intstr.IntOrString
)

func classOf(t *schema.Type) class {
	switch t.Format {
	case "quantity":
		return amount
	case "date-time":
		return moment
	case "micro-time":
		return microtime
	case "duration":
		return duration
	case "byte":
		return bytes
	case "fields-v1":
		return opaque
	}
	switch t.Scalar {
	case schema.AnyScalar:
		return opaque
	case schema.StringScalar:
		return text
	case schema.IntegerScalar:
		return integer
	case schema.NumberScalar:
		return float
	case schema.BooleanScalar:
		return boolean
	case schema.IntOrStringScalar:
		return intOrText
	}
	switch {
	case t.List != nil:
		return list
	case t.Map == nil || len(t.Map.Fields) == 0 && t.Map.PreserveUnknown:
		return opaque
	case t.Map.Elem != nil && t.Name == "": // a named type is a struct without fields
		return dictionary
	}
	return structure
}

// InOpaque reports whether a path in an object of a built-in kind leads into a value whose Go type decodes itself, such as
// a RawExtension: Go's JSON decoder finds neither unknown nor duplicate fields there.
func InOpaque(t *schema.Type, path document.Path) bool {
	for i := 0; t != nil && i < len(path); i++ {
		if i > 0 && classOf(t) == opaque {
			return true
		}
		t = t.At(path[i : i+1])
	}
	return false
}

// Omits reports whether a field of a built-in kind is stored as a missing one if it has the value: Go's
// omitempty leaves out "", 0, false, [] and {}, except behind a pointer. It is false for the
// fields of custom resources.
func Omits(f *schema.Field, v document.Value) bool {
	return f.Go&schema.GoOmitEmpty != 0 && f.Go&schema.GoPointer == 0 && empty(v) && emptiable(f.Type)
}

// emptiable reports whether omitempty can omit a value of the type: it never omits a
// struct, and quantities, times and the like are structs.
func emptiable(t *schema.Type) bool {
	switch classOf(t) {
	case dictionary, list, text, integer, float, boolean, bytes:
		return true
	}
	return false
}

// empty reports whether omitempty omits a value: "", 0, false, [], {}.
func empty(v document.Value) bool {
	switch v.Kind() {
	case document.String:
		s, _ := v.Text()
		return s == ""
	case document.Number:
		if i, ok := v.Int(); ok {
			return i == 0
		}
		f, _ := v.Float()
		return f == 0
	case document.Bool:
		b, _ := v.Bool()
		return !b
	}
	return v.Len() == 0
}

// zero returns the JSON encoding of a Go type's zero value.
func zero(t *schema.Type) document.Value {
	switch classOf(t) {
	case structure:
		var b document.ObjectBuilder
		for i := range t.Map.Fields {
			f := &t.Map.Fields[i]
			b.Set(f.Name, missing(f))
		}
		return b.Object()
	case text:
		return document.NewString("")
	case integer, float, intOrText:
		return document.NewInt(0)
	case boolean:
		return document.NewBool(false)
	case amount:
		return document.NewString("0")
	case duration:
		return document.NewString("0s")
	}
	return document.NewNull()
}

// scalar decodes a value other than null into a Go type that is not a struct, map or slice.
func (d *decoder) scalar(t *schema.Type, v document.Value) document.Value {
	switch c := classOf(t); c {
	case text:
		if v.Kind() != document.String {
			d.fail(v, "expected a string, found "+describe(v))
		}
	case boolean:
		if v.Kind() != document.Bool {
			d.fail(v, "expected true or false, found "+describe(v))
		}
	case float:
		if v.Kind() != document.Number {
			d.fail(v, "expected a number, found "+describe(v))
		}
		return rounded(v)
	case integer:
		return d.integer(v, t.Format == "int32", "a whole number")
	case intOrText:
		return d.intOrText(v)
	case bytes:
		return d.base64(v)
	case amount:
		return d.quantity(v)
	default:
		return d.time(c, v)
	}
	return v
}

// rounded returns an integer that a float64 cannot hold as the API server writes the float64.
func rounded(v document.Value) document.Value {
	const exact = 1 << 53
	i, ok := v.Int()
	if !ok || -exact <= i && i <= exact {
		return v
	}
	f := document.NewFloat(float64(i))
	if i, err := strconv.ParseInt(f.NumberText(), 10, 64); err == nil {
		return document.NewInt(i)
	}
	return f
}

// integer decodes an integer. Unlike the JSON decoder, the conversion of an unstructured
// object accepts floats without a fraction and truncates integers that overflow the field.
func (d *decoder) integer(v document.Value, small bool, wanted string) document.Value {
	i, ok := v.Int()
	fits := !small || i == int64(int32(i))
	if ok && fits {
		return v
	}
	if d.from == FromTree {
		if !ok {
			i, ok = whole(v)
		}
		if ok && small {
			i = int64(int32(i))
		}
		if ok {
			return document.NewInt(i)
		}
	}
	if ok {
		wanted += " of 32 bits"
	}
	d.fail(v, "expected "+wanted+", found "+describe(v))
	return v
}

// whole returns the integer that a number without a fraction becomes in an unstructured object.
func whole(v document.Value) (int64, bool) {
	f, ok := v.Float()
	switch {
	case !ok || f != math.Trunc(f):
		return 0, false
	case math.Abs(f) < 1<<63:
		return int64(f), true
	}
	return math.MinInt64, true
}

// intOrText decodes a 32-bit integer or a string. A number such as 2.0 is accepted only in an
// unstructured object, because it is encoded as 2 before it is decoded into the Go type.
func (d *decoder) intOrText(v document.Value) document.Value {
	if v.Kind() == document.String {
		return v
	}
	i, ok := v.Int()
	if f, number := v.Float(); !ok && number && d.from == FromTree && f == math.Trunc(f) && math.Abs(f) < 1<<31 {
		i, ok = int64(f), true
		v = document.NewInt(i)
	}
	if !ok || i != int64(int32(i)) {
		d.stop(v, "expected a string or a whole number of 32 bits, found "+describe(v))
	}
	return v
}

func (d *decoder) base64(v document.Value) document.Value {
	s, ok := v.Text()
	if !ok {
		return d.octets(v)
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		d.fail(v, "expected base64: "+err.Error())
		return v
	}
	return canonical(v, s, base64.StdEncoding.EncodeToString(b))
}

// octets decodes bytes from a list of numbers. Those of an unstructured object are truncated.
func (d *decoder) octets(v document.Value) document.Value {
	if v.Kind() != document.List {
		d.fail(v, "expected a string in base64, found "+describe(v))
		return v
	}
	b := make([]byte, v.Len())
	for i, item := range v.Items() {
		n, ok := item.Int()
		if d.from == FromTree {
			if !ok {
				n, ok = whole(item)
			}
			n = int64(byte(n))
		}
		if !item.IsNull() && (!ok || n < 0 || n > math.MaxUint8) {
			d.fail(v, "expected a string in base64 or a list of numbers up to 255, found "+describe(item)+" in the list")
			return v
		}
		b[i] = byte(n)
	}
	return document.NewString(base64.StdEncoding.EncodeToString(b))
}

// canonical returns v, a string with the text s, with its text replaced by want.
func canonical(v document.Value, s, want string) document.Value {
	if s == want {
		return v
	}
	return document.NewString(want)
}

func (d *decoder) quantity(v document.Value) document.Value {
	s, ok := v.Text()
	if !ok {
		s = v.NumberText()
	}
	spelled := strings.Trim(s, " ") // JSON escapes any other white space
	want, err := quantity.Canonical(spelled, false)
	if err != nil {
		d.stop(v, "expected a quantity such as 2, 100m or 1.5Gi, found "+describe(v))
		return v
	}
	if d.memory && d.whole > 0 && want != spelled {
		d.differs = true
		want = spelled
	}
	if !ok {
		return document.NewString(want)
	}
	return canonical(v, s, want)
}

func (d *decoder) time(c class, v document.Value) document.Value {
	s, ok := v.Text()
	if !ok {
		d.stop(v, "expected a string, found "+describe(v))
		return v
	}
	if c == duration {
		length, err := time.ParseDuration(s)
		if err != nil {
			d.stop(v, "expected a duration such as 1m30s, found "+describe(v))
			return v
		}
		return canonical(v, s, length.String())
	}
	read, write := time.RFC3339, time.RFC3339
	if c == microtime {
		read, write = "2006-01-02T15:04:05.000000Z07:00", "2006-01-02T15:04:05.000000Z07:00"
	}
	at, err := time.Parse(read, s)
	switch {
	case err != nil:
		d.stop(v, "expected a time such as "+read[:len(read)-len("07:00")]+", found "+describe(v))
		return v
	case at.IsZero():
		return document.NewNull()
	}
	if at.Nanosecond() != 0 && c != microtime && d.whole > 0 && d.keepInMemory() {
		write = time.RFC3339Nano
	}
	var buffer [len(time.RFC3339Nano)]byte
	if want := at.UTC().AppendFormat(buffer[:0], write); string(want) != s {
		return document.NewString(string(want))
	}
	return v
}

// describe returns a value for a message: the string "x", the number 2.5, a list.
func describe(v document.Value) string {
	switch v.Kind() {
	case document.String:
		s, _ := v.Text()
		if len(s) > 40 {
			s = strings.ToValidUTF8(s[:40], "") + "…"
		}
		return "the string " + strconv.Quote(s)
	case document.Number:
		return "the number " + v.NumberText()
	case document.Object:
		return "an object"
	case document.List:
		return "a list"
	}
	return v.String()
}
