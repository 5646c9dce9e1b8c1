package fieldset

import (
	"fmt"
	"strings"
	"testing"
)

// TestDecodeRepeatedElements compares Decode with structured-merge-diff on lists of 300
// elements. Decode skips an element with the same fields as the preceding one; two valid
// or invalid elements that differ are at every index.
func TestDecodeRepeatedElements(t *testing.T) {
	const repeated = `{".":{},"f:a":{},"f:b":{}}`
	for _, c := range []struct{ different, why string }{
		{`{".":{},"f:a":{},"x":{}}`, "not a path element"},
		{`{".":{},"f:a":{},"q:b":{}}`, "an unknown prefix"},
		{`{".":{"f:a":{}},"f:b":{}}`, "the element \".\" with fields"},
		{`{".":{}}`, "{} with a \".\" inside"},
		{`{"f:a":{"i:01":{}}}`, "an index with a leading zero"},
		{`{"f:a":null}`, "null instead of {}"},
		{`{"f:a":{},"f:b":{}}`, "a parent that is not in the set itself"},
	} {
		for _, at := range []int{0, 1, 150, 298, 299} {
			var b strings.Builder
			for i := range 300 {
				fields := repeated
				if i == at || i == at+1 {
					fields = c.different
				}
				fmt.Fprintf(&b, `,"k:{\"name\":\"%03d\"}":%s`, i, fields)
			}
			ours, theirs, err, errTheirs := decode("{" + b.String()[1:] + "}")
			if (err == nil) != (errTheirs == nil) {
				t.Fatalf("%s, at %d: error %v, structured-merge-diff's %v", c.why, at, err, errTheirs)
			}
			if err != nil {
				continue
			}
			if got, want := ours.JSON().String(), canonicalJSON(t, theirs); got != want {
				t.Errorf("%s, at %d:\n got %.300s\nwant %.300s", c.why, at, got, want)
			}
		}
	}
}
