package gotype

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// A negative index of a JSON patch counts from the end of the list.
func TestResultOfNegativeIndexes(t *testing.T) {
	live := parsed(t, `{"apiVersion":"v1","kind":"ConfigMap","z":["a","b"]}`)
	for _, c := range []struct{ patch, want string }{
		{`[{"op":"add","path":"/z/-1","value":{"y":1,"x":2}}]`, `["a","b",{"y":1,"x":2}]`},
		{`[{"op":"add","path":"/z/-3","value":{"y":1,"x":2}}]`, `[{"y":1,"x":2},"a","b"]`},
		{`[{"op":"replace","path":"/z/-2","value":{"y":1,"x":2}}]`, `[{"y":1,"x":2},"b"]`},
		{`[{"op":"remove","path":"/z/-1"}]`, `["a"]`},
		{`[{"op":"copy","from":"/z/-1","path":"/z/0"}]`, `["b","a","b"]`},
	} {
		result, err := patch.JSON(live, parsed(t, c.patch), patch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := &cluster.ResultError{Live: live, Kind: schema.NewKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, schema.AnyObject()),
			Patch: []byte(c.patch), Format: cluster.JSONPatch, Result: result.String()}
		if got, want := requoted(strconv.Quote(e.Result), e), strconv.Quote(`{"apiVersion":"v1","kind":"ConfigMap","z":`+c.want+`}`); got != want {
			t.Errorf("%s: got %s, want %s", c.patch, got, want)
		}
	}
}

// The value of a null key is not expanded without bound: this one has five million texts.
func TestAliasesBelowANullKey(t *testing.T) {
	var text strings.Builder
	text.WriteString("a: &a0 [x]\n")
	for i := range 7 {
		fmt.Fprintf(&text, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	text.WriteString("null: *a7\n")
	body := []byte(text.String())
	_, err := document.ParseYAML(body, document.Options{})
	if err == nil {
		t.Fatal("the body is valid")
	}
	if got := yamlMessage(&cluster.BodyError{Body: body, Err: err}); len(got) > 1000 {
		t.Errorf("a message of %d bytes", len(got))
	}
}
