// Package storetest tests implementations of store.Store. [Run] checks each guarantee in the
// documentation of package store by single cases, by random sequences of calls that are
// compared with a simple model, and by concurrent load whose results are compared with the
// model. Run it with the race detector.
package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/store"
)

// Value is the type of the values in the tests. Two values are equal if they are ==.
type Value struct {
	UID  string
	Data string
}

// Equal is the equality function for the store's options.
func Equal(a, b Value) bool { return a == b }

// UID is the UID function for the store's options.
func UID(v Value) string { return v.UID }

// Factory returns a new empty store that uses [Equal] and [UID] and keeps at least 10,000
// revisions unless Compact is called. The factory closes the store at the end of the test.
type Factory func(t testing.TB) store.Store[Value]

// An Option permits a deviation from the guarantees.
type Option int

// CompactionEndsQuietWatches lets compaction end a watch that began before the
// compacted revision even if none of its own events is lost. etcd cannot tell
// the two apart for a watch that it opens or resumes.
const CompactionEndsQuietWatches Option = iota + 1

// Run tests the implementation that factory returns.
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

// testCase checks one guarantee on an empty store. Its name begins with the guarantee's
// number.
type testCase struct {
	name string
	run  func(f *fixture)
}

// patience limits calls that are expected to return, so that a hang becomes a failure.
const patience = 30 * time.Second

// fixture is a store whose methods fail the test instead of returning errors.
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

// done returns a canceled context, which reads available events without waiting.
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

// put creates or updates a key.
func (f *fixture) put(key, data string) store.Item[Value] {
	f.Helper()
	item, err := f.s.Update(f.ctx, key, store.UpdateOptions{CreateMissing: true}, always(data))
	f.must(err)
	return item
}

// always returns an update to a fixed value.
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

// drained returns all events of w up to the store's current revision, followed by the bookmark
// that marks their end.
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

// same fails the test unless got equals want.
func same[V comparable](f testing.TB, what string, got, want V) {
	f.Helper()
	if got != want {
		f.Fatalf("%s: got %+v, want %+v", what, got, want)
	}
}
