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

// value is the wire form of a field: bits for fixed and variable numbers, text for everything
// else.
type value struct {
	wire uint8
	bits uint64
	text string
}

// eachField calls do for every field of a message in wire order.
func eachField(message string, do func(number uint64, v value) error) error {
	for message != "" {
		tag, n := uvarint(message)
		if n <= 0 || tag>>3 == 0 {
			return fmt.Errorf("%w: a field tag is truncated or invalid", errMalformed)
		}
		v, rest, err := readValue(uint8(tag&7), message[n:])
		if err != nil {
			return err
		}
		if err := do(tag>>3, v); err != nil {
			return err
		}
		message = rest
	}
	return nil
}

// fieldsIn returns the number of fields of a message up to the first one that is malformed.
func fieldsIn(message string) (count int) {
	_ = eachField(message, func(uint64, value) error {
		count++
		return nil
	})
	return count
}

func readValue(wire uint8, s string) (v value, rest string, err error) {
	v.wire = wire
	switch wire {
	case wireVarint:
		n := 0
		if v.bits, n = uvarint(s); n <= 0 {
			return v, "", fmt.Errorf("%w: truncated number", errMalformed)
		}
		return v, s[n:], nil
	case wire64, wire32:
		size := 8
		if wire == wire32 {
			size = 4
		}
		if len(s) < size {
			return v, "", fmt.Errorf("%w: truncated %d-bit number", errMalformed, 8*size)
		}
		for i := range size {
			v.bits |= uint64(s[i]) << (8 * i)
		}
		return v, s[size:], nil
	case wireBytes:
		size, n := uvarint(s)
		if n <= 0 || size > uint64(len(s)-n) {
			return v, "", fmt.Errorf("%w: a field is longer than the rest of the body", errMalformed)
		}
		end := n + int(size)
		v.text = s[n:end]
		return v, s[end:], nil
	}
	return v, "", fmt.Errorf("%w: wire type %d", errMalformed, wire)
}

// uvarint is binary.Uvarint for a string: it returns a number and the count of bytes that it
// takes, which is 0 or less if s is too short or the number exceeds 64 bits.
func uvarint(s string) (x uint64, n int) {
	for i := range min(len(s), binary.MaxVarintLen64) {
		b := s[i]
		if i == binary.MaxVarintLen64-1 && b > 1 {
			break
		}
		x |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return x, i + 1
		}
	}
	return 0, 0
}
