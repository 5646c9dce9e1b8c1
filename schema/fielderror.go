package schema

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// FieldError is one thing that is wrong with an object. Its texts are those of
// kube-apiserver (apimachinery's field.Error), so that a Status' causes can be
// made of it: the reason is Type, the field Field, the message Body.
type FieldError struct {
	Type ErrorType
	// Path leads to the value; Field is the path as messages write it.
	Path  document.Path
	Field string
	// BadValue is the value that is wrong, absent where none is told.
	BadValue document.Value
	// Detail says why.
	Detail string
	// Hint is advice that the API server does not give; may be empty.
	Hint string
}

// ErrorType says what is wrong; its text is the reason in a Status' causes.
type ErrorType string

// The types of errors.
const (
	ErrorNotFound     ErrorType = "FieldValueNotFound"
	ErrorRequired     ErrorType = "FieldValueRequired"
	ErrorDuplicate    ErrorType = "FieldValueDuplicate"
	ErrorInvalid      ErrorType = "FieldValueInvalid"
	ErrorNotSupported ErrorType = "FieldValueNotSupported"
	ErrorForbidden    ErrorType = "FieldValueForbidden"
	ErrorTooLong      ErrorType = "FieldValueTooLong"
	ErrorTooMany      ErrorType = "FieldValueTooMany"
	ErrorTypeInvalid  ErrorType = "FieldValueTypeInvalid"
	ErrorInternal     ErrorType = "InternalError"
)

// text is how messages begin that name the type of error.
func (t ErrorType) text() string {
	switch t {
	case ErrorNotFound:
		return "Not found"
	case ErrorRequired:
		return "Required value"
	case ErrorDuplicate:
		return "Duplicate value"
	case ErrorNotSupported:
		return "Unsupported value"
	case ErrorForbidden:
		return "Forbidden"
	case ErrorTooLong:
		return "Too long"
	case ErrorTooMany:
		return "Too many"
	case ErrorInternal:
		return "Internal error"
	}
	return "Invalid value"
}

// Error returns the message as kube-apiserver words it:
// `spec.replicas: Invalid value: -1: should be greater than or equal to 0`.
func (e FieldError) Error() string { return e.Field + ": " + e.Body() }

// Body returns the message without the field.
func (e FieldError) Body() string {
	s := e.Type.text()
	switch e.Type {
	case ErrorRequired, ErrorForbidden, ErrorTooLong, ErrorInternal:
	default:
		if e.BadValue.Exists() {
			s += ": " + e.valueText()
		}
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// maxValueText limits the part of a message that shows the wrong value, in bytes.
const maxValueText = 4 << 10

func (e FieldError) valueText() string {
	text := e.BadValue.String()
	if s, ok := e.BadValue.Text(); ok {
		text = strconv.Quote(s)
	}
	if len(text) > maxValueText {
		return strings.ToValidUTF8(text[:maxValueText], "") + "…"
	}
	return text
}

// FieldText writes a path as kube-apiserver's messages on fields do, without a
// dot in front: spec.ports[0].name; "<nil>" for the root.
func FieldText(p document.Path) string {
	if len(p) == 0 {
		return "<nil>"
	}
	var b strings.Builder
	for _, s := range p {
		name, ok := s.Name()
		if !ok {
			b.WriteString(s.String())
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}
