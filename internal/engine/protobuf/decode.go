package protobuf

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// decoder converts messages to JSON by their descriptions.
type decoder struct {
	messages []map[uint64]field
	written  int
	// text holds the JSON of values until their parent is complete; free holds objects for
	// reuse.
	text []byte
	free []*object
}

// decoders is a pool of decoders that have decoded small bodies.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// release returns the decoder to the pool if its memory is small.
func (d *decoder) release() {
	if cap(d.text) <= 64<<10 && len(d.free) <= 64 {
		d.text, d.written = d.text[:0], 0
		decoders.Put(d)
	}
}

// object returns an object without members.
func (d *decoder) object() *object {
	last := len(d.free) - 1
	if last < 0 {
		return &object{members: make([]member, 0, 4), begin: len(d.text)}
	}
	o := d.free[last]
	d.free, o.begin = d.free[:last], len(d.text)
	return o
}

// end returns the JSON of an object and releases the object. The JSON replaces the text of
// the object's members, so that nested objects are not copied at each level.
func (d *decoder) end(o *object) []byte {
	text := o.appendJSON(d.text)
	n := copy(text[o.begin:], text[len(d.text):])
	d.text = text[:o.begin]
	for i := range o.members {
		if keyed := o.members[i].keyed; keyed != nil {
			keyed.reset()
			d.free = append(d.free, keyed)
		}
	}
	o.reset()
	d.free = append(d.free, o)
	return d.kept(text[:o.begin+n])
}

// kept retains text and returns a copy that later appends do not modify.
func (d *decoder) kept(text []byte) []byte {
	begin := len(d.text)
	d.text = text
	return text[begin:len(text):len(text)]
}

// read adds the fields of an encoded message to an object. Like an API server, it ignores
// unknown fields, which newer versions may have.
func (d *decoder) read(o *object, encoded []byte, message, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: messages nest deeper than %d", errMalformed, maxDepth)
	}
	fields := d.messages[message]
	return eachField(encoded, func(number uint64, v value) error {
		f, ok := fields[number]
		if !ok {
			return nil
		}
		if err := d.add(o, &f, v, depth); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return nil
	})
}

// add adds the value of a field at its place in the JSON.
func (d *decoder) add(o *object, f *field, v value, depth int) error {
	if err := f.fits(v); err != nil {
		return err
	}
	if d.written += len(f.name) + len(v.bytes); f.form == formMessage && !f.keyed {
		d.written -= len(v.bytes) // counted with its own fields
	}
	if d.written > maxJSON {
		return fmt.Errorf("%w: its JSON would be longer than %d bytes", errMalformed, maxJSON)
	}
	if f.inline {
		return d.read(o, v.bytes, f.message, depth+1)
	}
	if f.keyed {
		return d.addEntry(o, f, v.bytes, depth)
	}
	b, err := d.json(f, v, depth)
	switch {
	case err != nil:
		return err
	case f.list:
		o.addItem(f.name, b)
	case f.zeros || !isZero(b):
		o.set(f.name, b)
	}
	return nil
}

// addEntry adds an entry of a map, a message of a key and a value.
func (d *decoder) addEntry(o *object, f *field, encoded []byte, depth int) error {
	key := ""
	val := value{wire: f.wire()}
	err := eachField(encoded, func(number uint64, v value) error {
		switch number {
		case 1:
			key = string(v.bytes)
		case 2:
			val = v
		}
		return nil
	})
	if err != nil {
		return err
	}
	if val.wire != f.wire() {
		return fmt.Errorf("%w: entry %q has wire type %d", errMalformed, key, val.wire)
	}
	b, err := d.json(f, val, depth)
	if err == nil {
		o.setEntry(d, f.name, key, b)
	}
	return err
}

// wire returns the wire type of the field's values.
func (f *field) wire() uint8 {
	switch f.form {
	case formBool, formInt:
		return wireVarint
	case formDouble:
		return wire64
	}
	return wireBytes
}

func (f *field) fits(v value) error {
	want := f.wire()
	if f.keyed {
		want = wireBytes
	}
	if v.wire != want {
		return fmt.Errorf("%w: wire type %d where %s has %d", errMalformed, v.wire, formNames[f.form], want)
	}
	return nil
}

