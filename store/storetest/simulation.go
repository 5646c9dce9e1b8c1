package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// runSimulations loads a store from many goroutines, writes down what each of
// them saw, and afterwards asks the model whether it can have been so.
func runSimulations(t *testing.T, factory Factory) {
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

// simulation is what a loaded store did.
type simulation struct {
	*fixture
	seed   uint64
	writes int             // calls of each writer
	loaded context.Context // ends when the writers are done
	end    int64           // the store's revision then

	mu    sync.Mutex
	wrote []wrote
	read  []read
	seen  []seen
}

// wrote is a write that succeeded: the item that the store showed before it
// (revision 0: none) and the one that it returned.
type wrote struct {
	deleted    bool
	shown, got itemT
}

// read is an answer that must have been the truth at one revision from low to
// high: those that the store was at before the call and after it.
type read struct {
	what, scope string
	low, high   int64
	items       []itemT
	count       int64 // in place of items, unless -1
}

// seen is what one watcher got, from its beginning to its end.
type seen struct {
	scope   string
	after   int64 // events begin after it
	initial bool
	events  []eventT
	slow    bool // ended as too slow
}

// run makes the load and returns when it is over.
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

// over tells whether the writers are done.
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
				v.Data = current.Value.Data + v.Data // so that a lost update would show
				if len(v.Data) > 12 {
					v.Data = v.Data[6:]
				}
				return v, nil
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

// readExact lists an older revision, which may be gone.
func (s *simulation) readExact(r *rand.Rand, now int64) {
	scope, revision := someScope(r), 1+r.Int64N(now)
	page, err := s.s.List(s.ctx, scope, listOptions{Revision: revision, Match: store.Exact})
	if errors.Is(err, store.ErrCompacted) {
		return
	}
	s.report(err)
	s.note(read{what: "exact list", scope: scope, low: revision, high: revision, items: page.Items, count: -1})
}

// readPages lists page by page; what it gets must be the snapshot of the first.
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

// compacts forgets some of the past after every few writes.
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

// watches follows one scope until the writers are done, and begins again
// whenever it is too late.
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

// follow takes events, and pauses at times, until the last write's bookmark or
// the watcher's end. It tells whether the writers are done.
func (s *simulation) follow(r *rand.Rand, w store.Watcher[Value], got *seen) bool {
	defer context.AfterFunc(s.loaded, w.RequestBookmark)()
	for {
		if r.IntN(40) == 0 {
			w.RequestBookmark()
		}
		if r.IntN(60) == 0 {
			_ = store.WaitFor(s.loaded, s.s, s.at()+20) // be slow
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

// check asks the model about everything that was noted.
func (s *simulation) check() {
	if s.Failed() {
		return
	}
	m := s.replay()
	same(s, "revision", s.end, m.revision())
	for _, r := range s.read {
		s.checkRead(m, r)
	}
	for _, w := range s.seen {
		s.checkSeen(m, w)
	}
}

// replay makes the writes in the order of their revisions on a model. There
// must be one for each revision, and each must follow from the one before.
func (s *simulation) replay() *model {
	slices.SortFunc(s.wrote, func(a, b wrote) int { return int(a.got.Revision - b.got.Revision) })
	m := newModel()
	for _, w := range s.wrote {
		before := m.latest()[w.got.Key]
		if w.shown.Revision == 0 {
			w.shown = itemT{} // a created key shows its name only
		}
		same(s, fmt.Sprintf("what the write of revision %d replaced", w.got.Revision), w.shown, before)
		if w.deleted {
			same(s, "delete", w.got, m.remove(w.got.Key))
		} else {
			same(s, "write", w.got, m.put(w.got.Key, w.got.Value))
		}
	}
	return m
}

func (s *simulation) checkRead(m *model, r read) {
	s.Helper()
	for revision := r.low; revision <= r.high; revision++ {
		want := m.list(r.scope, "", revision)
		if r.count >= 0 && r.count == int64(len(want)) || r.count < 0 && slices.Equal(r.items, want) {
			return
		}
	}
	s.Fatalf("%s of %s was the truth at no revision from %d to %d: count %d, items %v", r.what, r.scope, r.low, r.high, r.count, r.items)
}

// checkSeen compares a watcher's events with the model's. A watcher that ended
// as too slow must have got a beginning of them.
func (s *simulation) checkSeen(m *model, got seen) {
	s.Helper()
	var events []eventT
	reached, highest := int64(0), int64(0) // by a bookmark, by anything
	for _, e := range got.events {
		if e.Type == store.Bookmark {
			if e.Revision < highest {
				s.Fatalf("a bookmark of %d after revision %d", e.Revision, highest)
			}
			reached, highest = e.Revision, e.Revision
			if !e.InitialEnd {
				continue
			}
		} else if reached > 0 && e.Revision <= reached {
			s.Fatalf("an event of revision %d after a bookmark of %d", e.Revision, reached)
		}
		highest = max(highest, e.Revision)
		events = append(events, e)
	}
	want := s.wantSeen(m, got)
	if got.slow && len(events) <= len(want) {
		want = want[:len(events)]
	}
	for i := range max(len(events), len(want)) {
		if i >= len(events) || i >= len(want) || events[i] != want[i] {
			s.Fatalf("watcher of %s after %d (initial %t), from event %d on:\ngot  %s\nwant %s",
				got.scope, got.after, got.initial, i, short(events, i), short(want, i))
		}
	}
}

// wantSeen returns the events that a watcher must get.
func (s *simulation) wantSeen(m *model, got seen) []eventT {
	if !got.initial {
		return m.follow(got.scope, got.after)
	}
	end := slices.IndexFunc(got.events, func(e eventT) bool { return e.InitialEnd })
	if end < 0 {
		if !got.slow {
			s.Fatalf("initial events of %s without an end", got.scope)
		}
		return got.events // which state it was cannot be told
	}
	at := got.events[end]
	if at.Revision < got.after {
		s.Fatalf("initial events of %d, older than %d", at.Revision, got.after)
	}
	var want []eventT
	for _, i := range m.list(got.scope, "", at.Revision) {
		want = append(want, eventT{Type: store.Added, Key: i.Key, Value: i.Value, Revision: i.Revision})
	}
	return append(append(want, at), m.follow(got.scope, at.Revision)...)
}

// short writes a few events from the i-th on.
func short(events []eventT, i int) string {
	var all []string
	for ; i < len(events) && len(all) < 5; i++ {
		all = append(all, event(events[i]))
	}
	return strings.Join(all, ", ")
}
