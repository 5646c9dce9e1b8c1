package kinds

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestHintsNameChanges checks the hint of an error about a change of a whole object: it names the
// fields that differ, amounts that are equal are no difference, and it stays short.
func TestHintsNameChanges(t *testing.T) {
	for _, c := range []struct{ why, next, old, want string }{
		{"a field of an item, and one that is new", `{"a":[{"b":1,"c":2}]}`, `{"a":[{"b":2}]}`, "changed: .spec.a[0].b, .spec.a[0].c"},
		{"a field that is gone", `{}`, `{"a":{"b":1}}`, "changed: .spec.a"},
		{"a list with another number of items", `{"a":[1]}`, `{"a":[1,2]}`, "changed: .spec.a"},
		{"an amount in other words", `{"a":"1Gi","b":"x"}`, `{"a":"1024Mi","b":"y"}`, "changed: .spec.b"},
		{"no difference", `{"a":"1Gi"}`, `{"a":"1024Mi"}`, ""},
		{"a key with dots", `{"app.kubernetes.io/name":"x"}`, `{"app.kubernetes.io/name":"y"}`, `changed: .spec["app.kubernetes.io/name"]`},
		{"many fields", `{"a":1,"b":1,"c":1,"d":1,"e":1}`, `{}`, "changed, among others: .spec.a, .spec.b, .spec.c, .spec.d"},
	} {
		next, old := parsed(t, c.next), parsed(t, c.old)
		check := newCheck(&schema.Kind{}, "", document.NewObject().With("spec", next))
		spec := check.root(document.NewObject().With("spec", next)).get("spec")
		check.invalidChange(spec, isImmutable)
		check.nameChanges(spec, next, old)
		if got := check.errs[0].Hint; got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
		check.release()
	}
}

func parsed(t *testing.T, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}
