package patch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

// A patchCase is one patch of one object. want is the object after it, or empty if the
// patch is refused with fails.
type patchCase struct {
	why                 string
	object, patch, want string
	fails               error
}

func runCases(t *testing.T, cases []patchCase, do func(object, change document.Value) (document.Value, error)) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range cases {
		if c.why == "" || seen[c.why] {
			t.Fatalf("a case needs a reason of its own: %q", c.why)
		}
		seen[c.why] = true
		object, change := parse(t, c.object), parse(t, c.patch)
		got, err := do(object, change)
		switch {
		case c.fails != nil && !errors.Is(err, c.fails):
			t.Errorf("%s: %s on %s gives %s, %v; wanted error %v", c.why, c.patch, c.object, got, err, c.fails)
		case c.fails != nil && got.Exists():
			t.Errorf("%s: a patch that fails answers %s", c.why, got)
		case c.fails == nil && (err != nil || got.String() != parse(t, c.want).String()):
			t.Errorf("%s: %s on %s gives %s, %v; wanted %s", c.why, c.patch, c.object, got, err, c.want)
		}
		if object.String() != parse(t, c.object).String() || change.String() != parse(t, c.patch).String() {
			t.Errorf("%s: an input was changed", c.why)
		}
	}
}

// jsonCases are behaviors of RFC 6902 that the API server has.
var jsonCases = []patchCase{
	{"a new member", `{"a":1}`, `[{"op":"add","path":"/b","value":{"c":[]}}]`, `{"a":1,"b":{"c":[]}}`, nil},
	{"add replaces an existing member", `{"a":1}`, `[{"op":"add","path":"/a","value":2}]`, `{"a":2}`, nil},
	{"add puts an item before another", `{"l":[1,3]}`, `[{"op":"add","path":"/l/1","value":2}]`, `{"l":[1,2,3]}`, nil},
	{"add at the length of a list appends", `{"l":[1]}`, `[{"op":"add","path":"/l/1","value":2}]`, `{"l":[1,2]}`, nil},
	{"a dash is the end of a list", `{"l":[1]}`, `[{"op":"add","path":"/l/-","value":2}]`, `{"l":[1,2]}`, nil},
	{"\"-\" is an ordinary key in an object", `{"m":{}}`, `[{"op":"add","path":"/m/-","value":2}]`, `{"m":{"-":2}}`, nil},
	{"add beyond the end", `{"l":[1]}`, `[{"op":"add","path":"/l/2","value":2}]`, "", patch.ErrCannotApply},
	{"add does not create parents", `{}`, `[{"op":"add","path":"/a/b","value":2}]`, "", patch.ErrCannotApply},
	{"a path through a string", `{"a":"x"}`, `[{"op":"add","path":"/a/b","value":2}]`, "", patch.ErrCannotApply},
	{"an empty key is a key", `{"":{"":1}}`, `[{"op":"replace","path":"//","value":2}]`, `{"":{"":2}}`, nil},
	{"remove a member", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"}]`, `{"b":2}`, nil},
	{"remove an item", `{"l":[1,2,3]}`, `[{"op":"remove","path":"/l/1"}]`, `{"l":[1,3]}`, nil},
	{"remove a missing member", `{"a":1}`, `[{"op":"remove","path":"/b"}]`, "", patch.ErrCannotApply},
	{"remove twice", `{"a":1}`, `[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]`, "", patch.ErrCannotApply},
	{"replace a member", `{"a":{"b":1}}`, `[{"op":"replace","path":"/a","value":[]}]`, `{"a":[]}`, nil},
	{"replace an item", `{"l":[1,2]}`, `[{"op":"replace","path":"/l/1","value":null}]`, `{"l":[1,null]}`, nil},
	{"move a member", `{"a":{"b":1},"c":{}}`, `[{"op":"move","from":"/a/b","path":"/c/d"}]`, `{"a":{},"c":{"d":1}}`, nil},
	{"the target index of a move refers to the list after the removal", `{"l":[1,2,3]}`, `[{"op":"move","from":"/l/0","path":"/l/2"}]`, `{"l":[2,3,1]}`, nil},
	{"move to the same place", `{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`, nil},
	{"move into itself", `{"a":{"b":{}}}`, `[{"op":"move","from":"/a","path":"/a/b/c"}]`, "", patch.ErrCannotApply},
	{"copy is deep", `{"a":{"l":[1]}}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/l/-","value":2}]`, `{"a":{"l":[1]},"b":{"l":[1,2]}}`, nil},
	{"copy of a value that the patch changed", `{"a":{}}`, `[{"op":"add","path":"/a/x","value":1},{"op":"copy","from":"/a","path":"/b"},{"op":"remove","path":"/a/x"}]`, `{"a":{},"b":{"x":1}}`, nil},
	{"copy into itself", `{"a":[1]}`, `[{"op":"copy","from":"/a","path":"/a/0"}]`, `{"a":[[1],1]}`, nil},
	{"a test that succeeds", `{"a":{"b":[1,"x",null]}}`, `[{"op":"test","path":"/a/b/1","value":"x"},{"op":"remove","path":"/a"}]`, `{}`, nil},
	{"a failed test undoes the whole patch", `{"a":1}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":1},{"op":"test","path":"/b","value":2}]`, "", patch.ErrTestFailed},
	{"tested maps need not be in order", `{"a":{"x":1,"y":[{"z":true}]}}`, `[{"op":"test","path":"/a","value":{"y":[{"z":true}],"x":1}}]`, `{"a":{"x":1,"y":[{"z":true}]}}`, nil},
	{"tested lists must be in order", `{"l":[1,2]}`, `[{"op":"test","path":"/l","value":[2,1]}]`, "", patch.ErrTestFailed},
	{"escapes of a pointer", `{"a/b":1,"c~d":2,"~1":3}`, `[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"},{"op":"replace","path":"/~01","value":4}]`, `{"~1":4}`, nil},
	{"operations see the result of earlier ones", `{"l":[]}`, `[{"op":"add","path":"/l/0","value":{}},{"op":"add","path":"/l/0/a","value":1},{"op":"add","path":"/l/0","value":0}]`, `{"l":[0,{"a":1}]}`, nil},
	{"no operations", `{"a":1}`, `[]`, `{"a":1}`, nil},
	{"unknown fields of an operation are ignored", `{"a":1}`, `[{"op":"remove","path":"/a","value":3,"note":"x"}]`, `{}`, nil},
	{"the whole document is tested", `{"a":1}`, `[{"op":"test","path":"","value":{"a":1}}]`, `{"a":1}`, nil},
	{"the whole document is replaced", `{"a":1}`, `[{"op":"replace","path":"","value":{"b":2}},{"op":"add","path":"/c","value":3}]`, `{"b":2,"c":3}`, nil},
	{"a list as the object", `[1,[2]]`, `[{"op":"add","path":"/1/0","value":0},{"op":"remove","path":"/0"}]`, `[[0,2]]`, nil},
	{"an unknown operation", `{}`, `[{"op":"merge","path":"/a","value":1}]`, "", patch.ErrCannotApply},
	{"a missing op", `{}`, `[{"path":"/a","value":1}]`, "", patch.ErrCannotApply},
	{"a missing path", `{}`, `[{"op":"add","value":1}]`, "", patch.ErrCannotApply},
	{"a missing from", `{"a":1}`, `[{"op":"move","path":"/a"}]`, "", patch.ErrCannotApply},
	{"a patch that is an object", `{}`, `{"op":"add","path":"/a","value":1}`, "", patch.ErrMalformed},
	{"an operation that is not an object", `{}`, `["add"]`, "", patch.ErrMalformed},
	{"a path that is not a string, after an operation that fails", `{}`, `[{"op":"remove","path":"/x"},{"op":"add","path":1,"value":1}]`, "", patch.ErrMalformed},
	{"a scalar as the object", `"text"`, `[{"op":"add","path":"/a","value":1}]`, "", patch.ErrCannotApply},
}

// serverJSONCases are behaviors of kube-apiserver that deviate from RFC 6902.
var serverJSONCases = []patchCase{
	{"replace of a missing member adds it", `{"m":{}}`, `[{"op":"replace","path":"/m/a","value":1}]`, `{"m":{"a":1}}`, nil},
	{"copy of a missing member copies null", `{"m":{}}`, `[{"op":"copy","from":"/m/a","path":"/m/b"}]`, `{"m":{"b":null}}`, nil},
	{"a missing member equals null", `{}`, `[{"op":"test","path":"/a","value":null}]`, `{}`, nil},
	{"a missing value is null", `{"a":1}`, `[{"op":"add","path":"/a"},{"op":"replace","path":"/b"}]`, `{"a":null,"b":null}`, nil},
	{"negative indices", `{"l":[1,2,3]}`, `[{"op":"remove","path":"/l/-1"},{"op":"replace","path":"/l/-2","value":0},{"op":"add","path":"/l/-1","value":9}]`, `{"l":[0,2,9]}`, nil},
	{"a negative index beyond the start", `{"l":[1]}`, `[{"op":"remove","path":"/l/-2"}]`, "", patch.ErrCannotApply},
	{"leading zeros and a plus sign", `{"l":[1,2,3]}`, `[{"op":"remove","path":"/l/00"},{"op":"remove","path":"/l/+1"}]`, `{"l":[2]}`, nil},
	{"other spellings of a number are not indices", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/1e0"}]`, "", patch.ErrCannotApply},
	{"text before the first slash of a path is ignored", `{"a":{"b":1}}`, `[{"op":"remove","path":"x/a/b"}]`, `{"a":{}}`, nil},
	{"a path without any slash", `{"a":1}`, `[{"op":"remove","path":"a"}]`, "", patch.ErrCannotApply},
	{"add to the whole document", `{}`, `[{"op":"add","path":"","value":{}}]`, "", patch.ErrCannotApply},
	{"copy to the whole document", `{}`, `[{"op":"copy","from":"","path":"/a"}]`, "", patch.ErrCannotApply},
	{"replace the whole document by a string", `{}`, `[{"op":"replace","path":"","value":"x"}]`, "", patch.ErrCannotApply},
	{"a null patch has no operations", `{"a":1}`, `null`, `{"a":1}`, nil},
	{"null as an operation", `{"a":1}`, `[null]`, "", patch.ErrCannotApply},
	{"numbers are compared as text", `{"a":2}`, `[{"op":"test","path":"/a","value":2.0}]`, "", patch.ErrTestFailed},
	{"numbers of the object are compared in printed form", `{"a":2.50}`, `[{"op":"test","path":"/a","value":2.5}]`, `{"a":2.5}`, nil},
	{"strings are compared as text", `{"a":"é"}`, `[{"op":"test","path":"/a","value":"\u00e9"}]`, "", patch.ErrTestFailed},
	{"the server escapes HTML characters", `{"a":"<"}`, `[{"op":"test","path":"/a","value":"<"}]`, "", patch.ErrTestFailed},
	{"a test must escape HTML characters too", `{"a":"<"}`, `[{"op":"test","path":"/a","value":"\u003c"}]`, `{"a":"<"}`, nil},
	{"a value that the patch added keeps the patch's text", `{}`, `[{"op":"add","path":"/a","value":"<"},{"op":"test","path":"/a","value":"<"}]`, `{"a":"<"}`, nil},
	{"a copy of an added value is escaped", `{}`, `[{"op":"add","path":"/a","value":["<"]},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b/0","value":"\u003c"}]`, `{"a":["<"],"b":["<"]}`, nil},
	{"a list with null cannot be compared", `{"l":[null]}`, `[{"op":"test","path":"/l","value":[null]}]`, "", patch.ErrInternal},
}

func byJSON(object, change document.Value) (document.Value, error) {
	return patch.JSON(object, change, patch.Options{})
}

func TestJSON(t *testing.T)                 { runCases(t, jsonCases, byJSON) }
func TestJSONAgreesWithServer(t *testing.T) { runCases(t, serverJSONCases, byJSON) }

func TestJSONLimits(t *testing.T) {
	object := parse(t, `{"a":"`+strings.Repeat("x", 1000)+`"}`)
	many := parse(t, "["+strings.Repeat(`{"op":"test","path":"/b"},`, 10000)+`{"op":"test","path":"/b"}]`)
	if _, err := byJSON(object, many); !errors.Is(err, patch.ErrTooLarge) {
		t.Errorf("10,001 operations: %v", err)
	}
	if _, err := patch.JSON(object, many, patch.Options{MaxOperations: -1}); err != nil {
		t.Errorf("10,001 operations without a bound: %v", err)
	}
	var ops []string
	for i := range 4000 {
		ops = append(ops, fmt.Sprintf(`{"op":"copy","from":"/a","path":"/c%d"}`, i))
	}
	copies := parse(t, "["+strings.Join(ops, ",")+"]")
	if _, err := byJSON(object, copies); !errors.Is(err, patch.ErrCannotApply) {
		t.Errorf("copies of 4 MB: %v", err)
	}
	if _, err := patch.JSON(object, copies, patch.Options{MaxCopyBytes: -1}); err != nil {
		t.Errorf("copies of 4 MB without a bound: %v", err)
	}
}

// TestJSONIgnoringFieldTypes: with fieldValidation=Ignore, an operation with a field of the
// wrong type is refused only when it is executed.
func TestJSONIgnoringFieldTypes(t *testing.T) {
	change := parse(t, `[{"op":1,"path":"/a","value":1}]`)
	if _, err := patch.JSON(parse(t, `{}`), change, patch.Options{IgnoreFieldTypes: true}); !errors.Is(err, patch.ErrCannotApply) {
		t.Errorf("got %v", err)
	}
}

// TestJSONListOperationsAgreeWithSlice compares many operations on a list with those on a Go slice.
func TestJSONListOperationsAgreeWithSlice(t *testing.T) {
	var slice []int
	var object, ops strings.Builder
	object.WriteString(`{"l":[0`)
	slice = append(slice, 0)
	for i := 1; i < 3000; i++ {
		fmt.Fprintf(&object, ",%d", i)
		slice = append(slice, i)
	}
	object.WriteString(`]}`)
	ops.WriteString(`[{"op":"test","path":"/m"}`)
	for i := range 9000 {
		at := (i * 7919) % len(slice)
		switch i % 4 {
		case 0, 1:
			fmt.Fprintf(&ops, `,{"op":"remove","path":"/l/%d"}`, at)
			slice = append(slice[:at], slice[at+1:]...)
		case 2:
			fmt.Fprintf(&ops, `,{"op":"add","path":"/l/%d","value":%d}`, at, -i)
			slice = append(slice[:at], append([]int{-i}, slice[at:]...)...)
		case 3:
			fmt.Fprintf(&ops, `,{"op":"replace","path":"/l/%d","value":%d}`, at, i)
			slice[at] = i
		}
	}
	ops.WriteString("]")
	got, err := byJSON(parse(t, object.String()), parse(t, ops.String()))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(strings.Trim(fmt.Sprint(slice), "[]"), " ", ",")
	if got.String() != `{"l":[`+want+`]}` {
		t.Errorf("the list differs from the slice")
	}
}
