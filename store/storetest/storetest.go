// Package storetest judges implementations of store.Store: [Run] checks each
// guarantee that package store numbers, by single cases, by random sequences of
// calls against a slow model, and by concurrent load whose outcome is then
// compared with the model. Run it with the race detector.
package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/store"
)

// Value is what the suite stores. Two values are equal if they are ==.
type Value struct {
	UID  string
	Data string
}

// Equal is the store's measure of equal values.
func Equal(a, b Value) bool { return a == b }

// UID is the store's accessor for preconditions.
func UID(v Value) string { return v.UID }

// Factory makes an empty store that uses [Equal] and [UID], keeps at least
// 10,000 revisions unless it is told to compact, and ends with the test.
type Factory func(t testing.TB) store.Store[Value]

// An Option says what an implementation may do that others may not.
type Option int

// CompactionEndsQuietWatches lets compaction end a watch that began before the
// compacted revision even if none of its own events is lost. etcd cannot tell
// the two apart for a watch that it opens or resumes.
const CompactionEndsQuietWatches Option = iota + 1

// Run judges the implementation that the factory makes.
func Run(t *testing.T, factory Factory, options ...Option) {
	groups := []struct {
		name  string
		cases []testCase
	}{
		{"write", writeCases()},
		{"list", listCases()},
		{"watch", watchCases()},
		{"lifetime", lifetimeCases()},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(newFixture(t, factory))
				})
			}
		})
	}
	t.Run("sequences", func(t *testing.T) { runSequences(t, factory, slices.Contains(options, CompactionEndsQuietWatches)) })
	t.Run("simulation", func(t *testing.T) { Simulate(t, factory) })
}

// testCase checks one promise on an empty store. Its name begins with the
// guarantee's number and says what is promised.
type testCase struct {
	name string
	run  func(f *fixture)
}

// patience is how long a call may take that is expected to return. It only
// turns a hang into a failure.
const patience = 30 * time.Second

// fixture is a store with calls that fail the test instead of returning errors.
type fixture struct {
	testing.TB
	s   store.Store[Value]
	ctx context.Context
}

func newFixture(t testing.TB, factory Factory) *fixture {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return &fixture{TB: t, s: factory(t), ctx: ctx}
}

// done returns a context that is over already: it takes what is there.
func done() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func value(data string) Value { return Value{UID: "uid-" + data, Data: data} }

func (f *fixture) create(key, data string) store.Item[Value] {
	f.Helper()
	item, err := f.s.Create(f.ctx, key, value(data))
	f.must(err)
	return item
}

func (f *fixture) update(key, data string) store.Item[Value] {
	f.Helper()
	item, err := f.s.Update(f.ctx, key, store.UpdateOptions{}, always(data))
	f.must(err)
	return item
}

// put creates or updates.
func (f *fixture) put(key, data string) store.Item[Value] {
	f.Helper()
	item, err := f.s.Update(f.ctx, key, store.UpdateOptions{CreateMissing: true}, always(data))
	f.must(err)
	return item
}

// always returns an update that writes the same whatever it finds.
func always(data string) store.UpdateFunc[Value] {
	return func(store.Item[Value]) (Value, error) { return value(data), nil }
}

func (f *fixture) delete(key string) store.Item[Value] {
	f.Helper()
	item, err := f.s.Delete(f.ctx, key, store.DeleteOptions[Value]{})
	f.must(err)
	return item
}

func (f *fixture) get(key string) store.Item[Value] {
	f.Helper()
	item, err := f.s.Get(f.ctx, key, store.GetOptions{})
	f.must(err)
	return item
}

func (f *fixture) list(scope string, opts store.ListOptions[Value]) store.Page[Value] {
	f.Helper()
	page, err := f.s.List(f.ctx, scope, opts)
	f.must(err)
	return page
}

func (f *fixture) compact(revision int64) {
	f.Helper()
	f.must(f.s.Compact(f.ctx, revision))
}

func (f *fixture) watch(scope string, opts store.WatchOptions) store.Watcher[Value] {
	f.Helper()
	w, err := f.s.Watch(f.ctx, scope, opts)
	f.must(err)
	f.Cleanup(w.Stop)
	return w
}

func (f *fixture) next(w store.Watcher[Value]) store.Event[Value] {
	f.Helper()
	e, err := w.Next(f.ctx)
	f.must(err)
	return e
}

// drained returns the events that w still has, up to the store's revision. It
// asks for a bookmark to know where they end, and returns that last.
func (f *fixture) drained(w store.Watcher[Value]) []store.Event[Value] {
	f.Helper()
	w.RequestBookmark()
	var got []store.Event[Value]
	for {
		e := f.next(w)
		got = append(got, e)
		if e.Type == store.Bookmark {
			return got
		}
	}
}

func (f *fixture) revision() int64 {
	f.Helper()
	revision, err := f.s.Revision(f.ctx)
	f.must(err)
	return revision
}

func (f *fixture) count(scope string) int64 {
	f.Helper()
	n, err := f.s.Count(f.ctx, scope)
	f.must(err)
	return n
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// same fails the test unless got is want.
func same[V comparable](f testing.TB, what string, got, want V) {
	f.Helper()
	if got != want {
		f.Fatalf("%s: got %+v, want %+v", what, got, want)
	}
}
