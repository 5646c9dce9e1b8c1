package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// Simulate runs concurrent calls on a store, records their results, and checks them against
// the model. [Run] includes it. Called directly, it also works for stores that keep very few
// revisions.
func Simulate(t *testing.T, factory Factory) {
	rounds, writes := uint64(4), 300
	if testing.Short() {
		rounds, writes = 2, 100
	}
	for seed := range rounds {
		for _, compacts := range []bool{false, true} {
			t.Run(fmt.Sprintf("seed %d, compacting %t", seed, compacts), func(t *testing.T) {
				s := &simulation{fixture: newFixture(t, factory), seed: seed, writes: writes}
				s.run(compacts)
				s.check()
			})
		}
	}
}

const simulatedWriters, simulatedReaders, simulatedWatchers = 4, 3, 8

// simulation is a store under concurrent load, with the recorded results.
type simulation struct {
	*fixture
	seed   uint64
	writes int             // number of calls per writer
	loaded context.Context // canceled when the writers are done
	end    int64           // the store's revision at that time

	mu    sync.Mutex
	wrote []wrote
	read  []read
	seen  []seen
}

// wrote is a successful write: the item that the store passed to it (revision 0: none) and the
// item that it returned.
type wrote struct {
	deleted    bool
	shown, got itemT
}

// read is a result that must be the state at one revision from low to high, the revisions of
// the store before and after the call.
type read struct {
	what, scope string
	low, high   int64
	items       []itemT
	count       int64 // instead of items, unless -1
}

// seen is the sequence of events that one watcher received.
type seen struct {
	scope   string
	after   int64 // the revision after which events begin
	initial bool
	events  []eventT
	slow    bool // ended with ErrSlow
}

// run runs the load until the writers are done.
func (s *simulation) run(compacts bool) {
	var writers, others sync.WaitGroup
	loaded, finish := context.WithCancel(s.ctx)
	s.loaded = loaded
	start := func(wg *sync.WaitGroup, id int, work func(*rand.Rand)) {
		wg.Go(func() { work(rand.New(rand.NewPCG(s.seed, uint64(id)))) })
	}
	for i := range simulatedWriters {
		start(&writers, i, s.write)
	}
	for i := range simulatedReaders {
		start(&others, 100+i, s.reads)
	}
	for i := range simulatedWatchers {
		start(&others, 200+i, s.watches)
	}
	if compacts {
		start(&others, 300, s.compacts)
	}
	writers.Wait()
	s.end, _ = s.s.Revision(s.ctx)
	finish()
	others.Wait()
}

// over reports whether the writers are done.
func (s *simulation) over() bool { return s.loaded.Err() != nil }

func (s *simulation) write(r *rand.Rand) {
	for range s.writes {
		key, v := someKey(r), someValue(r)
		var w wrote
		var err error
		switch n := r.IntN(10); {
		case n < 3:
			w.got, err = s.s.Create(s.ctx, key, v)
		case n < 8:
			w.got, err = s.s.Update(s.ctx, key, store.UpdateOptions{CreateMissing: n < 5}, func(current itemT) (Value, error) {
				w.shown = current
				changed := v                               // v stays as it is: this function may be called again
				changed.Data = current.Value.Data + v.Data // so that a lost update is detected
				if len(changed.Data) > 12 {
					changed.Data = changed.Data[6:]
				}
				return changed, nil
			})
		default:
			w.deleted = true
			w.got, err = s.s.Delete(s.ctx, key, store.DeleteOptions[Value]{Validate: func(current itemT) error {
				w.shown = current
				return nil
			}})
		}
		switch {
		case errors.Is(err, store.ErrExists), errors.Is(err, store.ErrNotFound):
		case err != nil:
			s.Error(err)
		default:
			s.mu.Lock()
			s.wrote = append(s.wrote, w)
			s.mu.Unlock()
		}
	}
}

func (s *simulation) reads(r *rand.Rand) {
	for !s.over() {
		low := s.at()
		var got read
		switch r.IntN(4) {
		case 0:
			got = s.readKey(someKey(r))
		case 1:
			scope := someScope(r)
			n, err := s.s.Count(s.ctx, scope)
			s.report(err)
			got = read{what: "count", scope: scope, count: n}
		case 2:
			s.readExact(r, low)
			continue
		default:
			s.readPages(r, low)
			continue
		}
		got.low, got.high = low, s.at()
		s.note(got)
	}
}

