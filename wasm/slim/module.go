package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sort"
)

// segment is a piece of the initial memory: data lies in the module's bytes.
type segment struct {
	address int
	data    []byte
}

var errModule = errors.New("not a WebAssembly module as Go's linker writes it")

// reader reads a module's numbers; the first one that is cut short makes it bad.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) number() int {
	n, size := binary.Uvarint(r.b)
	return r.took(int(n), size)
}

// signed reads a signed LEB128, which is not Go's zigzag varint.
func (r *reader) signed() int {
	value, shift := 0, 0
	for i, c := range r.b {
		value |= int(c&0x7f) << shift
		shift += 7
		if c < 0x80 {
			if c&0x40 != 0 {
				value |= -1 << shift
			}
			return r.took(value, i+1)
		}
	}
	return r.took(0, 0)
}

func (r *reader) took(value, size int) int {
	if size <= 0 || size > len(r.b) {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return value
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

const (
	dataSection = 11
	opI32Const  = 0x41
	opEnd       = 0x0b
)

// dataSegments returns the segments of a module's data section, by address.
func dataSegments(module []byte) ([]segment, error) {
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errModule
	}
	for r := (reader{b: module[8:]}); len(r.b) > 0 && !r.bad; {
		id := r.number()
		content := r.bytes(r.number())
		if id == dataSection && !r.bad {
			return segments(content)
		}
	}
	return nil, errModule
}

func segments(section []byte) ([]segment, error) {
	r := reader{b: section}
	var out []segment
	for n := r.number(); n > 0; n-- {
		if r.number() != 0 || r.number() != opI32Const {
			return nil, errModule
		}
		s := segment{address: r.signed()}
		if r.number() != opEnd {
			return nil, errModule
		}
		s.data = r.bytes(r.number())
		out = append(out, s)
	}
	if r.bad {
		return nil, errModule
	}
	sort.Slice(out, func(i, j int) bool { return out[i].address < out[j].address })
	return out, nil
}

// memory is the memory that a module begins with. What is in no segment is zero.
type memory struct{ segments []segment }

// at returns the segment that holds an address, and where in it, or none.
func (m memory) at(address int) ([]byte, int) {
	i := sort.Search(len(m.segments), func(i int) bool { return m.segments[i].address > address }) - 1
	if i < 0 || address-m.segments[i].address >= len(m.segments[i].data) {
		return nil, 0
	}
	return m.segments[i].data, address - m.segments[i].address
}

func (m memory) byte(address int) byte {
	if data, i := m.at(address); data != nil {
		return data[i]
	}
	return 0
}

func (m memory) clear(address int) {
	if data, i := m.at(address); data != nil {
		data[i] = 0
	}
}

// integer reads size bytes, the lowest first.
func (m memory) integer(address, size int) int {
	n := 0
	for i := range size {
		n |= int(m.byte(address+i)) << (8 * i)
	}
	return n
}
