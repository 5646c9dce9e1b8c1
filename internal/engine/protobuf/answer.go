package protobuf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

// Field numbers used in responses: metadata of an object and of a list, the items of a
// list, and resourceVersion in an object's metadata.
const (
	fieldMetadata        = 1
	fieldItems           = 2
	fieldResourceVersion = 6
)

// Object is an encoded object without its resourceVersion, which is inserted when the
// message is written. It is immutable.
type Object struct {
	// metadata is the content of the field metadata; revision is the offset of the
	// resourceVersion in it.
	metadata []byte
	revision int
	rest     []byte
}

// Encodable reports whether objects of a kind have a protobuf encoding. Custom
// resources have none.
func Encodable(apiVersion, kind string) bool {
	_, ok := messages().message(apiVersion, kind)
	return ok
}

// Encode encodes an object of a kind without its resourceVersion.
func Encode(apiVersion, kind string, object document.Value) (*Object, error) {
	m, ok := messages().message(apiVersion, kind)
	if !ok {
		return nil, fmt.Errorf("%w: kind %q of apiVersion %q", ErrUnknownKind, kind, apiVersion)
	}
	e := &encoder{ordered()}
	o, err := e.metadata(object.Get("metadata"))
	if err != nil {
		return nil, fmt.Errorf("%s: metadata: %w", kind, err)
	}
	o.rest, err = exactly(func(b []byte) ([]byte, error) { return e.appendMessage(b, m, object.Without("metadata")) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return o, nil
}

// buffers is a pool of *[]byte for encodings whose length is not known yet.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer bounds the buffers that are returned to the pool.
const maxBuffer = 64 << 10

// exactly returns what write appends, without spare capacity.
func exactly(write func([]byte) ([]byte, error)) ([]byte, error) {
	buffer := buffers.Get().(*[]byte)
	b, err := write((*buffer)[:0])
	if cap(b) <= maxBuffer {
		*buffer = b
		defer buffers.Put(buffer)
	}
	return bytes.Clone(b), err
}

// EncodeMetadata encodes the metadata of an object of any kind as a PartialObjectMetadata
// without its resourceVersion.
func EncodeMetadata(metadata document.Value) (*Object, error) {
	o, err := (&encoder{ordered()}).metadata(metadata)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return o, nil
}

// Metadata returns the PartialObjectMetadata of an object.
func (o *Object) Metadata() *Object { return &Object{metadata: o.metadata, revision: o.revision} }

// metadata encodes the metadata of an object in two parts, before and after the
// resourceVersion.
func (e *encoder) metadata(metadata document.Value) (*Object, error) {
	o := &Object{}
	if !metadata.Exists() || metadata.IsNull() {
		return o, nil
	}
	m, _ := messages().message("*", "PartialObjectMetadata")
	fields := e.messages[e.messages[m][0].message]
	var err error
	o.metadata, err = exactly(func(b []byte) ([]byte, error) {
		for i := range fields {
			f := &fields[i]
			if f.number == fieldResourceVersion {
				o.revision = len(b)
				continue
			}
			var err error
			if b, err = e.appendField(b, f, metadata); err != nil {
				return b, fmt.Errorf("%s: %w", f.name, err)
			}
		}
		return b, nil
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// metadataSize returns the length of the content of the field metadata including a
// resourceVersion.
func (o *Object) metadataSize(revision string) int {
	if revision == "" {
		return len(o.metadata)
	}
	return len(o.metadata) + fieldSize(len(revision))
}

// fieldSize returns the length of a field with a number below 16 and n bytes of content.
func fieldSize(n int) int { return 1 + uvarintSize(uint64(n)) + n }

func uvarintSize(n uint64) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// Size returns the length of the object's message including a resourceVersion.
func (o *Object) Size(revision string) int {
	return fieldSize(o.metadataSize(revision)) + len(o.rest)
}

// Append appends the object's message including a resourceVersion.
func (o *Object) Append(dst []byte, revision string) []byte {
	dst = binary.AppendUvarint(appendTag(dst, fieldMetadata, wireBytes), uint64(o.metadataSize(revision)))
	dst = append(dst, o.metadata[:o.revision]...)
	if revision != "" {
		dst = appendBytes(dst, fieldResourceVersion, revision)
	}
	dst = append(dst, o.metadata[o.revision:]...)
	return append(dst, o.rest...)
}

// AppendItem appends the object as an item of a list.
func (o *Object) AppendItem(dst []byte, revision string) []byte {
	dst = binary.AppendUvarint(appendTag(dst, fieldItems, wireBytes), uint64(o.Size(revision)))
	return o.Append(dst, revision)
}

// ItemSize returns the length of what AppendItem appends.
func (o *Object) ItemSize(revision string) int { return fieldSize(o.Size(revision)) }

// ListMetadata returns the metadata of a list as a field of the list's message.
func ListMetadata(resourceVersion, next string, remaining int64, counted bool) []byte {
	b := appendBytes(nil, 1, "")
	b = appendBytes(b, 2, resourceVersion)
	b = appendBytes(b, 3, next)
	if counted {
		b = appendInt(b, 4, remaining)
	}
	return appendBytes(nil, fieldMetadata, b)
}

// AppendHeader appends the beginning of a response: the prefix and the message Unknown up
// to the content of its field raw, which must follow with size bytes.
func AppendHeader(dst []byte, apiVersion, kind string, size int) []byte {
	dst = appendType(append(dst, magic...), apiVersion, kind)
	return binary.AppendUvarint(appendTag(dst, 2, wireBytes), uint64(size))
}

// appendType appends the field typeMeta of the message Unknown.
func appendType(dst []byte, apiVersion, kind string) []byte {
	dst = binary.AppendUvarint(appendTag(dst, 1, wireBytes), uint64(fieldSize(len(apiVersion))+fieldSize(len(kind))))
	return appendBytes(appendBytes(dst, 1, apiVersion), 2, kind)
}

// Trailer is the end of a response that AppendHeader began: empty fields contentEncoding
// and contentType.
var Trailer = []byte{0x1a, 0, 0x22, 0}

// maxHeader is the maximum length of the tags and lengths in a response, and of its trailer.
const maxHeader = 32

// AppendMessage appends the complete response for an object.
func (o *Object) AppendMessage(dst []byte, apiVersion, kind, revision string) []byte {
	size := o.Size(revision)
	dst = slices.Grow(dst, len(magic)+len(apiVersion)+len(kind)+size+maxHeader)
	dst = AppendHeader(dst, apiVersion, kind, size)
	return append(o.Append(dst, revision), Trailer...)
}

// AppendEvent appends the frame of a watch event with an encoded object: a length of four
// bytes and a WatchEvent.
func AppendEvent(dst []byte, event string, object []byte) []byte {
	return append(appendEventHeader(dst, event, len(object)), object...)
}

// appendEventHeader appends the frame up to the encoded object, which must follow with size
// bytes.
func appendEventHeader(dst []byte, event string, size int) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(fieldSize(len(event))+fieldSize(fieldSize(size))))
	dst = appendBytes(dst, 1, event)
	dst = binary.AppendUvarint(appendTag(dst, 2, wireBytes), uint64(fieldSize(size)))
	return binary.AppendUvarint(appendTag(dst, 1, wireBytes), uint64(size))
}

// Event returns the frame of a watch event in parts that share the bytes of the object, so
// that it can be written to many clients without copies. The parts must not be modified.
func (o *Object) Event(event, apiVersion, kind, revision string) [][]byte {
	header := AppendHeader(nil, apiVersion, kind, o.Size(revision))
	frame := append(appendEventHeader(nil, event, len(header)+o.Size(revision)+len(Trailer)), header...)
	frame = binary.AppendUvarint(appendTag(frame, fieldMetadata, wireBytes), uint64(o.metadataSize(revision)))
	var version []byte
	if revision != "" {
		version = appendBytes(nil, fieldResourceVersion, revision)
	}
	return [][]byte{frame, o.metadata[:o.revision], version, o.metadata[o.revision:], o.rest, Trailer}
}

// AppendObject appends the complete response for an object of a kind that is not encoded
// otherwise, including its resourceVersion.
func AppendObject(dst []byte, apiVersion, kind string, object document.Value) ([]byte, error) {
	m, ok := messages().message(apiVersion, kind)
	if !ok {
		return nil, fmt.Errorf("%w: kind %q of apiVersion %q", ErrUnknownKind, kind, apiVersion)
	}
	if !object.Get("metadata").Exists() {
		object = object.With("metadata", document.NewObject())
	}
	return appendUnknown(dst, m, apiVersion, kind, object)
}

// AppendStatus appends the complete response for a Status, which has no object metadata.
func AppendStatus(dst []byte, status document.Value) ([]byte, error) {
	m, _ := messages().message("*", "Status")
	return appendUnknown(dst, m, "v1", "Status", status)
}

// appendUnknown appends the prefix of a response and an object in the message Unknown.
func appendUnknown(dst []byte, message int, apiVersion, kind string, object document.Value) ([]byte, error) {
	dst = appendType(append(dst, magic...), apiVersion, kind)
	e := &encoder{ordered()}
	dst, err := appendNested(dst, 2, func(b []byte) ([]byte, error) { return e.appendMessage(b, message, object) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return append(dst, Trailer...), nil
}
