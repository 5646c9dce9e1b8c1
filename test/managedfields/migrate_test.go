package managedfields

import (
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
)

// TestMigratesAsClientGo compares Managed.Migrate with csaupgrade on the managers
// that random requests leave behind.
func TestMigratesAsClientGo(t *testing.T) {
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
