package patch

import (
	"fmt"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestSpliceAgreesWithReplace: splice and the general implementation yield the same result, and
// splice declines what it cannot handle.
func TestSpliceAgreesWithReplace(t *testing.T) {
	objects := []struct {
		text    string
		printed bool
	}{
		{`{"a":{"":1,"b/c":[{"x":1},{"x":"é"},[],{},null],"~":"y"},"l":[1,2.5],"n":null}`, true},
		{`{"a":{"":1,"b/c":[{"x":1},{"x":"\u00e9"},[],{},null],"~":"y"},"l":[1,2.50],"n":null}`, false},
		{`{"l":[1,2],"a":{"b/c":[]}}`, false},
		{`{"a":{},"a":1}`, false},
		{`{"a":{},"l":[1,2]} `, false},
		{`{"a":{},"l":[1,2]`, false},
	}
	paths := []string{"/a", "/a/", "/a/b~1c/1/x", "/a/b~1c/2", "/a/b~1c/2/0", "/a/b~1c/3/x", "/a/b~1c/4", "/a/b~1c/5", "/a/b~1c/-1", "/a/b~1c/01", "/a/~0", "/l/0", "/l/1", "/l/2", "/l/-", "/n", "/n/x", "/z", "", "a", "x/l/0"}
	values := []string{`1`, `null`, `"<\u00e9"`, `{"b":2.50,"a":[]}`}
	spliced := 0
	for _, object := range objects {
		for _, path := range paths {
			for _, value := range values {
				ops := fmt.Sprintf(`[{"op":"replace","path":%q,"value":%s}]`, path, value)
				r := Request{Type: TypeJSON}
				got, ok := r.splice([]byte(object.text), []byte(ops))
				if !ok {
					continue
				}
				spliced++
				live, err := document.Parse([]byte(object.text), document.Options{})
				change, err2 := document.Parse([]byte(ops), document.Options{})
				if err != nil || err2 != nil || !object.printed {
					t.Fatal(object, ops, err, err2)
				}
				want, err := JSON(live.Root, change.Root, Options{})
				if err != nil || string(got) != want.String() {
					t.Errorf("%s of %s gives\n    %s\nnot %s, %v", ops, object.text, got, want, err)
				}
			}
		}
	}
	if spliced != 9*len(values) {
		t.Errorf("%d replacements were done in the text", spliced)
	}
}
