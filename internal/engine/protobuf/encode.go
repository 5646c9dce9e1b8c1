package protobuf

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// errUnencodable is the cause of the error for an object that does not match its message.
var errUnencodable = errors.New("the object does not match its protobuf message")

// numbered is a field with its number.
type numbered struct {
	number uint64
	field
}

// ordered returns the fields of all messages, in the order of their numbers.
var ordered = sync.OnceValue(func() [][]numbered {
	c := messages()
	out := make([][]numbered, len(c.messages))
	for i, fields := range c.messages {
		for number, f := range fields {
			if f.name != "" {
				out[i] = append(out[i], numbered{uint64(number), f})
			}
		}
	}
	return out
})

// encoder encodes values as messages of the catalog.
type encoder struct{ messages [][]numbered }

func appendTag(dst []byte, number uint64, wire uint8) []byte {
	return binary.AppendUvarint(dst, number<<3|uint64(wire))
}

func appendBytes[T []byte | string](dst []byte, number uint64, b T) []byte {
	dst = binary.AppendUvarint(appendTag(dst, number, wireBytes), uint64(len(b)))
	return append(dst, b...)
}

func appendInt(dst []byte, number uint64, n int64) []byte {
	return binary.AppendUvarint(appendTag(dst, number, wireVarint), uint64(n))
}

