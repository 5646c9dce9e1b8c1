package explain_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

func TestConflictNote(t *testing.T) {
	const whole = "; an atomic field is compared as a whole"
	for _, c := range []struct{ why, live, wanted, want string }{
		{"a default in an object", `{"apiVersion":"v1","fieldPath":"a"}`, `{"fieldPath":"a"}`, `not in the manifest: .apiVersion: "v1"` + whole},
		{"a default in an item of a list", `[{"ports":[{"port":80,"protocol":"TCP"}]}]`, `[{"ports":[{"port":80}]}]`, `not in the manifest: [0].ports[0].protocol: "TCP"` + whole},
		{"many defaults", `[{"a":1,"b":2},{"a":1,"b":2}]`, `[{},{}]`, `not in the manifest: [0].a: 1, [0].b: 2, [1].a: 1 and 1 more` + whole},
		{"another value", `[{"a":1,"b":2}]`, `[{"a":2}]`, ""},
		{"a further item", `[{"a":1,"b":2},{"a":2}]`, `[{"a":1}]`, ""},
		{"a field that only the manifest has", `{"a":1}`, `{"b":1}`, ""},
		{"another type", `{"a":1}`, `[]`, ""},
		{"a scalar", `1`, `2`, ""},
		{"an item that the live list has twice", `{"name":"A","value":"1"}`, `{"name":"A","value":"1"}`, "the live list has several items with this key; force the conflict to replace them by one"},
	} {
		got := explain.ConflictNote(nil, fieldmanager.Conflict{Live: parsedJSON(t, c.live), Wanted: parsedJSON(t, c.wanted)})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
	if got := explain.ConflictNote(nil, fieldmanager.Conflict{Wanted: document.NewInt(1)}); got != "" {
		t.Errorf("without a live value: %q", got)
	}
	for _, wanted := range []string{"false", "0", `""`, "[]", "{}"} { // which omitempty leaves out (kubernetes#128924)
		const want = "the API server does not store this empty value, so it conflicts in each apply by another manager than its owner; drop the field"
		if got := explain.ConflictNote(nil, fieldmanager.Conflict{Wanted: parsedJSON(t, wanted)}); got != want {
			t.Errorf("%s, which is not stored: %q", wanted, got)
		}
	}
}

func parsedJSON(t *testing.T, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}
