package verify

import (
	"flag"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

var (
	cases = flag.Int("cases", 2000, "random cases to compare the engines with")
	seed  = flag.Uint64("seed", 1, "the first of their seeds")
)

func theReference() Reference {
	return Reference{Merge: func() fieldmanager.Engine { return reference.Merger() }, Patch: reference.Patch{}}
}

func everyKind(t testing.TB) *Source {
	t.Helper()
	c, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	s := &Source{Custom: true}
	for k := range c.Kinds() {
		if k.Resource != "" && k.Type().Map.Field("metadata") != nil {
			s.Kinds = append(s.Kinds, k)
		}
	}
	return s
}

func TestEnginesAgree(t *testing.T) {
	report, failure, err := Run(t.Context(), theReference(), everyKind(t), Options{First: *seed, Cases: *cases})
	if err != nil {
		t.Fatal(err)
	}
	if failure != nil {
		t.Fatalf("seed %d: %s", failure.Case.Seed, failure.Text())
	}
	t.Logf("%+v", *report)
}

// TestFaultyEngineIsDetected: a faulty engine is detected, and the case is shrunk to its
// cause.
func TestFaultyEngineIsDetected(t *testing.T) {
	for name, wrong := range map[string]Reference{
		"never prunes":       {Merge: func() fieldmanager.Engine { return neverPrunes{reference.Merger()} }, Patch: reference.Patch{}},
		"merge keeps a null": {Merge: theReference().Merge, Patch: nullKeeper{}},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{First: 1, Cases: 5000}
			report, failure, err := Run(t.Context(), wrong, everyKind(t), o)
			if err != nil {
				t.Fatal(err)
			}
			if failure == nil {
				t.Fatal("not found in 5,000 cases")
			}
			if report.Cases > 5000 || failure.SizeAfter > 400 || failure.SizeAfter >= failure.SizeBefore {
				t.Errorf("%d bytes of %d are left:\n%s", failure.SizeAfter, failure.SizeBefore, failure.Text())
			}
			again := Examine(wrong, failure.Least, o)
			if again == nil || again.SizeAfter != failure.SizeAfter {
				t.Errorf("shrinking a shrunk case changes it: %+v", again)
			}
			if _, same, err := Run(t.Context(), wrong, everyKind(t), o); err != nil || same == nil || same.Text() != failure.Text() {
				t.Errorf("the second run finds another case: %v", err)
			}
		})
	}
}

// neverPrunes is a reference that does not remove fields that an applying manager gave up.
type neverPrunes struct{ fieldmanager.Engine }

func (h neverPrunes) Apply(t *structured.Types, live, config document.Value, entries []structured.Entry, self structured.Entry, force bool) (document.Value, bool, []structured.Entry, error) {
	merged, changed, after, err := h.Engine.Apply(t, live, config, entries, self, force)
	if err == nil && changed {
		for key, val := range live.Get("spec").Members() {
			if merged.Get("spec").Kind() == document.Object && !merged.Get("spec").Get(key).Exists() {
				merged = merged.Set(val, "spec", key)
			}
		}
	}
	return merged, changed, after, err
}

// nullKeeper is a reference that stores the nulls of merge patches.
type nullKeeper struct{ reference.Patch }

func (n nullKeeper) Merge(object, change document.Value, o patch.Options) (document.Value, error) {
	out, err := n.Patch.Merge(object, change, o)
	for key, val := range change.Members() {
		if err == nil && val.IsNull() {
			out = out.With(key, val)
		}
	}
	return out, err
}

func TestShrinkKeepsTheFailure(t *testing.T) {
	v := parse([]byte(`{"a":[1,2,{"b":{"c":"x","d":[7]}}],"e":{"f":1},"g":null}`))
	least, tries := Shrink(v, 0, func(v document.Value) bool {
		for _, item := range v.Get("a").Items() {
			if item.Lookup("b", "c").Exists() {
				return true
			}
		}
		return false
	})
	if got, want := least.String(), `{"a":[{"b":{"c":"x"}}]}`; got != want || tries > 40 {
		t.Errorf("%s after %d tries, want %s", got, tries, want)
	}
	if same, tries := Shrink(v, 3, func(document.Value) bool { return false }); tries != 3 || !document.Identical(same, v) {
		t.Errorf("%s after %d tries", same, tries)
	}
}
