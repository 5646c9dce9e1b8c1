package structural

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestPathsOfDeepMembersAreBounded prunes a small object, most of whose members are unknown and have long
// paths, and adds up the lengths of the paths.
func TestPathsOfDeepMembersAreBounded(t *testing.T) {
	const depth, members, most = 1000, 8000, 2 << 20
	typ := typeOf(t, strings.Repeat(`{"type":"object","properties":{"a":`, depth)+`{"type":"object"}`+strings.Repeat("}}", depth))
	var text strings.Builder
	text.WriteString(`{"spec":` + strings.Repeat(`{"a":`, depth) + "{")
	for i := range members {
		fmt.Fprintf(&text, `"x%d":1,`, i)
	}
	text.WriteString(`"y":1` + strings.Repeat("}", depth+2))
	doc, err := document.Parse([]byte(text.String()), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	object, unknown := Prune(typ, doc.Root)
	if text := object.String(); strings.Contains(text, "x") || strings.Contains(text, "y") || strings.Count(text, "a") != depth {
		t.Errorf("the object is %.300s", text)
	}
	steps := 0
	for _, path := range unknown {
		steps += len(path)
	}
	if len(unknown) < 1000 || steps > most || len(unknown[0]) != depth+2 {
		t.Errorf("%d paths have %d steps, want at most %d", len(unknown), steps, most)
	}
}

// defaulted is a result of Default for an object whose defaults are short.
func defaulted(v document.Value, err error) document.Value {
	if err != nil {
		panic(err)
	}
	return v
}

// nestedLists returns a schema whose default is a list of ten objects, each of which has such a default
// again, to a depth.
func nestedLists(depth int) string {
	const level = `{"type":"object","properties":{"a":{"type":"array","default":[{},{},{},{},{},{},{},{},{},{}],"items":`
	return strings.Repeat(level, depth) + `{"type":"object"}` + strings.Repeat("}}}", depth)
}

// TestDefaultsAreBounded sets defaults whose length is exponential in the depth of the schema, or the
// product of the lengths of a list and a default.
func TestDefaultsAreBounded(t *testing.T) {
	long := `{"type":"object","properties":{"x":{"type":"string","default":"` + strings.Repeat("x", 1<<10) + `"}}}`
	item := `{"type":"string","default":"` + strings.Repeat("x", 1<<10) + `"}`
	for _, c := range []struct {
		why, schema, spec string
		refused           bool
	}{
		{"lists in lists", nestedLists(5), `{}`, false},
		{"lists in lists, to a depth that nobody can wait for", nestedLists(60), `{}`, true},
		{"a long default in each item", `{"type":"array","items":` + long + `}`, "[" + strings.Repeat("{},", 8000) + "{}]", false},
		{"a long default in each item of a long list", `{"type":"array","items":` + long + `}`, "[" + strings.Repeat("{},", 500_000) + "{}]", true},
		{"a long default of each null item", `{"type":"array","items":` + item + `}`, "[" + strings.Repeat("null,", 500_000) + "null]", true},
		{"a long default of each null member", `{"type":"object","additionalProperties":` + item + `}`, "{" + manyNulls(50_000) + `"z":null}`, true},
	} {
		typ := typeOf(t, c.schema)
		doc, err := document.Parse([]byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":`+c.spec+"}"), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = Default(typ, doc.Root)
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 256 || (err != nil) != c.refused || c.refused && !errors.Is(err, ErrDefaults) {
			t.Errorf("%s: %v, %d MiB were allocated", c.why, err, used)
		}
	}
}

func manyNulls(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":null,`, i)
	}
	return b.String()
}