func (s *simulation) at() int64 {
	revision, err := s.s.Revision(s.ctx)
	s.report(err)
	return revision
}

// report fails the test on an error, from any goroutine.
func (s *simulation) report(err error) {
	if err != nil {
		s.Error(err)
	}
}

func (s *simulation) note(r read) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = append(s.read, r)
}

func (s *simulation) readKey(key string) read {
	item, err := s.s.Get(s.ctx, key, store.GetOptions{})
	got := read{what: "get", scope: key, count: -1, items: []itemT{item}}
	if errors.Is(err, store.ErrNotFound) {
		got.items = nil
	} else {
		s.report(err)
	}
	return got
}

// readExact lists an older revision, which may have been compacted.
func (s *simulation) readExact(r *rand.Rand, now int64) {
	scope, revision := someScope(r), 1+r.Int64N(now)
	page, err := s.s.List(s.ctx, scope, listOptions{Revision: revision, Match: store.Exact})
	if errors.Is(err, store.ErrCompacted) {
		return
	}
	s.report(err)
	s.note(read{what: "exact list", scope: scope, low: revision, high: revision, items: page.Items, count: -1})
}

// readPages lists page by page. All pages must belong to the snapshot of the first.
func (s *simulation) readPages(r *rand.Rand, low int64) {
	scope, opts := someScope(r), listOptions{Limit: 1 + r.Int64N(4)}
	all := read{what: "pages", scope: scope, count: -1}
	for {
		page, err := s.s.List(s.ctx, scope, opts)
		if errors.Is(err, store.ErrCompacted) && opts.Continue != "" {
			return
		}
		s.report(err)
		if opts.Continue == "" {
			all.low, all.high = page.Revision, page.Revision
			if high := s.at(); page.Revision < low || page.Revision > high {
				s.Errorf("a list of revision %d between %d and %d", page.Revision, low, high)
			}
		} else if page.Revision != all.low {
			s.Errorf("a page of revision %d after one of %d", page.Revision, all.low)
		}
		all.items = append(all.items, page.Items...)
		if opts.Continue = page.Continue; page.Continue == "" {
			s.note(all)
			return
		}
	}
}

// compacts compacts the store after every few writes.
func (s *simulation) compacts(r *rand.Rand) {
	for {
		now := s.at()
		if err := store.WaitFor(s.loaded, s.s, now+r.Int64N(20)); err != nil {
			return
		}
		revision := max(1, s.at()-r.Int64N(40))
		if err := s.s.Compact(s.ctx, revision); err != nil && !errors.Is(err, store.ErrCompacted) {
			s.report(err)
		}
	}
}

// watches watches one scope until the writers are done. It opens a new watch when one has
// ended with ErrSlow.
func (s *simulation) watches(r *rand.Rand) {
	for ended := false; !ended; {
		got := seen{scope: someScope(r), initial: r.IntN(2) == 0, after: max(1, s.at()-r.Int64N(30))}
		w, err := s.s.Watch(s.ctx, got.scope, store.WatchOptions{After: got.after, Initial: got.initial})
		if errors.Is(err, store.ErrCompacted) {
			continue
		}
		if err != nil {
			s.Error(err)
			return
		}
		ended = s.follow(r, w, &got)
		w.Stop()
		s.mu.Lock()
		s.seen = append(s.seen, got)
		s.mu.Unlock()
	}
}

// follow reads events, with pauses, until the bookmark of the last write or the watcher's end.
// It reports whether the writers are done.
func (s *simulation) follow(r *rand.Rand, w store.Watcher[Value], got *seen) bool {
	defer context.AfterFunc(s.loaded, w.RequestBookmark)()
	for {
		if r.IntN(40) == 0 {
			w.RequestBookmark()
		}
		if r.IntN(60) == 0 {
			_ = store.WaitFor(s.loaded, s.s, s.at()+20) // fall behind
		}
		e, err := w.Next(s.ctx)
		if errors.Is(err, store.ErrSlow) {
			got.slow = true
			return false
		}
		if err != nil {
			s.Error(err)
			return true
		}
		got.events = append(got.events, e)
		if e.Type == store.Bookmark && s.over() && e.Revision >= s.end {
			return true
		}
	}
}
