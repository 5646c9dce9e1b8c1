package fieldmanager_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestEnginesAgreeOnAllKinds is TestEnginesAgree for the kinds of the catalog, the recorded
// custom resources, and generated ones.
func TestEnginesAgreeOnAllKinds(t *testing.T) {
	registry := recordedKinds(t)
	var kinds []*schema.Kind
	for k := range registry.Kinds() {
		if k.Type().Map != nil {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) < 60 {
		t.Fatalf("only %d kinds", len(kinds))
	}
	judge := reference.Merger()
	for s := *seed; s < *seed+drawn(); s++ {
		g := generate.New(s, generate.Options{Odd: true, Depth: 7})
		k := kinds[g.IntN(len(kinds))]
		if g.IntN(3) == 0 {
			k = g.Kind("lab/v1")
		}
		if err := compareOnKind(g, k, judge); err != nil {
			t.Fatalf("seed %d, %s: %v\n(run again with -seed %d -cases 1)", s, k, err, s)
		}
	}
}

func compareOnKind(g *generate.Generator, k *schema.Kind, judge fieldmanager.Engine) error {
	run := func(e fieldmanager.Engine) *fieldmanager.Manager {
		m, err := fieldmanager.New(fieldmanager.Config{APIVersion: k.APIVersion(), Kind: k.Kind, Type: k.Type(), Custom: true, Engine: e})
		if err != nil {
			panic(err)
		}
		return m
	}
	ours, theirs := run(structured.Merger{}), run(judge)
	var live fieldmanager.Object
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for step := range 8 {
		if live.Value.Exists() && g.IntN(4) == 0 {
			// Part of it was applied client-side by kubectl.
			last := g.Request(k, live.Value).Body
			live.Value = live.Value.Set(document.NewString(last.String()), "metadata", "annotations", fieldmanager.LastApplied)
		}
		q := g.Request(k, live.Value)
		r := request{apply: q.Apply, force: q.Force, manager: q.Manager, body: q.Body}
		now = now.Add(time.Second)
		a, errA := r.run(ours, live, now)
		b, errB := r.run(theirs, live, now)
		if err := sameOutcome(a, b, errA, errB); err != nil {
			return fmt.Errorf("step %d, %s: %w\nlive %s", step, r, err, live.Join())
		}
		for _, e := range a.Managed.Entries() {
			x, okA, errA := ours.Extract(a, e.Manager)
			y, okB, errB := theirs.Extract(a, e.Manager)
			if okA != okB || (errA == nil) != (errB == nil) || okA && !document.Identical(x, y) {
				return fmt.Errorf("step %d: extracting what %s applied of %s\nours      %s, %v\nreference %s, %v", step, e.Manager, a.Join(), x, errA, y, errB)
			}
		}
		switch {
		case errA == nil:
			live = reread(a)
		case !q.Apply:
			live = a
		}
	}
	return nil
}
