package explain_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestQuoteHints(t *testing.T) {
	integer, number := &schema.Type{Scalar: schema.IntegerScalar}, &schema.Type{Scalar: schema.NumberScalar}
	for _, c := range []struct {
		why  string
		typ  *schema.Type
		text string
		want string
	}{
		{"an integer in quotes", integer, "3", "remove the quotes: 3"},
		{"a negative one", integer, "-3", "remove the quotes: -3"},
		{"a fraction, which is no integer without quotes either", integer, "1.5", ""},
		{"a fraction for a number", number, "1.5", "remove the quotes: 1.5"},
		{"less than one", number, "0.5", "remove the quotes: 0.5"},
		{"zero", integer, "0", "remove the quotes: 0"},
		{"what YAML reads as octal", integer, "010", ""},
		{"a word", integer, "many", ""},
	} {
		if got := explain.QuoteHint(c.typ, document.NewString(c.text)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
