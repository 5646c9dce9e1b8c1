package labels

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestSelector: which labels meet a selector, as apimachinery's labels.Parse has it.
func TestSelector(t *testing.T) {
	labels := document.NewObject().With("app", document.NewString("web")).With("rank", document.NewString("5"))
	for _, c := range []struct {
		reason, selector string
		want             bool
	}{
		{"no requirement", "", true},
		{"a value", "app=web", true},
		{"a value with two signs", "app==web", true},
		{"another value", "app=api", false},
		{"not another value", "app!=api", true},
		{"a label that is not set has no value", "tier!=api", true},
		{"one of several values", "app in (api, web)", true},
		{"none of several values", "app notin (api,web)", false},
		{"a label", "app", true},
		{"not a label", "!app", false},
		{"a greater number", "rank>4", true},
		{"a smaller number", "rank<5", false},
		{"a text is no number", "app>4", false},
		{"all of several requirements", "app=web,rank", true},
		{"one of several requirements", "app=web,!rank", false},
	} {
		s, err := Parse(c.selector)
		if err != nil || s.Matches(labels) != c.want {
			t.Errorf("%s: %s: %v, want %t", c.reason, c.selector, err, c.want)
		}
	}
	for _, c := range []struct{ reason, selector, want string }{
		{"a second sign", "a=b=c", "found '=', expected: ',' or 'end of string'"},
		{"a set that is not closed", "a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
		{"two values that are not valid", "a in (_,-)", `unable to parse requirement: [values[0][a]: Invalid value: "-": ` + labelForm + `, values[1][a]: Invalid value: "_": ` + labelForm + `]`},
	} {
		if _, err := Parse(c.selector); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
}

const labelForm = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
