package explain_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestValueHints(t *testing.T) {
	const quoteNumber, quoteBoolean = "put it in quotes as it is written: YAML reads 1.10 as 1.1, 010 as 8 and 1e3 as 1000", "put it in quotes: YAML reads yes, no, on, off, true and false as booleans"
	const variable = "this contains a variable; replace it first, for example with 'flux envsubst'"
	integer, number := &schema.Type{Scalar: schema.IntegerScalar}, &schema.Type{Scalar: schema.NumberScalar}
	text, boolean := &schema.Type{Scalar: schema.StringScalar}, &schema.Type{Scalar: schema.BooleanScalar}
	for _, c := range []struct {
		why  string
		typ  *schema.Type
		yaml string
		want string
	}{
		{"an integer in quotes", integer, `"3"`, "remove the quotes: 3"},
		{"a negative one", integer, `"-3"`, "remove the quotes: -3"},
		{"a fraction, which is no integer without quotes either", integer, `"1.5"`, ""},
		{"a fraction for a number", number, `"1.5"`, "remove the quotes: 1.5"},
		{"less than one", number, `"0.5"`, "remove the quotes: 0.5"},
		{"zero", integer, `"0"`, "remove the quotes: 0"},
		{"what YAML reads as octal", integer, `"010"`, ""},
		{"a word", integer, `"many"`, ""},
		{"a text with digits", integer, `"12Mi"`, ""},
		{"a number for an integer", integer, "1.5", ""},
		{"a boolean for an integer", integer, "true", ""},
		{"a number for a string", text, "1.10", quoteNumber},
		{"a boolean for a string", text, "yes", quoteBoolean},
		{"a list for a string", text, "[a]", ""},
		{"a boolean in quotes", boolean, `"false"`, "remove the quotes: false"},
		{"a text that YAML reads as a boolean without quotes, but JSON does not", boolean, `"yes"`, ""},
		{"a number for a boolean", boolean, "1", ""},
		{"a variable for a number, as Flux substitutes it", integer, `"${REPLICAS:=2}"`, variable},
		{"one for bytes in Base64", text, "${PASSWORD}", variable},
		{"one for an object", &schema.Type{Map: &schema.MapType{}}, "${LABELS}", variable},
		{"a value of an unknown type", nil, "1", ""},
	} {
		d, err := document.ParseYAML([]byte(c.yaml), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := explain.ValueHint(c.typ, d.Root); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
