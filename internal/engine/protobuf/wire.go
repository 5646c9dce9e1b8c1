package protobuf

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// errMalformed is the cause of all errors about an invalid encoding.
var errMalformed = errors.New("malformed protobuf body")

// The protobuf wire types of proto2 messages without groups.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// value is the wire form of a field: bits for fixed and variable numbers, bytes for
// everything else.
type value struct {
	wire  uint8
	bits  uint64
	bytes []byte
}

// eachField calls do for every field of a message in wire order.
func eachField(b []byte, do func(number uint64, v value) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return fmt.Errorf("%w: a field tag is truncated or invalid", errMalformed)
		}
		v, rest, err := readValue(uint8(tag&7), b[n:])
		if err != nil {
			return err
		}
		if err := do(tag>>3, v); err != nil {
			return err
		}
		b = rest
	}
	return nil
}

func readValue(wire uint8, b []byte) (v value, rest []byte, err error) {
	v.wire = wire
	switch wire {
	case wireVarint:
		n := 0
		if v.bits, n = binary.Uvarint(b); n <= 0 {
			return v, nil, fmt.Errorf("%w: truncated number", errMalformed)
		}
		return v, b[n:], nil
	case wire64:
		if len(b) < 8 {
			return v, nil, fmt.Errorf("%w: truncated 64-bit number", errMalformed)
		}
		v.bits = binary.LittleEndian.Uint64(b)
		return v, b[8:], nil
	case wire32:
		if len(b) < 4 {
			return v, nil, fmt.Errorf("%w: truncated 32-bit number", errMalformed)
		}
		v.bits = uint64(binary.LittleEndian.Uint32(b))
		return v, b[4:], nil
	case wireBytes:
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return v, nil, fmt.Errorf("%w: a field is longer than the rest of the body", errMalformed)
		}
		v.bytes = b[n : n+int(size)]
		return v, b[n+int(size):], nil
	}
	return v, nil, fmt.Errorf("%w: wire type %d", errMalformed, wire)
}
