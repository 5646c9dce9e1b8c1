package patchlab_test

import (
	"os"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/patch"
)

// TestMigrationCanBeReverted: for every recorded object that was updated at least once, the
// migration's patch yields the owners that the preview shows, changes no value, and is
// refused for another resourceVersion; the reverse patch restores the original owners.
func TestMigrationCanBeReverted(t *testing.T) {
	cases, err := conformance.ReadAll("testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	lab := newLab(t, patchlab.Options{CRDs: os.DirFS("testdata/crds")})
	seen, migrated := map[string]bool{}, 0
	for _, c := range cases {
		for _, change := range c.Changes() {
			if seen[string(change.Before)] || change.Before == nil {
				continue
			}
			seen[string(change.Before)] = true
			var live fieldmanager.Object
			if err := live.UnmarshalJSON(change.Before); err != nil {
				t.Fatalf("%s, step %d: %v", c.Name, change.Step, err)
			}
			if _, known := lab.Kinds().Of(live.Value); !known || live.Value.Lookup("metadata", "deletionTimestamp").Exists() { // an object under deletion may refuse the patch
				continue
			}
			var from []string
			for _, e := range live.Managed.Entries() {
				if e.Operation == fieldmanager.OperationUpdate && e.Subresource == "" {
					from = append(from, e.Manager)
				}
			}
			if m := explain.Migrate(live, from, "gitops"); m.Needed() {
				migrated++
				thereAndBack(t, lab, m, c.Name, change.Step)
			}
		}
	}
	if migrated < 1000 {
		t.Errorf("only %d objects were migrated", migrated)
	}
	t.Logf("%d objects migrated and back", migrated)
}

func thereAndBack(t *testing.T, lab *patchlab.Lab, m *explain.Migration, name string, step int) {
	t.Helper()
	o := patchlab.PatchOptions{Type: patch.TypeJSON, FieldManager: "kubectl-patch", FieldValidation: "Ignore"}
	there, err := lab.Patch(m.Before.Join(), m.Patch(), o)
	if err != nil {
		t.Errorf("%s, step %d: %v", name, step, err)
		return
	}
	after := there.After
	if !document.Identical(after.Managed.Value(), m.After.Managed.Value()) {
		t.Errorf("%s, step %d: the owners are\n%s\nwant\n%s", name, step, after.Managed, m.After.Managed)
	}
	if before := there.Before.Value.Remove("metadata", "resourceVersion"); !document.Identical(before, after.Value.Remove("metadata", "resourceVersion")) {
		t.Errorf("%s, step %d: the migration changes the object:\n%s\n%s", name, step, before, after.Value)
	}
	back, err := lab.Patch(after, m.Back(after.Value.Lookup("metadata", "resourceVersion").StringOr("")), o)
	if err != nil || !document.Identical(back.After.Managed.Value(), m.Before.Managed.Value()) {
		t.Errorf("%s, step %d: back: %v", name, step, err)
	}
	other := m.Before
	other.Value = other.Value.Set(document.NewString("99999"), "metadata", "resourceVersion")
	if _, err := lab.Patch(other.Join(), m.Patch(), o); err == nil {
		t.Errorf("%s, step %d: another version of the object was migrated", name, step)
	}
}
