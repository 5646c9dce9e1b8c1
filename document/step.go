package document

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// StepKind is the kind of a Step.
type StepKind uint8

// The kinds of a Step.
const (
	// StepField refers to a member of an object by its name: .image
	StepField StepKind = iota
	// StepIndex refers to an item of a list by its index: [0]
	StepIndex
	// StepKey refers to an item of a list with listType "map" by its key fields:
	// [name="app"]
	StepKey
	// StepValue refers to an item of a list with listType "set" by its value: [="x"]
	StepValue
)

// Step is one step of a Path. Steps are comparable with ==: equal steps refer to the same
// part of any object, because the constructors convert keys and values to a canonical form,
// with key fields sorted by name and numbers in their shortest form. The zero Step refers
// to the field named "".
type Step struct {
	kind  StepKind
	index int
	text  string // field name, or the canonical JSON of a key or value
}

// FieldStep returns the step to the object member with the given name.
func FieldStep(name string) Step { return Step{text: name} }

// IndexStep returns the step to the i-th item of a list, counted from 0. A negative index
// matches nothing.
func IndexStep(i int) Step { return Step{kind: StepIndex, index: i} }

// ErrPath is the cause of every error about a malformed path or step.
var ErrPath = errors.New("invalid path")

// KeyStep returns the step to the list item whose key fields have the given values. key
// must be an object with at least one member, and its members must be scalars:
//
//	{"containerPort": 80, "protocol": "TCP"}
//
// An error wraps ErrPath.
func KeyStep(key Value) (Step, error) {
	if key.Kind() != Object || key.Len() == 0 {
		return Step{}, fmt.Errorf("%w: the key of a list item must be an object with at least one field, not %s", ErrPath, key)
	}
	for name, v := range key.Members() {
		if !scalar(v) {
			return Step{}, fmt.Errorf("%w: the key field %q of a list item must be a scalar, not %s", ErrPath, name, v)
		}
	}
	return Step{kind: StepKey, text: string(appendKeyElement(nil, key))}, nil
}

// ValueStep returns the step to the set item that equals a value, which must be a scalar
// other than null. An error wraps ErrPath.
func ValueStep(v Value) (Step, error) {
	if !scalar(v) || v.IsNull() {
		return Step{}, fmt.Errorf("%w: the item of a set must be a string, a number or a boolean, not %s", ErrPath, v)
	}
	return Step{kind: StepValue, text: string(AppendElementValue(nil, v))}, nil
}

func scalar(v Value) bool {
	switch v.Kind() {
	case Null, Bool, Number, String:
		return true
	}
	return false
}

// Kind returns the kind of the step.
func (s Step) Kind() StepKind { return s.kind }

// Name returns the field name of a StepField. ok is false for other kinds.
func (s Step) Name() (name string, ok bool) {
	if s.kind != StepField {
		return "", false
	}
	return s.text, true
}

// Index returns the index of a StepIndex. ok is false for other kinds.
func (s Step) Index() (i int, ok bool) { return s.index, s.kind == StepIndex }

// Value returns the object of key fields of a StepKey, or the item of a StepValue. It is
// absent for other kinds.
func (s Step) Value() Value {
	if s.kind != StepKey && s.kind != StepValue {
		return Value{}
	}
	v, err := parseElementValue(s.text)
	if err != nil {
		return Value{}
	}
	return v
}

// Element returns the step in the form used in managedFields: f:image, i:0,
// k:{"name":"app"}, v:"x". ParseElement is the inverse.
func (s Step) Element() string {
	switch s.kind {
	case StepField:
		return "f:" + s.text
	case StepIndex:
		return "i:" + strconv.Itoa(s.index)
	case StepKey:
		return "k:" + s.text
	}
	return "v:" + s.text
}

// String returns the step in the form used by Path.String: .image, ["a/b"], [0],
// [name="app"], [="x"].
func (s Step) String() string { return string(s.append(nil)) }

func (s Step) append(dst []byte) []byte {
	switch s.kind {
	case StepField:
		if plainName(s.text) {
			return append(append(dst, '.'), s.text...)
		}
		return append(AppendQuoted(append(dst, '['), s.text), ']')
	case StepIndex:
		if s.index >= 0 {
			return append(strconv.AppendInt(append(dst, '['), int64(s.index), 10), ']')
		}
	case StepKey:
		if key := s.Value(); plainKey(key) {
			dst = append(dst, '[')
			for i := range key.Len() {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = append(append(dst, key.Key(i)...), '=')
				dst = appendKeyValue(dst, key.At(i))
			}
			return append(dst, ']')
		}
	case StepValue:
		if v := s.Value(); scalar(v) && !v.IsNull() {
			return append(appendKeyValue(append(dst, '[', '='), v), ']')
		}
	}
	return append(append(append(dst, '['), s.Element()...), ']') // occurs only in managedFields that no API server wrote
}

// appendKeyValue appends a scalar in a path. Unlike in the elements of managedFields, the
// characters of HTML are not escaped, as in the API server's messages.
func appendKeyValue(dst []byte, v Value) []byte {
	if text, ok := v.Text(); ok {
		return appendElementText(dst, text, false)
	}
	return AppendElementValue(dst, v)
}

// plainKey reports whether a key can be written as [name="value"].
func plainKey(key Value) bool {
	for name, v := range key.Members() {
		if !plainName(name) || !scalar(v) {
			return false
		}
	}
	return key.Len() > 0
}

// Compare orders steps as the API server orders the elements of a field set: fields by
// name, then items by key, by value and by index. Keys and values are ordered by the
// function Compare, so that 9 sorts before 10.
func (s Step) Compare(o Step) int {
	if s == o {
		return 0
	}
	if c := cmp.Compare(s.rank(), o.rank()); c != 0 {
		return c
	}
	switch s.kind {
	case StepIndex:
		return cmp.Compare(s.index, o.index)
	case StepKey, StepValue:
		return Compare(s.Value(), o.Value())
	}
	return strings.Compare(s.text, o.text)
}

func (s Step) rank() int {
	return [...]int{StepField: 0, StepKey: 1, StepValue: 2, StepIndex: 3}[s.kind]
}
