package terminal

import (
	"bytes"
	"os"
	"testing"
)

func TestReadable(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"text in any script", "größe\tд → ", "größe\tд → "},
		{"lines", "a\nb\r\nc", "a\nb\r\nc"},
		{"a terminal's escape sequences, and their 8-bit forms", "\x1b[31m\u009b31m\x07\x7f", `\u001b[31m\u009b31m\u0007\u007f`},
		{"a carriage return and backspaces, which overwrite text", "bad\rgood\b", `bad\u000dgood\u0008`},
		{"directions and invisible characters", "a\u202eb\u200bc\u2066\ufeff\U000e0041", `a\u202eb\u200bc\u2066\ufeff\U000e0041`},
		{"line separators", "a\u2028b\u0085", `a\u2028b\u0085`},
		{"signs that have the class of invisible characters but can be seen", "\u0600", "\u0600"},
		{"bytes that are not UTF-8", "a\x9b31m\xff", `a\x9b31m\xff`},
		{"a replacement character", "\ufffd", "\ufffd"},
	} {
		if got := Readable(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
	if got, want := OneLine("a\nb\tc"), `a\u000ab\u0009c`; got != want {
		t.Errorf("in one line: %q, want %q", got, want)
	}
}

// TestTerminal: NO_COLOR disables colors and nothing else. What a terminal shows is escaped on each, while
// progress needs one on which a line can be replaced. The null device stands in for a terminal: it is a
// character device as well.
func TestTerminal(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	for _, c := range []struct {
		why, noColor, term         string
		terminal, redraw, hasColor bool
	}{
		{"a terminal", "", "xterm", true, true, true},
		{"a user who wants no colors", "1", "xterm", true, true, false},
		{"a terminal without escape sequences", "", "dumb", true, false, false},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := [...]bool{IsTerminal(device), CanRedraw(device), HasColors(device)}; got != [...]bool{c.terminal, c.redraw, c.hasColor} {
			t.Errorf("%s: terminal, progress and colors are %v", c.why, got)
		}
	}
	if IsTerminal(new(bytes.Buffer)) {
		t.Error("a buffer is a terminal")
	}
}
