package protobuf

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// MediaType is the media type of these bodies in Content-Type and Accept.
const MediaType = "application/vnd.kubernetes.protobuf"

// ErrUnknownKind is the cause of the error for a kind without a protobuf encoding, such as
// a custom resource.
var ErrUnknownKind = errors.New("no protobuf encoding is known for this kind")

// An EnvelopeError reports a body of which no apiVersion, kind and object can be read. Its messages are those of
// kube-apiserver, apart from fields of a wrong type.
type EnvelopeError struct {
	Reason string
}

func (e *EnvelopeError) Error() string { return errMalformed.Error() + ": " + e.Reason }

// Unwrap returns the error that all errors about an invalid encoding match.
func (e *EnvelopeError) Unwrap() error { return errMalformed }

// An ObjectError reports an object that cannot be decoded: Err matches [ErrUnknownKind] for one of an unknown kind, which
// has no Reason. Of a truncated one, Reason is kube-apiserver's message.
type ObjectError struct {
	APIVersion, Kind, Reason string
	Err                      error
}

func (e *ObjectError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ObjectError) Unwrap() error { return e.Err }

// reason returns what is wrong with an encoding.
func reason(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.ErrUnexpectedEOF.Error()
	}
	return err.Error()
}

const magic = "k8s\x00"

// Limits for decoding: the nesting depth of messages and the length that the object would have
// as JSON. Both are far above the needs of a valid object of three mebibytes.
const (
	maxDepth = 100
	maxJSON  = 64 << 20
)

// notBytes returns the error for a field of the message Unknown, or of its TypeMeta, that is neither a message nor text. last
// is the number of the last field of the message; those after it are unknown and ignored.
func notBytes(number uint64, v value, last uint64) error {
	if number > last || v.wire == wireBytes {
		return nil
	}
	return fmt.Errorf("%w: wire type %d in field %d of the envelope, which has %d", errMalformed, v.wire, number, wireBytes)
}

// Decode returns an encoded object with its apiVersion and kind. The body is neither modified
// nor retained. The object equals the JSON of client-go except for null fields.
func Decode(body []byte) (document.Value, error) { return DecodeAs(body, "", "") }

// DecodeAs is Decode for a body that may leave out its apiVersion and kind: those expected
// apply then (apimachinery's serializer, copyKindDefaults).
func DecodeAs(body []byte, expectedVersion, expectedKind string) (document.Value, error) {
	rest, ok := strings.CutPrefix(string(body), magic)
	switch {
	case !ok:
		return document.Value{}, &EnvelopeError{fmt.Sprintf("provided data does not appear to be a protobuf message, expected prefix %v", []byte(magic))}
	case rest == "":
		return document.Value{}, &EnvelopeError{"empty body"}
	}
	var apiVersion, kind, encoded string
	err := eachField(rest, func(n uint64, v value) error {
		if err := notBytes(n, v, 4); err != nil {
			return err
		}
		switch n {
		case 1:
			return eachField(v.text, func(n uint64, v value) error {
				switch n {
				case 1:
					apiVersion = v.text
				case 2:
					kind = v.text
				}
				return notBytes(n, v, 2)
			})
		case 2:
			encoded = v.text
		}
		return nil
	})
	if err != nil {
		return document.Value{}, &EnvelopeError{reason(err)}
	}
	if apiVersion == "" {
		apiVersion = expectedVersion
	}
	if kind == "" {
		kind = expectedKind
	}
	c := messages()
	number, ok := c.message(apiVersion, kind)
	if !ok {
		return document.Value{}, &ObjectError{apiVersion, kind, "", fmt.Errorf("%w: kind %q of apiVersion %q", ErrUnknownKind, kind, apiVersion)}
	}
	d := decoder{catalog: c}
	m := message{}
	if err := d.read(&m, encoding{part: encoded}, number, 0); err != nil {
		return document.Value{}, &ObjectError{apiVersion, kind, reason(err), fmt.Errorf("%s: %w", kind, err)}
	}
	m.object.SetString("apiVersion", apiVersion)
	m.object.SetString("kind", kind)
	return m.end(), nil
}
