package managedfields

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
)

// TestMigrationAgreesWithClientGo compares Managed.Migrate with csaupgrade on the managedFields
// that random requests produce.
func TestMigrationAgreesWithClientGo(t *testing.T) {
	moved := 0
	for s := range uint64(400) {
		g := generate.New(s, generate.Options{})
		k := g.Kind("lab/v1")
		m, err := fieldmanager.New(fieldmanager.Config{APIVersion: k.APIVersion(), Kind: k.Kind, Type: k.Type()})
		if err != nil {
			t.Fatal(err)
		}
		var live fieldmanager.Object
		for range 6 {
			q := g.Request(k, live.Value)
			var next fieldmanager.Object
			if q.Apply {
				next, err = m.Apply(live, q.Body, fieldmanager.ApplyOptions{FieldManager: q.Manager, Force: true, Time: time.Unix(int64(g.IntN(3)), 0)})
			} else {
				next, err = m.Update(live, q.Body, fieldmanager.UpdateOptions{FieldManager: q.Manager, Time: time.Unix(int64(g.IntN(3)), 0)})
			}
			if err == nil {
				live = next
			}
		}
		names := []string{"alice", "bob", "carol", "kubectl"}
		rand.New(rand.NewPCG(s, s)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		from, to := names[:1], names[3]
		u, err := object(live.Join().JSON())
		if err != nil {
			t.Fatal(err)
		}
		patchesAsClientGo(t, s, u, live, from, to)
		if err := csaupgrade.UpgradeManagedFields(u, sets.New(from...), to); err != nil {
			t.Fatal(err)
		}
		theirs, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		after := live.Managed.Migrate(from, to, "")
		if !document.SameNode(after.Value(), live.Managed.Value()) {
			moved++
		}
		ours := fieldmanager.Object{Value: live.Value, Managed: after}.Join().JSON()
		if a, b := comparable(ours), comparable(theirs); a != b {
			t.Fatalf("seed %d, %v to %s:\nours   %s\ntheirs %s\nfrom %s", s, from, to, a, b, live.Managed.Value())
		}
	}
	if moved < 100 {
		t.Errorf("only %d of 400 objects had something to migrate", moved)
	}
}

// patchesAsClientGo compares the patch of a migration with that of csaupgrade. The
// operations must be equal, and the entries equal in any order. If patchlab's patch is
// empty, csaupgrade's must be empty or only reorder the entries.
func patchesAsClientGo(t *testing.T, seed uint64, u runtime.Object, live fieldmanager.Object, from []string, to string) {
	t.Helper()
	live.Value = live.Value.Set(document.NewString("7"), "metadata", "resourceVersion")
	versioned := u.DeepCopyObject()
	versioned.(metav1.Object).SetResourceVersion("7")
	theirs, err := csaupgrade.UpgradeManagedFieldsPatch(versioned, sets.New(from...), to)
	if err != nil {
		t.Fatal(err)
	}
	migration := explain.Migrate(live, from, to)
	if theirs == nil && migration.Needed() {
		t.Fatalf("seed %d: client-go migrates nothing, ours is %s", seed, migration.Patch())
	}
	if theirs == nil {
		return
	}
	d, err := document.Parse(theirs, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ours := migration.Patch()
	if !migration.Needed() {
		ours = d.Root.WithItem(0, d.Root.At(0).With("value", live.Managed.Value()))
	}
	for _, v := range []*document.Value{&d.Root, &ours} {
		managed, err := fieldmanager.DecodeManaged(v.At(0).Get("value"))
		if err != nil {
			t.Fatal(err)
		}
		*v = v.WithItem(0, v.At(0).With("value", managed.Value()))
	}
	if a, b := comparable(ours.JSON()), comparable(d.Root.JSON()); a != b {
		t.Fatalf("seed %d, %v to %s: patch\nours   %s\ntheirs %s", seed, from, to, a, b)
	}
}

// TestClientAppliersAreThoseKubectlFinds compares the managers migrated by default with those
// that kubectl detects, in every recorded object.
func TestClientAppliersAreThoseKubectlFinds(t *testing.T) {
	cases, err := conformance.ReadAll("../../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	annotation := fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", fieldmanager.LastApplied))
	found := 0
	for _, c := range cases {
		for i, s := range c.Steps {
			body, _ := s.Response.Body.(map[string]any)
			metadata, _ := body["metadata"].(map[string]any)
			list, err := json.Marshal(metadata["managedFields"])
			if err != nil || metadata["managedFields"] == nil {
				continue
			}
			list = []byte(replaceTimes(string(list)))
			var entries []metav1.ManagedFieldsEntry
			if err := json.Unmarshal(list, &entries); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, e := range csaupgrade.FindFieldsOwners(entries, metav1.ManagedFieldsOperationUpdate, annotation) {
				if !slices.Contains(want, e.Manager) {
					want = append(want, e.Manager)
				}
			}
			d, err := document.Parse(list, document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			managed, err := fieldmanager.DecodeManaged(d.Root)
			if err != nil {
				t.Fatal(err)
			}
			got := managed.ClientAppliers()
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s, step %d: %v, want %v", c.Name, i, got, want)
			}
			found += len(want)
		}
	}
	if found < 20 {
		t.Errorf("only %d client-side appliers were recorded", found)
	}
}

func replaceTimes(text string) string {
	return strings.ReplaceAll(text, "$TIME$", conformance.ChangeTime)
}
