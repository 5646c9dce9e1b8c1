package protobuf

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
)

// MediaType is the media type of these bodies in Content-Type and Accept.
const MediaType = "application/vnd.kubernetes.protobuf"

// ErrUnknownKind is the cause of the error for a kind without a protobuf encoding, such as
// a custom resource.
var ErrUnknownKind = errors.New("no protobuf encoding is known for this kind")

var magic = []byte("k8s\x00")

// Limits for decoding: the nesting depth of messages and the length of the JSON. Both are
// far above the needs of a valid object of three mebibytes.
const (
	maxDepth = 100
	maxJSON  = 64 << 20
)

// ToJSON returns the JSON of an encoded object with its apiVersion and kind. The body is
// not modified. The JSON equals that of client-go except for the order of keys and for null
// fields.
func ToJSON(body []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(body, magic)
	if !ok {
		return nil, fmt.Errorf("%w: it does not begin with the prefix %q", errMalformed, magic)
	}
	var apiVersion, kind string
	var encoded []byte
	err := eachField(rest, func(n uint64, v value) error {
		switch n {
		case 1:
			return eachField(v.bytes, func(n uint64, v value) error {
				switch n {
				case 1:
					apiVersion = string(v.bytes)
				case 2:
					kind = string(v.bytes)
				}
				return nil
			})
		case 2:
			encoded = v.bytes
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := messages()
	m, ok := c.message(apiVersion, kind)
	if !ok {
		return nil, fmt.Errorf("%w: kind %q of apiVersion %q", ErrUnknownKind, kind, apiVersion)
	}
	d := decoders.Get().(*decoder)
	defer d.release()
	d.messages = c.messages
	o := d.object()
	if err := d.read(o, encoded, m, 0); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	o.set("apiVersion", document.AppendQuoted(nil, apiVersion))
	o.set("kind", document.AppendQuoted(nil, kind))
	return bytes.Clone(d.end(o)), nil
}
