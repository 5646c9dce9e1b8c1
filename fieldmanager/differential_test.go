package fieldmanager_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

var (
	cases = flag.Int("cases", 1000, "random sequences to compare the engines with")
	seed  = flag.Uint64("seed", 1, "the first of their seeds")
)

// drawn returns the number of sequences to draw: with -short, as under the race detector, a tenth.
func drawn() uint64 {
	if testing.Short() {
		return uint64(max(*cases/10, 1))
	}
	return uint64(*cases)
}

// TestEnginesAgree sends random sequences of requests to both engines and compares objects,
// managedFields, conflicts and errors.
func TestEnginesAgree(t *testing.T) {
	for s := *seed; s < *seed+drawn(); s++ {
		if err := compareEngines(s, reference.Merger()); err != nil {
			t.Fatalf("seed %d: %v\n(run again with -seed %d -cases 1)", s, err, s)
		}
	}
	t.Logf("seeds %d to %d agree", *seed, *seed+drawn()-1)
}

func compareEngines(s uint64, other fieldmanager.Engine) error {
	r := maker{rand.New(rand.NewPCG(s, 7))}
	types := map[string]*schema.Type{"g/v1": r.objectType()}
	if r.oneIn(3) {
		types["g/v2"] = types["g/v1"]
		if r.oneIn(3) {
			types["g/v2"] = r.objectType()
		}
	}
	run := func(e fieldmanager.Engine, version string) *fieldmanager.Manager {
		m, err := fieldmanager.New(fieldmanager.Config{
			APIVersion: version, Kind: "Kind", Type: types[version], Custom: true, Engine: e,
			Other: func(v string) *schema.Type { return types[v] },
		})
		if err != nil {
			panic(err)
		}
		return m
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var ours fieldmanager.Object
	for step := range 8 {
		version := "g/v1"
		if types["g/v2"] != nil && r.oneIn(3) {
			version = "g/v2"
		}
		now = now.Add(time.Duration(r.IntN(2)) * time.Second)
		req := r.request(types[version], version, ours)
		a, errA := req.run(run(structured.Merger{}, version), inVersion(ours, version), now)
		b, errB := req.run(run(other, version), inVersion(ours, version), now)
		if err := sameOutcome(a, b, errA, errB); err != nil {
			return fmt.Errorf("step %d, %s: %w\nlive %s", step, req, err, ours.Join())
		}
		if errA == nil {
			if err := joinsAgain(a); err != nil {
				return fmt.Errorf("step %d, %s: %w", step, req, err)
			}
			ours = reread(a)
		} else if !req.apply {
			ours = a
		}
	}
	return nil
}

func inVersion(o fieldmanager.Object, version string) fieldmanager.Object {
	if o.Value.Exists() {
		o.Value = o.Value.With("apiVersion", document.NewString(version))
	}
	return o
}

// reread encodes and decodes an object, as storing does.
func reread(o fieldmanager.Object) fieldmanager.Object {
	d, err := document.Parse(o.Join().JSON(), document.Options{})
	if err != nil {
		panic(err)
	}
	out, err := fieldmanager.Split(d.Root)
	if err != nil {
		panic(err)
	}
	return out
}

func joinsAgain(o fieldmanager.Object) error {
	again := reread(o)
	if got, want := again.Join().String(), o.Join().String(); got != want {
		return fmt.Errorf("parsing the printed value gives a different one:\n got %s\nwant %s", got, want)
	}
	return nil
}

type request struct {
	apply, force bool
	manager      string
	body         document.Value
}

func (q request) String() string {
	if !q.apply {
		return fmt.Sprintf("update by %s to %s", q.manager, q.body)
	}
	return fmt.Sprintf("apply by %s (force %v) of %s", q.manager, q.force, q.body)
}

func (q request) run(m *fieldmanager.Manager, live fieldmanager.Object, now time.Time) (fieldmanager.Object, error) {
	if q.apply {
		return m.Apply(live, q.body, fieldmanager.ApplyOptions{FieldManager: q.manager, Force: q.force, Time: now})
	}
	return m.Update(live, q.body, fieldmanager.UpdateOptions{FieldManager: q.manager, Time: now})
}

// request generates a request, often a modified copy of the live object so that managers
// share fields.
func (r maker) request(t *schema.Type, version string, live fieldmanager.Object) request {
	q := request{apply: r.IntN(3) > 0, force: r.oneIn(3), manager: r.manager()}
	fresh := r.whole(t, version)
	q.body = fresh
	if live.Value.Exists() && !r.oneIn(4) {
		q.body = r.change(live.Value, fresh)
	}
	q.body = q.body.With("apiVersion", document.NewString(version))
	return q
}

func sameOutcome(a, b fieldmanager.Object, errA, errB error) error {
	if (errA == nil) != (errB == nil) {
		return fmt.Errorf("ours: %v\nreference: %v", errA, errB)
	}
	var x, y *fieldmanager.Conflicts
	if errors.As(errA, &x) != errors.As(errB, &y) {
		return fmt.Errorf("ours: %v\nreference: %v", errA, errB)
	}
	if x != nil && x.Error() != y.Error() {
		return fmt.Errorf("conflicts\nours: %v\nreference: %v", x, y)
	}
	for _, class := range []error{fieldmanager.ErrType, fieldmanager.ErrVersion, fieldmanager.ErrRequest} {
		if errors.Is(errA, class) != errors.Is(errB, class) {
			return fmt.Errorf("class of error\nours: %v\nreference: %v", errA, errB)
		}
	}
	if errA != nil {
		return nil
	}
	if !document.Identical(a.Value, b.Value) {
		return fmt.Errorf("objects differ\nours:      %s\nreference: %s", a.Value, b.Value)
	}
	if g, w := a.Managed.Value().String(), b.Managed.Value().String(); g != w {
		return fmt.Errorf("managedFields differ\nours:      %s\nreference: %s", g, w)
	}
	return nil
}