// appendNested appends a field whose content write appends. It reserves one byte for the
// length and moves the content if the length needs more.
func appendNested(dst []byte, number uint64, write func([]byte) ([]byte, error)) ([]byte, error) {
	dst = append(appendTag(dst, number, wireBytes), 0)
	begin := len(dst)
	dst, err := write(dst)
	if err != nil {
		return dst, err
	}
	size := uint64(len(dst) - begin)
	if size < 0x80 {
		dst[begin-1] = byte(size)
		return dst, nil
	}
	var length [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(length[:], size)
	return slices.Replace(dst, begin-1, begin, length[:n]...), nil
}

// appendMessage appends the fields of an object, sorted by number as Kubernetes does. Like
// an API server, it drops members that the message lacks.
func (e *encoder) appendMessage(dst []byte, message int, object document.Value) ([]byte, error) {
	if object.Kind() != document.Object {
		return dst, fmt.Errorf("%w: expected an object, found %v", errUnencodable, object.Kind())
	}
	var err error
	for i := range e.messages[message] {
		f := &e.messages[message][i]
		if dst, err = e.appendField(dst, f, object); err != nil {
			return dst, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return dst, nil
}

func (e *encoder) appendField(dst []byte, f *numbered, object document.Value) ([]byte, error) {
	if f.inline {
		return appendNested(dst, f.number, func(b []byte) ([]byte, error) { return e.appendMessage(b, f.message, object) })
	}
	v := object.Get(f.name)
	if !v.Exists() || v.IsNull() {
		return dst, nil
	}
	var err error
	switch {
	case f.keyed:
		for key, entry := range v.Members() {
			dst, err = appendNested(dst, f.number, func(b []byte) ([]byte, error) {
				return e.appendValue(appendBytes(b, 1, key), f, 2, entry)
			})
			if err != nil {
				return dst, fmt.Errorf("%q: %w", key, err)
			}
		}
		return dst, nil
	case f.list:
		for _, item := range v.Items() {
			if dst, err = e.appendValue(dst, f, f.number, item); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	return e.appendValue(dst, f, f.number, v)
}

// appendValue appends a value as a field with the given number. A null list item or map
// value is the zero value.
func (e *encoder) appendValue(dst []byte, f *numbered, number uint64, v document.Value) ([]byte, error) {
	if v.IsNull() && f.wire() == wireBytes {
		return appendBytes(dst, number, ""), nil
	}
	switch f.form {
	case formBool:
		yes, ok := v.Bool()
		if yes {
			return appendInt(dst, number, 1), fits(ok, v)
		}
		return appendInt(dst, number, 0), fits(ok, v)
	case formInt:
		n, ok := v.Int()
		return appendInt(dst, number, n), fits(ok, v)
	case formDouble:
		x, ok := v.Float()
		return binary.LittleEndian.AppendUint64(appendTag(dst, number, wire64), math.Float64bits(x)), fits(ok, v)
	case formMessage:
		return appendNested(dst, number, func(b []byte) ([]byte, error) { return e.appendMessage(b, f.message, v) })
	case formEither:
		return appendNested(dst, number, func(b []byte) ([]byte, error) { return e.appendEither(b, f.message, v) })
	case formRaw:
		return appendNested(dst, number, func(b []byte) ([]byte, error) {
			return appendNested(b, 1, func(b []byte) ([]byte, error) { return v.AppendJSON(b), nil })
		})
	case formIntOrString:
		return appendNested(dst, number, func(b []byte) ([]byte, error) { return appendIntOrString(b, v) })
	case formStrings:
		return appendNested(dst, number, func(b []byte) ([]byte, error) { return appendStrings(b, v) })
	}
	s, ok := v.Text()
	if !ok && f.form == formQuantity {
		s, ok = string(v.JSON()), v.Kind() == document.Number
	}
	if !ok {
		return dst, fits(false, v)
	}
	return appendText(dst, f.form, number, s)
}

// appendText appends a value that is a JSON string.
func appendText(dst []byte, f form, number uint64, s string) ([]byte, error) {
	switch f {
	case formBytes:
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return dst, fmt.Errorf("%w: %w", errUnencodable, err)
		}
		return appendBytes(dst, number, b), nil
	case formQuantity:
		return appendNested(dst, number, func(b []byte) ([]byte, error) { return appendBytes(b, 1, s), nil })
	case formTime, formMicroTime:
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return dst, fmt.Errorf("%w: %w", errUnencodable, err)
		}
		return appendNested(dst, number, func(b []byte) ([]byte, error) {
			return appendInt(appendInt(b, 1, t.Unix()), 2, int64(t.Nanosecond())), nil
		})
	case formDuration:
		d, err := time.ParseDuration(s)
		if err != nil {
			return dst, fmt.Errorf("%w: %w", errUnencodable, err)
		}
		return appendNested(dst, number, func(b []byte) ([]byte, error) { return appendInt(b, 1, int64(d)), nil })
	}
	return appendBytes(dst, number, s), nil
}

func fits(ok bool, v document.Value) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%w: the field does not accept a %v", errUnencodable, v.Kind())
}

// appendEither appends the field of a message that matches the type of a value: a list, an
// object or a boolean. If the message has both a boolean and an object, the object implies
// true.
func (e *encoder) appendEither(dst []byte, message int, v document.Value) ([]byte, error) {
	var err error
	for i := range e.messages[message] {
		f := &e.messages[message][i]
		switch {
		case f.list && v.Kind() == document.List:
			for _, item := range v.Items() {
				if dst, err = e.appendValue(dst, f, f.number, item); err != nil {
					return dst, err
				}
			}
		case f.form == formBool && v.Kind() == document.Object:
			dst = appendInt(dst, f.number, 1)
		case f.form == formBool && v.Kind() == document.Bool, f.form == formMessage && !f.list && v.Kind() == document.Object:
			if dst, err = e.appendValue(dst, f, f.number, v); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

func appendIntOrString(dst []byte, v document.Value) ([]byte, error) {
	if s, ok := v.Text(); ok {
		return appendBytes(appendInt(appendInt(dst, 1, 1), 2, 0), 3, s), nil
	}
	n, ok := v.Int()
	return appendBytes(appendInt(appendInt(dst, 1, 0), 2, n), 3, ""), fits(ok, v)
}

func appendStrings(dst []byte, v document.Value) ([]byte, error) {
	for _, item := range v.Items() {
		s, ok := item.Text()
		if !ok {
			return dst, fits(false, item)
		}
		dst = appendBytes(dst, 1, s)
	}
	return dst, fits(v.Kind() == document.List, v)
}
