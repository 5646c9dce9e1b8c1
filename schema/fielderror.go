package schema

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gojson"
)

// FieldError is one error in an object, in the form of apimachinery's field.Error, from
// which the causes of a Status are built: the reason is Type, the field is Field, the
// message is Body.
type FieldError struct {
	Type ErrorType
	// Path is the path of the value; Field is the same path as printed in messages.
	Path  document.Path
	Field string
	// BadValue is the invalid value; absent if the message has none.
	BadValue document.Value
	// Typed is set if BadValue has a Go type in kube-apiserver, as everywhere but in custom resources.
	// Messages then print the fields of metadata in the order of that type.
	Typed bool
	// JSONText is set if BadValue is a text whose Go type is not string. Messages print it as JSON, and others
	// quoted by Go's rules.
	JSONText bool
	// Detail is the explanation.
	Detail string
	// Hint is additional advice that the API server does not give; may be empty.
	Hint string
	// Immutable is set if the value has changed and the field cannot be changed once it is
	// set.
	Immutable bool
}

// ErrorType is the type of an error; its text is the reason of a Status cause.
type ErrorType string

// The error types, with the texts of apimachinery's field package.
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

// text returns the beginning of messages with this type of error.
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

// Error returns the message of kube-apiserver: `spec.replicas: Invalid value: -1: should be
// greater than or equal to 0`.
func (e FieldError) Error() string { return e.Field + ": " + e.Body() }

// Body returns the message without the field path.
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

// maxValueText is the maximum length in bytes of an invalid value in a message.
const maxValueText = 4 << 10

func (e FieldError) valueText() string {
	text := e.jsonText()
	if s, ok := e.BadValue.Text(); ok && !e.JSONText {
		text = strconv.Quote(s)
	}
	if f, ok := e.BadValue.Float(); ok && !e.BadValue.IsInt() {
		text = strconv.FormatFloat(f, 'g', -1, 64) // Go's %v
	}
	if len(text) > maxValueText {
		return strings.ToValidUTF8(text[:maxValueText], "") + "…"
	}
	return text
}

// jsonText returns the invalid value as JSON in which <, > and & are escaped, as encoding/json writes it.
func (e FieldError) jsonText() string {
	var text string
	if e.Typed {
		text = string(gojson.Append(nil, e.BadValue, metaTypes(), maxValueText))
	} else {
		text = e.BadValue.String()
	}
	for _, c := range "<>&" {
		text = strings.ReplaceAll(text, string(c), `\u00`+strconv.FormatInt(int64(c), 16))
	}
	return text
}

// FieldText formats a path like kube-apiserver's field errors, without a leading dot:
// spec.ports[0].name; the root is "<nil>".
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
