package gotext

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/patchlab-dev/patchlab/document"
)

func TestAgreesWithFmt(t *testing.T) {
	for _, c := range []struct{ text, why string }{
		{`"a b"`, "a string is not quoted"}, {`""`, "an empty string"}, {`true`, "a boolean"}, {`null`, "null"},
		{`7`, "an integer"}, {`-9007199254740993`, "a large integer"}, {`1234567.5`, "a float with an exponent, which begins at a million"},
		{`100000.5`, "a float below a million"}, {`1e6`, "a float that is whole"}, {`1e20`, "a large float"}, {`0.0001`, "a small float"}, {`0.00001`, "a smaller float"},
		{`-0.0`, "a negative zero"}, {`[1,"a",[],{}]`, "a list"}, {`[]`, "an empty list"}, {`{}`, "an empty object"},
		{`{"a":1,"a1":2,"a-b":[{"c":null}]}`, "an object, whose members are sorted by key: a key before those that it begins"},
	} {
		d, err := document.Parse([]byte(c.text), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var decoded any
		if err := json.Unmarshal([]byte(c.text), &decoded); err != nil {
			t.Fatal(err)
		}
		if got, want := "[]interface {}{"+Syntax(d.Root)+"}", fmt.Sprintf("%#v", []any{decoded}); got != want {
			t.Errorf("%s (%s) in Go's syntax: %q, want %q", c.text, c.why, got, want)
		}
		for _, form := range []struct{ verb, got string }{{"%v", Of(d.Root)}, {"%T", Type(d.Root)}} {
			if want := fmt.Sprintf(form.verb, decoded); form.got != want {
				t.Errorf("%s (%s) as %s: %q, want %q", c.text, c.why, form.verb, form.got, want)
			}
		}
	}
}
