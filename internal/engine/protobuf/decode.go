package protobuf

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// decoder decodes messages by their descriptions.
type decoder struct {
	*catalog
	written int // the length of the JSON so far, roughly
}

// message collects the members of an object. On the wire, list items and map entries may be
// interleaved with other fields, and the last value of a repeated field is used; those of a message
// are merged.
type message struct {
	object   document.ObjectBuilder
	repeated []repeated
}

// repeated is a list or a map in a message.
type repeated struct {
	name    string
	items   document.ListBuilder
	keyed   bool
	entries document.ObjectBuilder
}

// at returns the list or map of a name.
func (m *message) at(name string) *repeated {
	for i := range m.repeated {
		if m.repeated[i].name == name {
			return &m.repeated[i]
		}
	}
	m.repeated = append(m.repeated, repeated{name: name})
	return &m.repeated[len(m.repeated)-1]
}

// end returns the object. The message must not be used after it.
func (m *message) end() document.Value {
	m.close()
	return m.object.Object()
}

// close adds the lists and maps to the object.
func (m *message) close() {
	for i := range m.repeated {
		r := &m.repeated[i]
		if r.keyed {
			m.object.SetObject(r.name, &r.entries)
		} else {
			m.object.Set(r.name, r.items.List())
		}
	}
}

// encoding is the encoding of a message: that of each part in which it occurs. Their fields are merged.
type encoding struct {
	part string
	more []string // further parts
}

func (e encoding) eachField(do func(number uint64, v value) error) error {
	err := eachField(e.part, do)
	for i := 0; err == nil && i < len(e.more); i++ {
		err = eachField(e.more[i], do)
	}
	return err
}

// read adds the fields of an encoded message to m. Like an API server, it ignores unknown
// fields, which newer versions may have.
func (d *decoder) read(m *message, encoded encoding, number, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: messages nest deeper than %d", errMalformed, maxDepth)
	}
	count, repeated := d.scan(encoded, number)
	m.object.Grow(min(count, len(d.messages[number])))
	var parts map[uint64]encoding // of the repeated messages, each of which is decoded once
	err := encoded.eachField(func(n uint64, v value) error {
		f := d.field(number, n)
		switch {
		case f == nil:
			return nil
		case n < 64 && repeated&(1<<n) != 0:
			if parts == nil {
				parts = map[uint64]encoding{}
			}
			if whole, ok := parts[n]; ok {
				parts[n] = encoding{whole.part, append(whole.more, v.text)}
			} else {
				parts[n] = encoding{part: v.text}
			}
			return f.fits(v)
		}
		if err := d.add(m, f, v, depth); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return nil
	})
	if err != nil || parts == nil {
		return err
	}
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		f := d.field(number, n)
		if err := d.addMessage(m, f, parts[n], depth); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// scan returns the number of fields in an encoded message, and the set of those that are messages and occur more than
// once. It stops at the first invalid field.
func (d *decoder) scan(encoded encoding, number int) (count int, repeated uint64) {
	var once uint64
	_ = encoded.eachField(func(n uint64, _ value) error {
		count++
		if f := d.field(number, n); f != nil && f.form == formMessage && !f.list && !f.keyed && !f.inline && n < 64 {
			repeated |= once & (1 << n)
			once |= 1 << n
		}
		return nil
	})
	return count, repeated
}

// add adds the value of a field.
func (d *decoder) add(m *message, f *field, v value, depth int) error {
	if err := f.fits(v); err != nil {
		return err
	}
	if d.written += len(f.name) + len(v.text); f.form == formMessage && !f.keyed {
		d.written -= len(v.text) // counted with its own fields
	}
	if d.written > maxJSON {
		return fmt.Errorf("%w: its JSON would be longer than %d bytes", errMalformed, maxJSON)
	}
	switch {
	case f.inline:
		return d.read(m, encoding{part: v.text}, f.message, depth+1)
	case f.keyed:
		return d.addEntry(m, f, v.text, depth)
	case f.form == formString && !f.list:
		if f.zeros || v.text != "" {
			m.object.SetString(f.name, v.text)
		}
		return nil
	case f.form == formMessage && !f.list:
		return d.addMessage(m, f, encoding{part: v.text}, depth)
	}
	decoded, err := d.value(f, v, depth)
	switch {
	case err != nil:
		return err
	case f.list:
		m.at(f.name).items.Append(decoded)
	case f.zeros || !isZero(decoded):
		m.object.Set(f.name, decoded)
	}
	return nil
}

// addMessage adds the value of a field that is a message.
func (d *decoder) addMessage(m *message, f *field, encoded encoding, depth int) error {
	part := message{}
	if err := d.read(&part, encoded, f.message, depth+1); err != nil {
		return err
	}
	if part.close(); f.zeros || part.object.Len() > 0 {
		m.object.SetObject(f.name, &part.object)
	}
	return nil
}

// isZero reports whether omitempty and omitzero omit a value.
func isZero(v document.Value) bool {
	switch v.Kind() {
	case document.List, document.Object:
		return v.Len() == 0
	case document.String:
		return v.StringOr("") == ""
	case document.Number:
		return v.NumberText() == "0"
	case document.Bool:
		b, _ := v.Bool()
		return !b
	}
	return true
}

