package structured

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// reconcileSchema is the schema of TestReconcileRepeatedElements in the format of
// structured-merge-diff.
const reconcileSchema = `types:
- name: atomic
  map:
    elementType: {scalar: string}
    elementRelationship: atomic
- name: item
  map:
    fields:
    - {name: a, type: {scalar: string}}
    - {name: name, type: {scalar: string}}
    - {name: whole, type: {namedType: atomic}}
- name: top
  map:
    fields:
    - {name: all, type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [name]}}}
    - {name: free, type: {namedType: item}}
    - {name: whole, type: {namedType: atomic}}
`

// TestReconcileRepeatedElements compares reconcile with structured-merge-diff on lists of
// 300 elements. reconcile skips an element with the same fields as the preceding one; the
// elements that must be reconciled are at every index.
func TestReconcileRepeatedElements(t *testing.T) {
	text := &schema.Type{Scalar: schema.StringScalar}
	atomic := &schema.Type{Map: &schema.MapType{Elem: text, Atomic: true}}
	item := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "a", Type: text}, {Name: "name", Type: text}, {Name: "whole", Type: atomic}}}}
	items := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	top := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "all", Type: items}, {Name: "free", Type: item}, {Name: "whole", Type: atomic}}}}
	parser, err := typed.NewParser(reconcileSchema)
	if err != nil {
		t.Fatal(err)
	}
	object, err := parser.Type("top").FromYAML(`{}`)
	if err != nil {
		t.Fatal(err)
	}

	const repeated, inAtomic = `{".":{},"f:a":{},"f:name":{}}`, `{".":{},"f:a":{},"f:whole":{"f:x":{}}}`
	found := 0
	for _, from := range []int{0, 1, 150, 299, 300} {
		for _, n := range []int{1, 2, 300} {
			var b strings.Builder
			for i := range 300 {
				fields := repeated
				if i >= from && i < from+n {
					fields = inAtomic
				}
				fmt.Fprintf(&b, `,"k:{\"name\":\"%03d\"}":%s`, i, fields)
			}
			// free and whole have equal fields but different types. Without them, only
			// the elements must be reconciled.
			for _, rest := range []string{"", `,"f:free":{"f:x":{}},"f:whole":{"f:x":{}}`} {
				set := `{"f:all":{` + b.String()[1:] + `}` + rest + `}`
				ours, err := fieldset.Decode(parse(t, set))
				if err != nil {
					t.Fatal(err)
				}
				got := reconcile(top, ours).JSON().String()
				if want := reconciledByLibrary(t, object, set); got != want {
					t.Errorf("%d elements to reconcile, from %d:\n got %.400s\nwant %.400s", n, from, got, want)
				}
				found += strings.Count(got, `"f:whole":{}`)
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d elements were reconciled", found)
	}
}

// reconciledByLibrary returns the result of structured-merge-diff with sorted keys.
func reconciledByLibrary(t *testing.T, object *typed.TypedValue, set string) string {
	t.Helper()
	s := &fieldpath.Set{}
	if err := s.FromJSON(strings.NewReader(set)); err != nil {
		t.Fatal(err)
	}
	reconciled, err := typed.ReconcileFieldSetWithSchema(s, object)
	if err != nil {
		t.Fatal(err)
	}
	if reconciled == nil { // the set does not change
		reconciled = s
	}
	out, err := reconciled.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.Parse(out, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root.String()
}
