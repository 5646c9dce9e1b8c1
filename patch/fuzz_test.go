package patch_test

import (
	"fmt"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// FuzzApply: any input yields either a result or an error, and inputs are not modified.
func FuzzApply(f *testing.F) {
	for _, c := range append(append(append([]patchCase{}, jsonCases...), mergeCases...), strategicCases...) {
		for typ := range 4 {
			f.Add([]byte(c.object), []byte(c.patch), byte(typ))
		}
	}
	f.Add([]byte("a: 1\n"), []byte("- {op: remove, path: /a}\n"), byte(0))
	f.Fuzz(func(t *testing.T, object, change []byte, typ byte) {
		was, with := string(object), string(change)
		out, _, err := patch.Apply(object, change, patch.Request{Type: patch.Type(typ % 4), Options: patch.Options{ListTypes: true}})
		if (err == nil) != (out != nil) {
			t.Errorf("both or neither: %q, %v", out, err)
		}
		if err != nil && err.Error() == "" {
			t.Error("an error without a word")
		}
		if string(object) != was || string(change) != with {
			t.Error("an input was changed")
		}
	})
}

// fuzzAgainst compares a type of patch with the reference engine.
func fuzzAgainst(f *testing.F, work verify.Work, cases []patchCase) {
	for _, c := range cases {
		f.Add([]byte(c.object), []byte(c.patch))
	}
	kinds := labKind(labType(), false)
	f.Fuzz(func(t *testing.T, object, change []byte) {
		o, err := document.Parse(object, document.Options{})
		if err != nil || o.Root.Kind() != document.Object {
			return
		}
		c, err := document.Parse(change, document.Options{})
		if err != nil || c.Root.Kind() < document.List {
			return // scalars are covered by the tables
		}
		live := parse(t, o.Root.String())
		agree(t, &verify.Case{Work: work, Kinds: kinds, Input: two("object", live, "patch", c.Root)})
	})
}

func FuzzJSON(f *testing.F) {
	fuzzAgainst(f, verify.JSONPatch, append(append([]patchCase{}, jsonCases...), serverJSONCases...))
}

func FuzzMerge(f *testing.F) { fuzzAgainst(f, verify.MergePatch, mergeCases) }

func FuzzStrategic(f *testing.F) { fuzzAgainst(f, verify.StrategicPatch, strategicCases) }

// FuzzCreate: a computed patch equals that of the reference engine and yields the wanted
// object.
func FuzzCreate(f *testing.F) {
	typ := labType()
	for _, c := range strategicCases {
		if c.want != "" {
			f.Add([]byte(c.object), []byte(c.want))
		}
	}
	f.Add([]byte(`{"set":["a"]}`), []byte(`{"set":[2]}`)) // a list of strings and a list of numbers: refused
	f.Fuzz(func(t *testing.T, object, wanted []byte) {
		o, err := document.Parse(object, document.Options{})
		w, err2 := document.Parse(wanted, document.Options{})
		if err != nil || err2 != nil || o.Root.Kind() != document.Object || w.Root.Kind() != document.Object {
			return
		}
		from, to := o.Root, w.Root
		madeJSON(t, from, to)
		madeMerge(t, from, to)
		if wellFormed(from, typ) && wellFormed(to, typ) {
			madeStrategic(t, from, to, typ)
		}
		agree(t, &verify.Case{Work: verify.Create, Kinds: labKind(typ, false), Input: two("from", from, "to", to)})
	})
}

// FuzzThreeWayText: the patch computed from three texts equals that of their values, and
// errors are the same.
func FuzzThreeWayText(f *testing.F) {
	kind := schema.NewKind(schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Lab"}, labType())
	for _, c := range strategicCases {
		f.Add([]byte(c.object), []byte(c.want), []byte(c.object))
	}
	f.Add([]byte(abc), []byte(`{"items":[{"name":"c","value":"3"},{"name":"b","value":"9"}]}`), []byte(abc))
	f.Fuzz(func(t *testing.T, original, modified, current []byte) {
		var in [3]document.Value
		for i, text := range [...][]byte{original, modified, current} {
			docs, err := document.Read(text, document.Options{})
			if err != nil || len(docs) != 1 {
				return
			}
			in[i] = docs[0].Root
		}
		for _, listTypes := range []bool{false, true} {
			o := patch.ThreeWayOptions{Options: patch.Options{ListTypes: listTypes}, RefuseConflicts: true}
			want, _, wantErr := patch.ThreeWay(in[0], in[1], in[2], kind, o)
			got, _, err := patch.ThreeWayText(original, modified, current, kind, o)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && string(got) != want.String() {
				t.Errorf("of texts %s %v, of values %s %v", got, err, want, wantErr)
			}
		}
	})
}
