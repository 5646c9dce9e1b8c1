package document

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestEveryByteAtEveryOffset prints and parses strings that differ in one byte. Strings are
// classified eight bytes at a time, so each byte must have the same effect at each offset.
func TestEveryByteAtEveryOffset(t *testing.T) {
	for c := range 256 {
		for _, length := range []int{1, 7, 8, 9, 15, 16, 18} {
			for at := range length {
				b := []byte(strings.Repeat("a", length))
				b[at] = byte(c)
				valid := strings.ToValidUTF8(string(b), "\ufffd")
				want, err := json.Marshal(valid)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(AppendQuoted(nil, valid)); got != string(want) {
					t.Fatalf("byte %#x at %d of %d: printed as %s, by encoding/json as %s", c, at, length, got, want)
				}
				// The string is the value of a member and the second of two items, which are
				// validated in different ways.
				text := []byte(`{"a":"` + string(b) + `","b":["` + strings.Repeat("a", length) + `","` + string(b) + `"],"c":[{"k":"` + strings.Repeat("a", length) + `"},{"k":"` + string(b) + `"}],"d":["` + strings.Repeat("x", lazyList) + `"]}`)
				text = append(text, strings.Repeat(" ", lazyText)...)
				check(t, text, "one byte")
			}
		}
	}
}
