package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

const preamble = "\x00asm\x01\x00\x00\x00"

var errModule = errors.New("not a WebAssembly module as Go's linker writes it")

// The sections of a module that matter here, and their order in it.
const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	exportSection   = 7
	startSection    = 8
	codeSection     = 10
	dataSection     = 11
)

const (
	// maxImage bounds the memory that a module begins with.
	maxImage = 256 << 20
	// minGap is how many zeros in a row are worth a new segment.
	minGap = 1024
)

// module is a WebAssembly module: its sections, of which that of the data is laid
// out as the memory that the module begins with, from address 0.
type module struct {
	sections []section
	image    memory
}

type section struct {
	id      int
	content []byte
}

// memory is bytes by address.
type memory []byte

// integer reads size bytes, the lowest first; outside of memory all is zero.
func (m memory) integer(address, size int) int {
	n := 0
	for i := range size {
		if at := address + i; at >= 0 && at < len(m) {
			n |= int(m[at]) << (8 * i)
		}
	}
	return n
}

// put writes a number of 4 bytes, the lowest first.
func (m memory) put(address, n int) { binary.LittleEndian.PutUint32(m[address:], uint32(n)) }

// text reads what stands before the next zero.
func (m memory) text(address int) string {
	b := m[min(address, len(m)):]
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}

// clear sets the bytes from one address to before another to zero.
func (m memory) clear(from, to int) { clear(m[max(from, 0):min(to, len(m))]) }

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

// parse takes a module apart.
func parse(b []byte) (*module, error) {
	if !bytes.HasPrefix(b, []byte(preamble)) {
		return nil, errModule
	}
	m := &module{}
	for r := (reader{b: b[len(preamble):]}); len(r.b) > 0; {
		s := section{id: r.number()}
		s.content = r.bytes(r.number())
		if r.bad {
			return nil, errModule
		}
		m.sections = append(m.sections, s)
	}
	data := m.section(dataSection)
	if data == nil {
		return nil, errModule
	}
	image, err := load(data.content)
	m.image = image
	return m, err
}

// section finds the section of a number, nil where there is none.
func (m *module) section(id int) *section {
	for i := range m.sections {
		if m.sections[i].id == id {
			return &m.sections[i]
		}
	}
	return nil
}

// load lays the segments of a data section out in memory.
func load(section []byte) (memory, error) {
	r := reader{b: section}
	var image memory
	for n := r.number(); n > 0 && !r.bad; n-- {
		if r.number() != 0 || r.number() != opConstant {
			return nil, errModule
		}
		address := r.signed()
		if r.number() != opEnd {
			return nil, errModule
		}
		data := r.bytes(r.number())
		end := address + len(data)
		if address < 0 || end > maxImage {
			return nil, errModule
		}
		if end > len(image) {
			image = append(image, make([]byte, end-len(image))...)
		}
		copy(image[address:], data)
	}
	if r.bad {
		return nil, errModule
	}
	return image, nil
}

// encode puts the module together again.
func (m *module) encode() []byte {
	out := []byte(preamble)
	for _, s := range m.sections {
		if s.id == dataSection {
			s.content = m.segments()
		}
		out = append(out, byte(s.id))
		out = binary.AppendUvarint(out, uint64(len(s.content)))
		out = append(out, s.content...)
	}
	return out
}

// segments encodes the memory, in as few segments as make sense.
func (m *module) segments() []byte {
	var segments []byte
	count := 0
	for at := 0; at < len(m.image); {
		if m.image[at] == 0 {
			at++
			continue
		}
		end := m.segmentEnd(at)
		segments = append(segments, 0, opConstant)
		segments = appendSigned(segments, at)
		segments = append(segments, opEnd)
		segments = binary.AppendUvarint(segments, uint64(end-at))
		segments = append(segments, m.image[at:end]...)
		count++
		at = end
	}
	return append(binary.AppendUvarint(nil, uint64(count)), segments...)
}

// segmentEnd is where the next long row of zeros begins.
func (m *module) segmentEnd(at int) int {
	end := at
	for i := at; i < len(m.image) && i-end < minGap; i++ {
		if m.image[i] != 0 {
			end = i + 1
		}
	}
	return end
}

func appendSigned(b []byte, n int) []byte {
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
