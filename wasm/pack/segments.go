package main

import (
	"encoding/binary"
	"slices"
)

// widestGap is the number of zero bytes up to which two segments are joined: one
// page of memory.
const widestGap = 64 << 10

// segment is a run of bytes that is copied to an offset of memory 0 when the module
// is instantiated.
type segment struct {
	offset int
	data   []byte
}

func readSegments(section []byte) ([]segment, error) {
	r := reader{data: section}
	segments := make([]segment, 0, len(section)/8)
	for n := r.number(); n > 0 && r.err == nil; n-- {
		const activeInMemory0, i32Const, end = 0x00, 0x41, 0x0b
		r.expect(activeInMemory0)
		r.expect(i32Const)
		offset := r.signed()
		r.expect(end)
		segments = append(segments, segment{offset, r.bytes()})
	}
	return segments, r.err
}

// joinSegments sorts the segments by offset, as linkers need not, and joins each with
// its predecessor if it starts at most widestGap bytes after it. Memory is zero where
// no segment writes, so the gap is filled with zeros. Where segments overlap, the
// order counts, and they are returned as they are.
func joinSegments(segments []segment) []segment {
	sorted := slices.Clone(segments)
	slices.SortStableFunc(sorted, func(a, b segment) int { return a.offset - b.offset })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].offset < sorted[i-1].offset+len(sorted[i-1].data) {
			return segments
		}
	}
	joined := segments[:0:0]
	for _, s := range sorted {
		if len(joined) > 0 {
			last := &joined[len(joined)-1]
			if gap := s.offset - last.offset - len(last.data); gap <= widestGap {
				last.data = append(append(last.data, make([]byte, gap)...), s.data...)
				continue
			}
		}
		joined = append(joined, segment{s.offset, slices.Clone(s.data)})
	}
	return joined
}

func appendSegments(out []byte, segments []segment) []byte {
	out = binary.AppendUvarint(out, uint64(len(segments)))
	for _, s := range segments {
		out = append(out, 0x00, 0x41)
		out = appendSigned(out, s.offset)
		out = append(out, 0x0b)
		out = appendBytes(out, s.data)
	}
	return out
}
