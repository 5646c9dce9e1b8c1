package main

import (
	"bytes"
	"io"
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

func TestNearbySegmentsAreJoined(t *testing.T) {
	text := func(s string) []byte { return []byte(s) }
	for _, test := range []struct {
		why        string
		have, want []segment
	}{
		{"no segment", nil, nil},
		{"adjacent segments", []segment{{70000, text("ab")}, {70002, text("c")}}, []segment{{70000, text("abc")}}},
		{"a gap is filled with the zeros that memory has there", []segment{{8, text("a")}, {12, text("b")}}, []segment{{8, text("a\x00\x00\x00b")}}},
		{"a wide gap is kept", []segment{{8, text("a")}, {9 + widestGap + 1, text("b")}}, []segment{{8, text("a")}, {9 + widestGap + 1, text("b")}}},
		{"segments out of order are sorted", []segment{{11, text("c")}, {8, text("a")}, {9, text("b")}}, []segment{{8, text("ab\x00c")}}},
		{"overlapping segments are kept: the later one wins", []segment{{8, text("abc")}, {9, text("x")}}, []segment{{8, text("abc")}, {9, text("x")}}},
		{"offsets beyond 2 GiB are negative numbers", []segment{{-64, text("a")}, {-63, text("b")}}, []segment{{-64, text("ab")}}},
	} {
		got, err := pack(module(test.have...), io.Discard)
		if err != nil || !bytes.Equal(got, module(test.want...)) {
			t.Errorf("%s: %q, %v\nwant %q", test.why, got, err, module(test.want...))
		}
	}
}

func TestInvalidModulesAreRefused(t *testing.T) {
	whole := module(segment{8, []byte("a")}, segment{20, []byte("b")})
	accepted := 0
	for n := range whole {
		if _, err := pack(whole[:n], io.Discard); err == nil {
			accepted++
		}
	}
	if accepted != 3 { // a module may end after its header and after each section
		t.Errorf("%d proper prefixes of the module are accepted, want 3", accepted)
	}
	passive := bytes.Replace(whole, []byte{0x00, 0x41, 8}, []byte{0x01, 0x41, 8}, 1)
	if _, err := pack(passive, io.Discard); err == nil || !strings.Contains(err.Error(), "only active segments") {
		t.Errorf("a passive segment: %v", err)
	}
}
