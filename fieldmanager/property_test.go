package fieldmanager_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
)

// FuzzApply checks the invariants after a request to any object.
//
//   - Applying the same configuration repeatedly changes nothing, not even a
//     time. This may take three times: a map that was emptied and is still in the
//     configuration first becomes null, an empty list is omitted (rule "prune"),
//     and the apply after one that owned nothing adds before-first-apply.
//   - An applying manager owns no field that the object lacks, except for empty
//     ones in its configuration that it emptied: the API server removes them but
//     keeps their owner.
//   - Encoding and decoding yields the same object, except for integers beyond
//     2^53.
func FuzzApply(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := generate.New(seed, generate.Options{Odd: seed%3 == 0, Depth: 6})
		k := g.Kind("lab/v1")
		m, err := fieldmanager.New(fieldmanager.Config{APIVersion: k.APIVersion(), Kind: k.Kind, Type: k.Type()})
		if err != nil {
			t.Fatal(err)
		}
		var live fieldmanager.Object
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		for range 6 {
			q := g.Request(k, live.Value)
			now = now.Add(time.Second)
			r := request{apply: q.Apply, force: q.Force, manager: q.Manager, body: q.Body}
			after, err := r.run(m, live, now)
			if err != nil {
				continue
			}
			checkOwned(t, m, after, q)
			if err := joinsAgain(after); err != nil && !largeNumber.MatchString(after.Join().String()) {
				t.Fatal(err)
			}
			if q.Apply {
				settled := after
				for range 3 {
					after = settled
					if settled, err = m.Apply(after, q.Body, fieldmanager.ApplyOptions{FieldManager: q.Manager, Force: q.Force, Time: now.Add(time.Hour)}); err != nil {
						break
					}
				}
				if err == nil && !document.Equal(settled.Join(), after.Join()) {
					t.Fatalf("applying %s again gives\n%s\nafter\n%s", q.Body, settled.Join(), after.Join())
				}
			}
			live = after
		}
	})
}

// largeNumber matches numbers that may be beyond 2^53: fields with such keys change when
// they are decoded.
var largeNumber = regexp.MustCompile(`[0-9]{16}`)

// checkOwned fails if the manager of an apply owns a field that does not exist.
func checkOwned(t *testing.T, m *fieldmanager.Manager, o fieldmanager.Object, q generate.Request) {
	t.Helper()
	there, empty := map[string]bool{}, map[string]bool{}
	m.Parts(o, func(p fieldmanager.Part) { there[p.Path.String()] = true })
	m.Parts(fieldmanager.Object{Value: q.Body}, func(p fieldmanager.Part) {
		container := p.Value.Kind() == document.Object || p.Value.Kind() == document.List
		empty[p.Path.String()] = p.Value.IsNull() || container && p.Value.Len() == 0
	})
	for _, e := range o.Managed.Of(q.Manager) {
		if e.Operation != fieldmanager.OperationApply || !q.Apply {
			continue
		}
		for _, p := range e.Fields.Paths() {
			if !there[p.String()] && !empty[p.String()] {
				t.Fatalf("%s owns %s, which is not in\n%s", q.Manager, p, o.Join())
			}
		}
	}
}