// addEntry adds an entry of a map, a message of a key and a value.
func (d *decoder) addEntry(m *message, f *field, encoded string, depth int) error {
	key := ""
	val := value{wire: f.wire()}
	err := eachField(encoded, func(number uint64, v value) error {
		switch number {
		case 1:
			key = v.text
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
	key = strings.ToValidUTF8(key, "\ufffd")
	r := m.at(f.name)
	r.keyed = true
	if f.form == formString {
		r.entries.SetString(key, val.text)
		return nil
	}
	decoded, err := d.value(f, val, depth)
	if err == nil {
		r.entries.Set(key, decoded)
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

// value returns a decoded value.
func (d *decoder) value(f *field, v value, depth int) (document.Value, error) {
	switch f.form {
	case formString:
		return document.NewString(v.text), nil
	case formBytes:
		return document.NewString(base64.StdEncoding.EncodeToString([]byte(v.text))), nil
	case formBool:
		return document.NewBool(v.bits != 0), nil
	case formInt:
		return document.NewInt(int64(v.bits)), nil
	case formDouble:
		return double(v.bits)
	case formMessage:
		m := message{}
		err := d.read(&m, encoding{part: v.text}, f.message, depth+1)
		return m.end(), err
	case formEither:
		return d.either(f, v.text, depth)
	case formTime, formMicroTime:
		return timestamp(v.text, f.form)
	case formDuration:
		n, err := numberIn(v.text, 1)
		return document.NewString(time.Duration(n).String()), err
	case formQuantity:
		return stringIn(v.text, 1)
	case formIntOrString:
		return intOrString(v.text)
	case formRaw:
		return raw(v.text)
	default:
		return stringList(v.text)
	}
}

func double(bits uint64) (document.Value, error) {
	x := math.Float64frombits(bits)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return document.Value{}, fmt.Errorf("%w: %v is not a JSON number", errMalformed, x)
	}
	text, err := json.Marshal(x)
	if err != nil {
		return document.Value{}, err
	}
	doc, err := document.Parse(text, document.Options{}) // 3.0 is the integer 3 as JSON
	if err != nil {
		return document.Value{}, err
	}
	return doc.Root, nil
}

// either returns the last field set in a message that represents alternatives: a schema or a
// list of schemas, a schema or a boolean.
func (d *decoder) either(f *field, encoded string, depth int) (document.Value, error) {
	last := "" // the last field set
	m := message{}
	err := eachField(encoded, func(n uint64, v value) error {
		found := d.field(f.message, n)
		if found == nil {
			return nil
		}
		g := *found
		g.name = strconv.FormatUint(n, 10)
		last = g.name
		return d.add(&m, &g, v, depth+1)
	})
	if err != nil {
		return document.Value{}, err
	}
	if last == "" {
		return document.NewNull(), nil
	}
	return m.end().Get(last), nil
}

// timestamp formats seconds and nanoseconds since 1970 like Kubernetes: in whole seconds or
// in microseconds. An empty message is no time.
func timestamp(encoded string, f form) (document.Value, error) {
	if encoded == "" {
		return document.NewNull(), nil
	}
	seconds, err := numberIn(encoded, 1)
	if err != nil {
		return document.Value{}, err
	}
	nanos, err := numberIn(encoded, 2)
	if err != nil {
		return document.Value{}, err
	}
	layout := time.RFC3339
	if f == formMicroTime {
		layout = "2006-01-02T15:04:05.000000Z07:00"
	}
	t := time.Unix(seconds, nanos).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return document.Value{}, fmt.Errorf("%w: a time in the year %d", errMalformed, y)
	}
	return document.NewString(t.Format(layout)), nil
}

func intOrString(encoded string) (document.Value, error) {
	kind, err := numberIn(encoded, 1)
	if err != nil {
		return document.Value{}, err
	}
	if kind != 0 {
		return stringIn(encoded, 3)
	}
	n, err := numberIn(encoded, 2)
	return document.NewInt(n), err
}

// raw returns the JSON that is the text of a message.
func raw(encoded string) (document.Value, error) {
	text, err := textIn(encoded, 1)
	if err != nil {
		return document.Value{}, err
	}
	if text == "" {
		return document.NewNull(), nil
	}
	doc, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesMerged, MaxBytes: -1})
	if err != nil {
		return document.Value{}, fmt.Errorf("%w: invalid JSON: %w", errMalformed, err)
	}
	return doc.Root, nil
}

func stringList(encoded string) (document.Value, error) {
	var list document.ListBuilder
	err := eachField(encoded, func(_ uint64, v value) error {
		list.Append(document.NewString(v.text))
		return nil
	})
	return list.List(), err
}

// numberIn returns the number in a field of a small message, 0 if it is missing.
func numberIn(encoded string, number uint64) (out int64, err error) {
	err = eachField(encoded, func(n uint64, v value) error {
		if n == number {
			out = int64(v.bits)
			return ofWire(v, wireVarint)
		}
		return nil
	})
	return out, err
}

// ofWire returns an error for a value of another wire type.
func ofWire(v value, wire uint8) error {
	if v.wire != wire {
		return fmt.Errorf("%w: wire type %d in place of %d", errMalformed, v.wire, wire)
	}
	return nil
}

// stringIn returns the string in a field of a small message.
func stringIn(encoded string, number uint64) (document.Value, error) {
	text, err := textIn(encoded, number)
	return document.NewString(text), err
}

func textIn(encoded string, number uint64) (out string, err error) {
	err = eachField(encoded, func(n uint64, v value) error {
		if n == number {
			out = v.text
			return ofWire(v, wireBytes)
		}
		return nil
	})
	return out, err
}
