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
		object := thingWith(t, c.spec)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Default(typ, object)
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 256 || (err != nil) != c.refused || c.refused && !errors.Is(err, ErrDefaults) {
			t.Errorf("%s: %v, %d MiB were allocated", c.why, err, used)
		}
	}
}

// thingWith returns an object with a spec in JSON.
func thingWith(t *testing.T, spec string) document.Value {
	t.Helper()
	doc, err := document.Parse([]byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":`+spec+"}"), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
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
		object := thingWith(t, c.spec)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		errs := Validate(typ, object, Options{})
		runtime.ReadMemStats(&after)
		used := (after.TotalAlloc - before.TotalAlloc) >> 20
		if used > 1<<10 || len(errs) < c.least || schema.FieldText(errs[0].Path) != c.first {
			t.Errorf("%s: %d errors, want at least %d, %d MiB were allocated, the first is of %.100s", c.why, len(errs), c.least, used, errs[0].Field)
		}
	}
}

// TestLongEnumerations: an enumeration that has an index lists the same values as a short one.
func TestLongEnumerations(t *testing.T) {
	const short = `0,1,-7,9007199254740993,2.5,1e3,"2","A","0","é","\u20ac",true,{"a":1,"b":2},[1]`
	brief, long := typeOf(t, `{"enum":[`+short+`],"x-kubernetes-preserve-unknown-fields":true}`), typeOf(t, `{"enum":[`+short+`,`+strings.ReplaceAll(manyNulls(50), ":null", "")+`"k"],"x-kubernetes-preserve-unknown-fields":true}`)
	values := `0,-0,0.0,0.5,-0.5,1,1.0,1.9,2,2.5,2.6,-7,-7.2,65,233,8364,48,50,1000,1e3,1000.0,9007199254740992,9007199254740993,9007199254740993.5,9223372036854775807,-1,1114112,4294967361,"","0","1","2","A","a","é","€","true",true,false,null,{},{"b":2,"a":1},{"a":1.0,"b":2},[],[1],[1.0],["1"]`
	list, valid := parse(t, "["+values+"]"), 0
	for _, v := range list.Items() {
		object := parse(t, thing+"0}").With("spec", v)
		a, b := len(Validate(brief, object, Options{})), len(Validate(long, object, Options{}))
		if a != b {
			t.Errorf("%s has %d errors by the short and %d by the long enumeration", v, a, b)
		}
		if a == 0 {
			valid++
		}
	}
	if valid < 10 || valid == list.Len() {
		t.Errorf("%d of %d values are valid, which tests little", valid, list.Len())
	}
}

// TestLongComparisons validates objects that take minutes if each object of a deep one is compared with the old one as a
// whole, or each item of a list with all values of an enumeration.
func TestLongComparisons(t *testing.T) {
	const depth, members = 900, 100_000
	deep := func(last string) document.Value {
		return thingWith(t, strings.Repeat(`{"a":`, depth)+"{"+strings.ReplaceAll(manyNulls(members), "null", "1")+`"z":`+last+strings.Repeat("}", depth+1))
	}
	typ := typeOf(t, strings.Repeat(`{"type":"object","properties":{"a":`, depth)+`{"type":"object","additionalProperties":{"type":"integer"}}`+strings.Repeat("}}", depth))
	if errs := Validate(typ, deep(`"x"`), Options{Old: deep("1")}); len(errs) != 1 || !strings.HasSuffix(errs[0].Field, ".a.z") {
		t.Errorf("a member that is changed and wrong: %d errors", len(errs))
	}
	if errs := Validate(typ, deep(`"x"`), Options{Old: deep(`"x"`)}); len(errs) != 0 {
		t.Errorf("a member that is wrong and not changed: %d errors", len(errs))
	}

	names := strings.TrimSuffix(strings.ReplaceAll(strings.ReplaceAll(manyNulls(members), ":null", ""), "\n", ""), ",")
	typ = typeOf(t, `{"type":"array","items":{"type":"string","enum":[`+names+`]}}`)
	if errs := Validate(typ, thingWith(t, "["+names+`,"x"]`), Options{}); len(errs) != 1 || errs[0].Field != fmt.Sprintf("spec[%d]", members) {
		t.Errorf("an item that is not listed: %d errors", len(errs))
	}
}
