package protobuf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// errMalformed is the cause of all errors about an invalid encoding.
var errMalformed = errors.New("malformed protobuf body")

// A truncatedError is a malformed body that ends within a field.
type truncatedError string

func (e truncatedError) Error() string { return errMalformed.Error() + ": " + string(e) }

func (e truncatedError) Unwrap() []error { return []error{errMalformed, io.ErrUnexpectedEOF} }

// The wire types of protobuf. No message has groups, but an unknown field may be one.
const (
	wireVarint   = 0
	wire64       = 1
	wireBytes    = 2
	wireGroup    = 3
	wireGroupEnd = 4
	wire32       = 5
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
		switch {
		case n == 0:
			return truncatedError("a field tag is truncated")
		case n < 0 || int32(tag>>3) <= 0:
			return fmt.Errorf("%w: a field tag is invalid", errMalformed)
		}
		v, rest, err := readValue(uint8(tag&7), message[n:])
		if err != nil {
			return err
		}
		if err := do(uint64(int32(tag>>3)), v); err != nil { // API servers ignore further bits
			return err
		}
		message = rest
	}
	return nil
}

func readValue(wire uint8, s string) (v value, rest string, err error) {
	v.wire = wire
	switch wire {
	case wireVarint:
		n := 0
		switch v.bits, n = uvarint(s); {
		case n == 0:
			return v, "", truncatedError("truncated number")
		case n < 0:
			return v, "", fmt.Errorf("%w: a number has more than 64 bits", errMalformed)
		}
		return v, s[n:], nil
	case wire64, wire32:
		size := 8
		if wire == wire32 {
			size = 4
		}
		if len(s) < size {
			return v, "", truncatedError(fmt.Sprintf("truncated %d-bit number", 8*size))
		}
		for i := range size {
			v.bits |= uint64(s[i]) << (8 * i)
		}
		return v, s[size:], nil
	case wireBytes:
		size, n := uvarint(s)
		if n < 0 || size > math.MaxInt64 {
			return v, "", fmt.Errorf("%w: the length of a field is out of range", errMalformed)
		}
		if n == 0 || size > uint64(len(s)-n) {
			return v, "", truncatedError("a field is longer than the rest of the body")
		}
		end := n + int(size)
		v.text = s[n:end]
		return v, s[end:], nil
	case wireGroup:
		rest, err := afterGroup(s)
		return v, rest, err
	}
	return v, "", fmt.Errorf("%w: wire type %d", errMalformed, wire)
}

// afterGroup returns what follows a group, which may contain groups.
func afterGroup(s string) (rest string, err error) {
	for depth := 1; depth > 0; {
		tag, n := uvarint(s)
		if n <= 0 {
			return "", truncatedError("a group has no end")
		}
		s = s[n:]
		switch wire := uint8(tag & 7); wire {
		case wireGroup:
			depth++
		case wireGroupEnd:
			depth--
		default:
			if _, s, err = readValue(wire, s); err != nil {
				return "", err
			}
		}
	}
	return s, nil
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
