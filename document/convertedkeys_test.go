package document

import (
	"fmt"
	"strings"
	"testing"
)

// TestConvertedKeys compares the keys that YAML reads as other texts with those that kubectl sends for the same input.
func TestConvertedKeys(t *testing.T) {
	for _, c := range []struct{ why, yaml, want string }{
		{"booleans", "y: 1\nYes: 2\noff: 3\n", `1:1 y .true, 2:1 Yes .true, 3:1 off .false`},
		{"booleans that are spelled as in JSON, and texts", "true: 1\n\"y\": 2\n'no': 3\nyes!: 4\n", ""},
		{"numbers", "010: 1\n1_000: 2\n0x1F: 3\n1.10: 4\n1e3: 5\n", `1:1 010 .8, 2:1 1_000 .1000, 3:1 0x1F .31, 4:1 1.10 ["1.1"], 5:1 1e3 .1000`},
		{"numbers that are spelled as in JSON, and texts", "1: 1\n1.5: 2\n1:30: 3\n2020-01-01: 4\n1.2.3: 5\n", ""},
		{"within lists and objects", "a:\n- b: {on: 1}\n- {c: 2, n: 3}\n", `2:7 on .a[0].b.true, 3:10 n .a[1].false`},
		{"a key in several lines of text before", "a: |\n  y: 1\nb:\n  y: 2\n", `4:3 y .b.true`},
		{"a key that is an alias", "a: &k y\n*k : 1\n", `2:1 y .true`},
		{"a merge key, and a key of the merged object", "a: &m {no: 1}\nb: {<<: *m}\n", `1:8 no .a.false, 1:8 no .b.false`},
		{"a key with an escape", "\"\\x79\": 1\n", ""},
		{"the second document", "a: 1\n---\nb: 1\non: 2\n", `4:1 on .true`},
	} {
		docs, err := Read([]byte(c.yaml), Options{Duplicates: DuplicatesLast})
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		var got []string
		for _, d := range docs {
			for _, k := range d.ConvertedKeys() {
				got = append(got, fmt.Sprintf("%d:%d %s %s", k.Position.Line, k.Position.Column, k.Written, k.Path))
			}
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q\ngot  %s\nwant %s", c.why, c.yaml, text, c.want)
		}
	}
}
