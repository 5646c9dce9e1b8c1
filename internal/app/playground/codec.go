package playground

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
)

// Messages are structs of strings, booleans, ints, pointers, slices and structs. The JSON name
// of a field is its json tag. encoding/json would add 0.1 MB to the page, and does not refuse
// unknown fields in this way.

// decoder decodes messages. Each message contains the whole scenario, which differs little
// from the previous one, so a long text is sent once: a message refers to a text of the
// previous one as {"text": NUMBER}.
type decoder struct {
	// known are the texts of the previous message and those sent with this one, by their
	// numbers as JSON; used are the texts that this message refers to.
	known, used map[string]string
}

// errUnknownText is the error of a message with a reference to a text that the engine does not
// have, as after it was started anew. The page sends the message again with all texts.
var errUnknownText = errors.New("a text that the message refers to is unknown")

// message decodes the input of a request. texts is the list of the texts that the request
// refers to and the previous one did not, each {"id": NUMBER, "text": TEXT}.
func (d *decoder) message(texts, v document.Value, into reflect.Value) error {
	if d.known == nil {
		d.known = map[string]string{}
	}
	for _, t := range texts.Items() {
		d.known[t.Get("id").NumberText()], _ = t.Get("text").Text()
	}
	d.used = map[string]string{}
	err := d.read(v, into, "input")
	d.known = d.used
	return err
}

// text returns the text of a string, or of a reference to one.
func (d *decoder) text(v document.Value) (string, bool, error) {
	if v.Kind() != document.Object {
		text, ok := v.Text()
		return text, ok, nil
	}
	id := v.Get("text").NumberText()
	if id == "" {
		return "", false, nil
	}
	text, ok := d.known[id]
	if !ok {
		return "", false, errUnknownText
	}
	d.used[id] = text
	return text, true, nil
}

// read decodes a value into the target of into. Missing fields keep their zero value. Unknown
// fields are refused, because they indicate that page and engine have different versions.
func (d *decoder) read(v document.Value, into reflect.Value, path string) error {
	if v.IsNull() || !v.Exists() {
		return nil
	}
	mismatch := func(want string) error {
		return fmt.Errorf("%s must be %s, found a %s", path, want, v.Kind())
	}
	switch into.Kind() {
	case reflect.String:
		text, ok, err := d.text(v)
		if err != nil {
			return err
		}
		if !ok {
			return mismatch("a string")
		}
		into.SetString(text)
	case reflect.Bool:
		b, ok := v.Bool()
		if !ok {
			return mismatch("a boolean")
		}
		into.SetBool(b)
	case reflect.Int:
		i, ok := v.Int()
		if !ok {
			return mismatch("an integer")
		}
		into.SetInt(i)
	case reflect.Slice:
		if v.Kind() != document.List {
			return mismatch("a list")
		}
		into.Set(reflect.MakeSlice(into.Type(), v.Len(), v.Len()))
		for i, item := range v.Items() {
			if err := d.read(item, into.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return d.object(v, into, path)
	}
	return nil
}

func (d *decoder) object(v document.Value, into reflect.Value, path string) error {
	if v.Kind() != document.Object {
		return fmt.Errorf("%s must be an object, found a %s", path, v.Kind())
	}
	known := map[string]int{}
	for i := range into.NumField() {
		known[fieldName(into.Type().Field(i))] = i
	}
	for name, field := range v.Members() {
		i, ok := known[name]
		if !ok {
			return fmt.Errorf("%s has no field %q", path, name)
		}
		if err := d.read(field, into.Field(i), path+"."+name); err != nil {
			return err
		}
	}
	return nil
}

// encoder encodes messages as JSON. A nil slice is encoded as an empty list and a nil pointer
// as null, so that the page need not check whether a field exists.
type encoder struct{ names map[reflect.Type][]string }

// fields returns the JSON names of a struct's fields, with quotation marks and colons.
func (e *encoder) fields(t reflect.Type) []string {
	names, ok := e.names[t]
	if !ok {
		for i := range t.NumField() {
			names = append(names, string(document.AppendQuoted(nil, fieldName(t.Field(i))))+":")
		}
		if e.names == nil {
			e.names = map[reflect.Type][]string{}
		}
		e.names[t] = names
	}
	return names
}

func (e *encoder) append(dst []byte, from reflect.Value) []byte {
	switch from.Kind() {
	case reflect.String:
		return document.AppendQuoted(dst, from.String())
	case reflect.Bool:
		return strconv.AppendBool(dst, from.Bool())
	case reflect.Int:
		return strconv.AppendInt(dst, from.Int(), 10)
	case reflect.Slice:
		if rows, ok := reflect.TypeAssert[[]Row](from); ok {
			return appendRows(dst, rows)
		}
		dst = append(dst, '[')
		for i := range from.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst, from.Index(i))
		}
		return append(dst, ']')
	case reflect.Pointer:
		if from.IsNil() {
			return append(dst, "null"...)
		}
		return e.append(dst, from.Elem())
	case reflect.Struct:
		dst = append(dst, '{')
		for i, name := range e.fields(from.Type()) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(append(dst, name...), from.Field(i))
		}
		return append(dst, '}')
	}
	panic("playground: a message has a field of type " + from.Type().String())
}

// appendRows encodes rows, which are the largest part of a response, without reflection.
func appendRows(dst []byte, rows []Row) []byte {
	dst = append(dst, '[')
	for i := range rows {
		r := &rows[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = document.AppendQuoted(append(dst, `{"text":`...), r.Text)
		dst = document.AppendQuoted(append(dst, `,"mark":`...), r.Mark)
		dst = strconv.AppendInt(append(dst, `,"line":`...), int64(r.Line), 10)
		dst = appendInts(append(dst, `,"owners":`...), r.Owners)
		dst = appendInts(append(dst, `,"below":`...), r.Below)
		dst = append(document.AppendQuoted(append(dst, `,"meaning":`...), r.Meaning), '}')
	}
	return append(dst, ']')
}

func appendInts(dst []byte, list []int) []byte {
	dst = append(dst, '[')
	for i, n := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, ']')
}

func fieldName(f reflect.StructField) string { return f.Tag.Get("json") }
