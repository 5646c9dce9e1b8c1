package fieldmanager_test

import (
	"sync"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
)

// TestConcurrentUse: one manager and one object give the same results in many goroutines.
// Reused memory must not be shared between calls; run it with -race.
func TestConcurrentUse(t *testing.T) {
	g := generate.New(11, generate.Options{Depth: 7})
	k := g.Kind("lab/v1")
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: k.APIVersion(), Kind: k.Kind, Type: k.Type()})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var live fieldmanager.Object
	for live.Managed.Len() < 2 {
		q := g.Request(k, live.Value)
		if o, err := (request{apply: q.Apply, force: true, manager: q.Manager, body: q.Body}).run(m, live, now); err == nil {
			live = o
		}
	}
	requests := make([]request, 20)
	want := make([]string, len(requests))
	answer := func(r request) string {
		o, err := r.run(m, live, now)
		if err != nil {
			return err.Error()
		}
		return o.Join().String()
	}
	for i := range requests {
		q := g.Request(k, live.Value)
		requests[i] = request{apply: q.Apply, force: q.Force, manager: q.Manager, body: q.Body}
		want[i] = answer(requests[i])
	}
	var wait sync.WaitGroup
	for n := range 8 {
		wait.Go(func() {
			for i := range requests {
				j := (i + n) % len(requests)
				if got := answer(requests[j]); got != want[j] {
					t.Errorf("request %d:\n got %s\nwant %s", j, got, want[j])
				}
			}
		})
	}
	wait.Wait()
}
