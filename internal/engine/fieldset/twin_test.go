package fieldset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestDecodeBehindTwins: that what repeats its neighbour is looked at once hides
// nothing that is wrong further on, or in the first of them.
func TestDecodeBehindTwins(t *testing.T) {
	good := `{".":{},"f:a":{},"f:b":{}}`
	for _, odd := range []string{
		`{".":{},"f:a":{},"x":{}}`,   // no path element
		`{".":{},"f:a":{},"q:b":{}}`, // an element of a kind that is not known
		`{".":{"f:a":{}},"f:b":{}}`,  // something below a member's dot
		`{".":{}}`,                   // as the leaf {} would be written
		`{"f:a":{"i:01":{}}}`,        // an index that is spelled otherwise
		`{"f:a":null}`,
	} {
		for _, at := range []int{0, 1, 150, 298, 299} {
			var twins, spaced strings.Builder
			for i := range 300 {
				shape := good
				if i == at || i == at+1 {
					shape = odd
				}
				fmt.Fprintf(&twins, `,"k:{\"name\":\"%03d\"}":%s`, i, shape)
				fmt.Fprintf(&spaced, `,"k:{\"name\":\"%03d\"}":%s`, i, strings.Replace(shape, "{", "{"+strings.Repeat(" ", 1+i%2), 1))
			}
			got, err := decoded(t, "{"+twins.String()[1:]+"}")
			want, wantErr := decoded(t, "{"+spaced.String()[1:]+"}")
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || got != want {
				t.Errorf("%s at %d:\n got %.300s, %v\nwant %.300s, %v", odd, at, got, err, want, wantErr)
			}
		}
	}
}

func decoded(t *testing.T, text string) (string, error) {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Decode(d.Root)
	return s.JSON().String(), err
}