// json returns the JSON of a value.
func (d *decoder) json(f *field, v value, depth int) ([]byte, error) {
	switch f.form {
	case formString:
		return d.kept(document.AppendQuoted(d.text, string(v.bytes))), nil
	case formBytes:
		return d.kept(document.AppendQuoted(d.text, base64.StdEncoding.EncodeToString(v.bytes))), nil
	case formBool:
		return d.kept(strconv.AppendBool(d.text, v.bits != 0)), nil
	case formInt:
		return d.kept(strconv.AppendInt(d.text, int64(v.bits), 10)), nil
	case formDouble:
		return double(v.bits)
	case formMessage:
		o := d.object()
		err := d.read(o, v.bytes, f.message, depth+1)
		return d.end(o), err
	case formEither:
		return d.either(f, v.bytes, depth)
	case formTime, formMicroTime:
		return timestamp(v.bytes, f.form)
	case formDuration:
		n, err := numberIn(v.bytes, 1)
		return document.AppendQuoted(nil, time.Duration(n).String()), err
	case formQuantity:
		s, err := bytesIn(v.bytes, 1)
		return document.AppendQuoted(nil, string(s)), err
	case formIntOrString:
		return intOrString(v.bytes)
	case formRaw:
		return raw(v.bytes)
	default:
		return stringList(v.bytes)
	}
}

func double(bits uint64) ([]byte, error) {
	x := math.Float64frombits(bits)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("%w: %v is not a JSON number", errMalformed, x)
	}
	return json.Marshal(x)
}

// either returns the JSON of the last field set in a message that represents alternatives:
// a schema or a list of schemas, a schema or a boolean.
func (d *decoder) either(f *field, encoded []byte, depth int) ([]byte, error) {
	var last field // the last field set
	o := &object{}
	err := eachField(encoded, func(n uint64, v value) error {
		g, ok := d.messages[f.message][n]
		if !ok {
			return nil
		}
		g.name = strconv.FormatUint(n, 10)
		last = g
		return d.add(o, &g, v, depth+1)
	})
	switch m := o.at(last.name); {
	case err != nil:
		return nil, err
	case last.name == "":
		return []byte("null"), nil
	case last.list:
		return append(append([]byte{'['}, m.json...), ']'), nil
	default:
		return m.json, nil
	}
}

// timestamp formats seconds and nanoseconds since 1970 like Kubernetes: in whole seconds or
// in microseconds. An empty message is no time.
func timestamp(encoded []byte, f form) ([]byte, error) {
	if len(encoded) == 0 {
		return []byte("null"), nil
	}
	seconds, err := numberIn(encoded, 1)
	if err != nil {
		return nil, err
	}
	nanos, err := numberIn(encoded, 2)
	if err != nil {
		return nil, err
	}
	layout := time.RFC3339
	if f == formMicroTime {
		layout = "2006-01-02T15:04:05.000000Z07:00"
	}
	t := time.Unix(seconds, nanos).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("%w: a time in the year %d", errMalformed, y)
	}
	return document.AppendQuoted(nil, t.Format(layout)), nil
}

func intOrString(encoded []byte) ([]byte, error) {
	kind, err := numberIn(encoded, 1)
	if err != nil {
		return nil, err
	}
	if kind != 0 {
		s, err := bytesIn(encoded, 3)
		return document.AppendQuoted(nil, string(s)), err
	}
	n, err := numberIn(encoded, 2)
	return strconv.AppendInt(nil, n, 10), err
}

// raw returns JSON that is the text of a message.
func raw(encoded []byte) ([]byte, error) {
	b, err := bytesIn(encoded, 1)
	switch {
	case err != nil:
		return nil, err
	case len(b) == 0:
		return []byte("null"), nil
	case !json.Valid(b):
		return nil, fmt.Errorf("%w: invalid JSON", errMalformed)
	}
	return b, nil
}

func stringList(encoded []byte) ([]byte, error) {
	out := []byte{'['}
	err := eachField(encoded, func(_ uint64, v value) error {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = document.AppendQuoted(out, string(v.bytes))
		return nil
	})
	return append(out, ']'), err
}

// numberIn returns the number in a field of a small message, 0 if it is missing.
func numberIn(encoded []byte, number uint64) (out int64, err error) {
	err = eachField(encoded, func(n uint64, v value) error {
		if n == number {
			out = int64(v.bits)
		}
		return nil
	})
	return out, err
}

func bytesIn(encoded []byte, number uint64) (out []byte, err error) {
	err = eachField(encoded, func(n uint64, v value) error {
		if n == number {
			out = v.bytes
		}
		return nil
	})
	return out, err
}
