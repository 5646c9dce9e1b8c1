package patchlab_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/patch"
)

// TestAlternativesOfRecordedChanges computes the four patches for the change of each
// recorded write. The JSON patch must be exact; any other patch that is not must have a
// limit at the field that differs.
func TestAlternativesOfRecordedChanges(t *testing.T) {
	cases, err := conformance.ReadAll("testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	lab := newLab(t, patchlab.Options{CRDs: os.DirFS("testdata/crds")})
	exact, all, limits := map[patchlab.Action]int{}, map[patchlab.Action]int{}, map[string]int{}
	for _, c := range conformance.Sample(cases, 3) {
		for _, change := range c.Changes() {
			to, ok := change.Want.Body.(map[string]any)
			if !ok || change.Want.Code >= 300 || change.Before == nil || to["metadata"] == nil {
				continue
			}
			before, after := fieldmanager.Object{}, fieldmanager.Object{}
			if before.UnmarshalJSON(change.Before) != nil || after.UnmarshalJSON(change.After()) != nil || !after.Value.Lookup("metadata", "name").Exists() {
				continue
			}
			kind, known := lab.Kinds().Of(after.Value)
			if !known || kind.Kind == "CustomResourceDefinition" || before.Value.Lookup("metadata", "deletionTimestamp").Exists() ||
				!document.Equal(before.Value.Get("apiVersion"), after.Value.Get("apiVersion")) {
				continue
			}
			got, err := lab.Alternatives(before.Join(), after.Value, patchlab.ApplyOptions{FieldManager: "alice", FieldValidation: "Warn"})
			if err != nil {
				limits["not wanted"]++
				continue
			}
			compared, err := lab.Compare(before.Join(), after.Value, patchlab.ApplyOptions{FieldManager: "alice", FieldValidation: "Warn"})
			if err != nil || len(compared.Patches) > 0 || !slices.EqualFunc(compared.Changes, got.Changes, sameChange) || !document.Identical(compared.Wanted.Value, got.Wanted.Value) {
				t.Errorf("%s, step %d: without patches, the comparison differs: %v", c.Name, change.Step, err)
			}
			for _, p := range got.Patches {
				all[p.Action]++
				if p.Exact {
					exact[p.Action]++
				}
				for _, l := range p.Limits {
					limits[l.Rule]++
				}
				checkAlternative(t, change.Case, change.Step, got, p)
			}
		}
	}
	t.Logf("exact %v of %v; limits %v", exact, all, limits)
	if all[patchlab.ActionApply] < 1000 {
		t.Errorf("only %d changes were made", all[patchlab.ActionApply])
	}
}

func sameChange(a, b explain.Change) bool {
	return a.Path.String() == b.Path.String() && document.Identical(a.Before, b.Before) && document.Identical(a.After, b.After)
}

func checkAlternative(t *testing.T, name string, step int, a *patchlab.Alternatives, p patchlab.Alternative) {
	t.Helper()
	shown := 0
	for _, l := range p.Limits {
		switch l.Rule {
		case explain.LimitNull, explain.LimitOrder, explain.LimitKeys, explain.LimitOther, explain.LimitApplyOwned, explain.LimitApplyEmpty, explain.LimitApplyUnowned:
			shown++
		}
	}
	switch {
	case p.Action == patchlab.ActionJSONPatch && !p.Exact:
		t.Errorf("%s, step %d: the JSON patch %s is not exact: %v %v", name, step, p.Patch, p.Err, p.Limits)
	case p.Exact && shown > 0:
		t.Errorf("%s, step %d: the %s %s is exact and misses something: %v", name, step, p.Action, p.Patch, p.Limits)
	case !p.Exact && p.Err == nil && shown == 0:
		t.Errorf("%s, step %d: the %s %s is not exact, and no limit shows where:\nwanted %s\nis     %s", name, step, p.Action, p.Patch, a.Wanted.Value, p.Result.After.Value)
	}
}

// TestAlternativesIgnoreForce: the options of an apply may be used as they are; whether force is needed
// is a result.
func TestAlternativesIgnoreForce(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	wanted := strings.Replace(settings, `"k":"1"`, `"k":"2"`, 1)
	for _, force := range []bool{false, true} {
		got, err := lab.Alternatives(patchlab.Bytes(settings), patchlab.Bytes(wanted), patchlab.ApplyOptions{Force: force})
		if err != nil {
			t.Errorf("force %v: %v", force, err)
			continue
		}
		if p := got.Patches[3]; !p.Force || !p.Exact { // the manager before-first-apply owns the field
			t.Errorf("force %v: the apply has force %v, exact %v", force, p.Force, p.Exact)
		}
	}
}

// TestAlternativesInANamespace: the namespace of the options is that of objects without one.
func TestAlternativesInANamespace(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	live := strings.Replace(settings, `,"namespace":"shop"`, "", 1)
	wanted := strings.Replace(live, `"k":"1"`, `"k":"2"`, 1)
	for _, o := range []patchlab.ApplyOptions{{Namespace: "shop"}, {DefaultNamespace: "shop"}} {
		for _, from := range []string{live, settings} {
			got, err := lab.Alternatives(patchlab.Bytes(from), patchlab.Bytes(wanted), o)
			if err != nil {
				t.Errorf("%+v: %v", o, err)
				continue
			}
			for _, p := range got.Patches {
				if !p.Exact || p.Result.Target.Namespace != "shop" {
					t.Errorf("%+v: the %s is exact: %v, error %v", o, p.Action, p.Exact, p.Err)
				}
			}
		}
	}
}

// TestAlternativesKeepLastApplied: a manifest has no annotation of client-side apply, so that the patches
// remove that of the live object unless it is to be kept.
func TestAlternativesKeepLastApplied(t *testing.T) {
	object := func(annotations, x string) patchlab.Input {
		return patchlab.Bytes("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop" + annotations + "}, data: {x: '" + x + "'}}")
	}
	applied := func(text string) string {
		return ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '" + text + "'}"
	}
	for _, c := range []struct {
		why, manifest string
		keep          bool
		want          string
	}{
		{"the annotation is removed", "", false, ""},
		{"the annotation is kept", "", true, "{}"},
		{"a manifest with one sets it", applied("[]"), true, "[]"},
	} {
		got, err := newLab(t, patchlab.Options{}).Alternatives(object(applied("{}"), "1"), object(c.manifest, "2"), patchlab.ApplyOptions{KeepLastApplied: c.keep})
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		if text := got.Wanted.Value.Lookup("metadata", "annotations", patch.LastApplied).StringOr(""); text != c.want {
			t.Errorf("%s: it is %q, want %q", c.why, text, c.want)
		}
	}
}
