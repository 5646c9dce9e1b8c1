package schema

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// The texts are those in messages of kube-apiserver 1.36.3.
func TestTypedValuesHaveTheOrderOfTheirTypes(t *testing.T) {
	for _, c := range []struct{ why, value, want string }{
		{"a selector", `{"matchExpressions":[{"key":"abc","operator":"abc"}],"matchLabels":{"a":"b"}}`,
			`{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"abc","operator":"abc"}]}`},
		{"owners", `[{"apiVersion":"v1","controller":true,"kind":"Pod","name":"p","uid":"u"},{"apiVersion":"v1","controller":true,"kind":"Pod","name":"p","uid":"w"}]`,
			`[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"w","controller":true}]`},
		{"metadata with managers", `{"managedFields":[{"apiVersion":"v1","manager":"m","operation":"Update"}],"name":"n"}`,
			`{"name":"n","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1"}]}`},
		{"another type", `{"key":"a","operator":"In","values":["<"]}`, `{"key":"a","operator":"In","values":["\u003c"]}`},
		{"labels are a map", `{"matchLabels":{"kind":"x","apiVersion":"y"}}`, `{"matchLabels":{"apiVersion":"y","kind":"x"}}`},
		{"nothing", `{}`, `{}`},
		{"a number", `1`, `1`},
	} {
		d, err := document.Parse([]byte(c.value), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := FieldError{Type: ErrorInvalid, Field: "f", BadValue: d.Root, Typed: true}
		if got, want := e.Error(), "f: Invalid value: "+c.want; got != want {
			t.Errorf("%s: %s, want %s", c.why, got, want)
		}
	}
}
