package structural

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
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

// TestErrorsAreBounded validates small objects that have many errors with long paths, or one for each pair of an
// item and a schema.
func TestErrorsAreBounded(t *testing.T) {
	const depth = 900
	integers := func(name string) string {
		return strings.Repeat(`{"type":"object","properties":{"`+name+`":`, depth) + `{"type":"object","additionalProperties":{"type":"integer"}}` + strings.Repeat("}}", depth)
	}
	spec := func(name string, n int) string {
		return strings.Repeat(`{"`+name+`":`, depth) + "{" + strings.ReplaceAll(manyNulls(n), "null", `"x"`) + `"z":"x"}` + strings.Repeat("}", depth)
	}
	long := strings.Repeat("n", 1000)
	all := `{"type":"array","items":{"type":"string"},"allOf":[` + strings.Repeat(`{"items":{"maxLength":5}},`, 1000) + `{"items":{"maxLength":6}}]}`
	for _, c := range []struct {
		why, schema, spec, first string
		least                    int
	}{
		{"members with errors", integers("a"), spec("a", 50), "spec" + strings.Repeat(".a", depth) + ".k0", 51},
		{"many members with errors", integers("a"), spec("a", 30_000), "spec" + strings.Repeat(".a", depth) + ".k0", 1000},
		{"many members with errors and long paths", integers(long), spec(long, 10_000), "spec" + strings.Repeat("."+long, depth) + ".k0", 30},
		{"lists of objects with errors", `{"type":"array","items":` + integers("a") + `}`, "[" + strings.Repeat(spec("a", 100)+",", 100) + spec("a", 1) + "]", "spec[0]" + strings.Repeat(".a", depth) + ".k0", 1000},
		{"schemas that each refuse all items", all, `[` + strings.Repeat(`"xxxxxxx",`, 2000) + `""]`, "spec[0]", 2000},
	} {
		typ := typeOf(t, c.schema)
		doc, err := document.Parse([]byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":`+c.spec+"}"), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		errs := Validate(typ, doc.Root, Options{})
		runtime.ReadMemStats(&after)
		used := (after.TotalAlloc - before.TotalAlloc) >> 20
		if used > 1<<10 || len(errs) < c.least || schema.FieldText(errs[0].Path) != c.first {
			t.Errorf("%s: %d errors, want at least %d, %d MiB were allocated, the first is of %.100s", c.why, len(errs), c.least, used, errs[0].Field)
		}
	}
}
