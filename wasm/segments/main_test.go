package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module builds a module with a custom section before and after its data section.
func module(segments ...segment) []byte {
	out := []byte(header)
	out = appendBytes(append(out, 0), []byte("\x01abefore"))
	out = appendBytes(append(out, dataSection), appendSegments(nil, segments))
	return appendBytes(append(out, 0), []byte("\x01aafter"))
}

// join is rewrite without an edit.
func join(module []byte) ([]byte, error) {
	return rewrite(module, func([]segment) error { return nil })
}

// table is a table of functions with a header as runtime.pcHeader has it. Each function
// has the words given, from its name's offset on.
func table(names, files, programs string, functions ...[]uint32) []byte {
	out := append(bytes.Clone(tableMagic), make([]byte, 8*8)...)
	binary.LittleEndian.PutUint64(out[8:], uint64(len(functions)))
	at := uint64(len(out))
	for i, length := range []int{len(names), 4, len(files), len(programs)} {
		binary.LittleEndian.PutUint64(out[8*(4+i):], at)
		at += uint64(length)
	}
	binary.LittleEndian.PutUint64(out[8*8:], at)
	out = append(append(append(append(out, names...), "unit"...), files...), programs...)
	var index, entries []byte
	for i, f := range functions {
		index = binary.LittleEndian.AppendUint32(index, uint32(i))
		index = binary.LittleEndian.AppendUint32(index, uint32(8*len(functions)+len(entries)))
		entries = binary.LittleEndian.AppendUint32(entries, uint32(i))
		for _, word := range f {
			entries = binary.LittleEndian.AppendUint32(entries, word)
		}
	}
	return append(append(out, index...), entries...)
}

// TestForgetNames: names, files and lines are zeros, but for the runtime's names; what
// unwinds the stack stays, also where a line table is the same as it.
func TestForgetNames(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	// The words of a function: name, args, deferreturn, stack, file, line, number of
	// further tables, unit, start line, ids; then the further tables.
	have := append([]byte("before "), table("main.main\x00runtime.bgsweep\x00", "main.go\x00", "\x00stack\x00file\x00line\x00more",
		[]uint32{0, 1, 2, 1, 7, 12, 1, 3, 77, 9, 17}, []uint32{10, 1, 2, 1, 7, 1, 0, 3, 78, 9})...)
	want := append([]byte("before "), table(zeros(10)+"runtime.bgsweep\x00", zeros(8), "\x00stack\x00"+zeros(10)+"more",
		[]uint32{25, 1, 2, 1, 0, 0, 1, 3, 0, 9, 17}, []uint32{10, 1, 2, 1, 0, 0, 0, 3, 0, 9})...)
	if err := forgetNames([]segment{{8, have}}); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%v:\n%q, want\n%q", err, have, want)
	}
	whole := table("a\x00", "b\x00", "\x00c")
	for why, data := range map[string][]byte{"no table": []byte("nothing"), "only the magic number": tableMagic,
		"offsets beyond the data": whole[:80], "another version's magic number": append([]byte{0xf0}, whole[1:]...)} {
		before := bytes.Clone(data)
		if err := forgetNames([]segment{{8, data}}); err == nil || !bytes.Equal(data, before) {
			t.Errorf("%s: %v, %q", why, err, data)
		}
	}
}

func TestJoin(t *testing.T) {
	text := func(s string) []byte { return []byte(s) }
	for _, test := range []struct {
		why        string
		have, want []segment
	}{
		{"no segment", nil, nil},
		{"adjacent segments", []segment{{70000, text("ab")}, {70002, text("c")}}, []segment{{70000, text("abc")}}},
		{"a gap is filled with the zeros that memory has there", []segment{{8, text("a")}, {12, text("b")}}, []segment{{8, text("a\x00\x00\x00b")}}},
		{"a wide gap is kept", []segment{{8, text("a")}, {9 + widestGap + 1, text("b")}}, []segment{{8, text("a")}, {9 + widestGap + 1, text("b")}}},
		{"segments in another order than memory take their places", []segment{{11, text("c")}, {8, text("a")}, {9, text("b")}}, []segment{{8, text("ab\x00c")}}},
		{"overlapping segments are kept: the later one wins", []segment{{8, text("abc")}, {9, text("x")}}, []segment{{8, text("abc")}, {9, text("x")}}},
		{"offsets beyond 2 GiB are negative numbers", []segment{{-64, text("a")}, {-63, text("b")}}, []segment{{-64, text("ab")}}},
	} {
		got, err := join(module(test.have...))
		if err != nil || !bytes.Equal(got, module(test.want...)) {
			t.Errorf("%s: %q, %v\nwant %q", test.why, got, err, module(test.want...))
		}
	}
}

func TestJoinRefusesWhatItCannotRead(t *testing.T) {
	whole := module(segment{8, []byte("a")}, segment{20, []byte("b")})
	accepted := 0
	for n := range whole {
		if _, err := join(whole[:n]); err == nil {
			accepted++
		}
	}
	if accepted != 3 { // a module may end after its header and after each section
		t.Errorf("%d proper prefixes of the module are accepted, want 3", accepted)
	}
	passive := bytes.Replace(whole, []byte{0x00, 0x41, 8}, []byte{0x01, 0x41, 8}, 1)
	if _, err := join(passive); err == nil || !strings.Contains(err.Error(), "only active segments") {
		t.Errorf("a passive segment: %v", err)
	}
}

// A module of a version of Go whose table of functions has another form keeps its names.
func TestUnknownTableKeepsNames(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.wasm")
	if err := os.WriteFile(name, module(segment{8, []byte("a")}, segment{9, []byte("main.main")}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(name); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if want := module(segment{8, []byte("amain.main")}); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v\nwant %q", got, err, want)
	}
}
