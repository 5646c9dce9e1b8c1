package patchlab

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// TestLargeValuesAreShortened checks that a message contains no large value, however its members are
// ordered, and that the rest is unchanged.
func TestLargeValuesAreShortened(t *testing.T) {
	large := `{"b":"` + strings.Repeat("} ", 150) + `","a":[1]}`
	for _, c := range []struct{ why, message, want string }{
		{"a large object", "Invalid value: " + large + ": field is immutable", "Invalid value: {…}: field is immutable"},
		{"a large object that is cut", "Invalid value: " + large[:300] + "…: field is immutable", "Invalid value: {…}: field is immutable"},
		{"a large list", "Duplicate value: [" + large + "]", "Duplicate value: […]"},
		{"a small object", `Invalid value: {"a":1}: field is immutable`, `Invalid value: {"a":1}: field is immutable`},
		{"a long text", `Invalid value: "` + large + `": too long`, `Invalid value: "` + large + `": too long`},
		{"an object that is cut off", "Invalid value: " + large[:250], "Invalid value: " + large[:250]},
		{"no value", "Required value", "Required value"},
	} {
		if got := (FieldError{Field: "spec.a", Message: c.message}).String(); got != "spec.a: "+c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// variables returns a Deployment manifest with n environment variables, items of a keyed
// list, that share one value.
func variables(n int, value string) []byte {
	var b strings.Builder
	b.WriteString("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {matchLabels: {app: web}}\n" +
		"  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - name: web\n        image: web\n        env:\n")
	for i := range n {
		fmt.Fprintf(&b, "        - name: VARIABLE_%05d\n          value: %s\n", i, value)
	}
	return []byte(b.String())
}

// TestConflictsAreLocatedWithoutSearching locates many conflicts in one list by their
// indices: no list is searched.
func TestConflictsAreLocatedWithoutSearching(t *testing.T) {
	const n = 2000
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	live, err := lab.Apply(nil, Bytes(variables(n, "a")), ApplyOptions{FieldManager: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lab.Apply(live.After, Bytes(variables(n, "b")), ApplyOptions{FieldManager: "bob"})
	var failed *Error
	if !errors.As(err, &failed) || failed.Conflicts == nil || len(failed.Conflicts.List) != n {
		t.Fatalf("%d conflicts were expected: %v", n, err)
	}
	docs, err := manifest.Parse("web.yaml", variables(n, "b"))
	if err != nil {
		t.Fatal(err)
	}
	object := manifest.Split(docs...)[0]
	l := newLocator(object, live.After.Kind.Type())
	for i, c := range failed.Conflicts.List {
		for _, s := range l.Indexed(c.Path) {
			if s.Kind() == document.StepKey || s.Kind() == document.StepValue {
				t.Fatalf("%s is searched for", c.Path)
			}
		}
		want := object.Locate(c.Path)
		if got := l.locate(c.Path); got != want || got.Line != 14+2*i {
			t.Fatalf("%s is at %s, want %s", c.Path, got, want)
		}
	}
}

// TestReportsGrowLinearly compares the allocations for n conflicts, and for n objects, with
// those for four times as many.
func TestReportsGrowLinearly(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		work func(n int) func()
	}{
		{"conflicts of one object", func(n int) func() {
			live, err := lab.Apply(nil, Bytes(variables(n, "a")), ApplyOptions{FieldManager: "alice"})
			if err != nil {
				t.Fatal(err)
			}
			config := Bytes(variables(n, "b"))
			return func() {
				_, err := lab.Apply(live.After, config, ApplyOptions{FieldManager: "bob"})
				if !errors.Is(err, fieldmanager.ErrConflict) || err.Error() == "" {
					t.Fatal(err)
				}
			}
		}},
		{"live objects against as many manifests", func(n int) func() {
			live, changes := configMaps(n, "a"), configMaps(n, "b")
			return func() { runAll(t, lab, live, changes, n) }
		}},
		{"reasons", func(n int) func() {
			live, err := lab.Apply(nil, Bytes(variables(n, "a")), ApplyOptions{FieldManager: "alice"})
			if err != nil {
				t.Fatal(err)
			}
			result, err := lab.Apply(live.After, Bytes(variables(n, "b")), ApplyOptions{FieldManager: "bob", Force: true, Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				if got := len(result.Reasons()); got < n {
					t.Fatalf("%d reasons for %d fields", got, n)
				}
			}
		}},
	} {
		few, many := testing.AllocsPerRun(1, c.work(500)), testing.AllocsPerRun(1, c.work(2000))
		if many > 4.4*few {
			t.Errorf("%s: %.0f allocations for 500, %.0f for 2000", c.name, few, many)
		}
	}
}

// TestConflictReportAllocatesAtMostTwiceTheEngine compares the allocations of an apply with many
// conflicts with those of the merge engine alone.
func TestConflictReportAllocatesAtMostTwiceTheEngine(t *testing.T) {
	engine, report := conflicting(t, 2000)
	if e, r := testing.AllocsPerRun(2, engine), testing.AllocsPerRun(2, report); r > 2*e {
		t.Errorf("the engine makes %.0f allocations, the report %.0f", e, r)
	}
}

// conflicting returns functions that apply a configuration with n conflicts: by the engine
// alone, and through a Lab with its report.
func conflicting(t testing.TB, n int) (engine, report func()) {
	t.Helper()
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	live, err := lab.Apply(nil, Bytes(variables(n, "a")), ApplyOptions{FieldManager: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := manifest.Parse("web.yaml", variables(n, "b"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := lab.pipeline.Manager(live.After.Kind, "")
	if err != nil {
		t.Fatal(err)
	}
	engine = func() {
		if _, err := m.Apply(live.After.split(), docs[0].Root, fieldmanager.ApplyOptions{FieldManager: "bob"}); err == nil {
			t.Fatal("no conflict")
		}
	}
	report = func() {
		var failed *Error
		_, err := lab.Apply(live.After, parsed(docs), ApplyOptions{FieldManager: "bob"})
		if !errors.As(err, &failed) || len(failed.Fields) != n || failed.Fields[n-1].Position.Line == 0 || failed.Error() == "" {
			t.Fatal(err)
		}
	}
	return engine, report
}

// configMaps returns n ConfigMaps that share one value.
func configMaps(n int, value string) Input {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-%05d\n  namespace: shop\ndata:\n  key: %s\n", i, value)
	}
	return Bytes([]byte(b.String()))
}

func runAll(t testing.TB, lab *Lab, live, changes Input, n int) {
	t.Helper()
	changed := 0
	for result, err := range lab.Run(live, changes, Change{Action: ActionApply, FieldManager: "bob", Force: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if result.Changed() && !result.Created() {
			changed++
		}
	}
	if changed != n {
		t.Fatalf("%d objects changed, want %d", changed, n)
	}
}

// BenchmarkObjects matches live objects with the same number of manifests and applies them.
func BenchmarkObjects(b *testing.B) {
	lab, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			live, changes := configMaps(n, "a"), configMaps(n, "b")
			for b.Loop() {
				runAll(b, lab, live, changes, n)
			}
		})
	}
}

// BenchmarkConflicts compares an apply with 10,000 conflicts through a Lab with the merge
// engine alone.
func BenchmarkConflicts(b *testing.B) {
	engine, report := conflicting(b, 10000)
	b.Run("engine", func(b *testing.B) {
		for b.Loop() {
			engine()
		}
	})
	b.Run("report", func(b *testing.B) {
		for b.Loop() {
			report()
		}
	})
}

// parsed is an Input of documents that are already parsed, with their line numbers.
type parsed []*document.Document

func (d parsed) Documents() ([]*document.Document, error) { return d, nil }

// TestRefusedItemNotInManifestIsLocated refuses an item that only the live object has. Its
// index in the object is beyond the end of the manifest's list.
func TestRefusedItemNotInManifestIsLocated(t *testing.T) {
	lab, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := func(name string) Input { return Files(os.DirFS("testdata/situations/co-applied-item"), name) }
	_, err = lab.Apply(files("live.yaml"), files("manifest.yaml"), ApplyOptions{FieldManager: "shop-team"})
	var failed *Error
	if !errors.As(err, &failed) || len(failed.Fields) != 1 || failed.Fields[0].Position.Line != 16 {
		t.Fatalf("want the key of the list, in line 16: %v", err)
	}
}
