package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/patchlab-dev/patchlab/store"
)

// storage is the system under load: a store, or a server over HTTP.
type storage interface {
	// get returns the value of a key, "" if it is absent.
	get(ctx context.Context, key string) (string, error)
	// change replaces the value of a key, or deletes the key if value is "". It returns
	// the previous value that the storage passed to it, also with an error after which
	// the write may have taken effect (errUnknown).
	change(ctx context.Context, key, value string) (shown string, err error)
}

// errUnknown reports that a write may have taken effect, errRefused that it has not, and
// errNothing that there was nothing to delete.
var (
	errUnknown = errors.New("a write may have taken effect")
	errRefused = errors.New("a write has not taken effect")
	errNothing = errors.New("nothing to delete")
)

// values implements storage on top of a store.
type values struct{ store.Store[string] }

func (s values) get(ctx context.Context, key string) (string, error) {
	item, err := s.Get(ctx, key, store.GetOptions{})
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return item.Value, err
}

func (s values) change(ctx context.Context, key, value string) (shown string, err error) {
	if value == "" {
		_, err = s.Delete(ctx, key, store.DeleteOptions[string]{Validate: func(current store.Item[string]) error {
			shown = current.Value
			return nil
		}})
	} else {
		_, err = s.Update(ctx, key, store.UpdateOptions{CreateMissing: true}, func(current store.Item[string]) (string, error) {
			shown = current.Value
			return value, nil
		})
	}
	return shown, judged(err)
}

// judged returns the effect of a write that an error of a store implies.
func judged(err error) error {
	var unavailable *store.UnavailableError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNotFound):
		return errNothing
	case errors.As(err, &unavailable) && !unavailable.Unknown:
		return errRefused
	case errors.As(err, &unavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return errUnknown
	}
	return fmt.Errorf("unexpected error: %w", err)
}

const loadKeys, loadClients = 12, 8

// load is a number of clients that write and read until they are stopped.
type load struct {
	t       testing.TB
	storage []storage // the clients take turns
	begin   time.Time
	stop    func() // closes done
	done    chan struct{}
	wg      sync.WaitGroup
	writes  atomic.Int64 // acknowledged
	failed  atomic.Int64

	mu      sync.Mutex
	history []porcupine.Operation
	// acknowledged holds the values whose writes have succeeded.
	acknowledged map[string]bool
}

// startLoad starts a load, which ends with the test if end is not called before.
func startLoad(t testing.TB, on ...storage) *load {
	l := &load{t: t, storage: on, begin: time.Now(), done: make(chan struct{}), acknowledged: map[string]bool{}}
	l.stop = sync.OnceFunc(func() { close(l.done) })
	t.Cleanup(func() { l.end() })
	for id := range loadClients {
		l.wg.Go(func() { l.client(id) })
	}
	return l
}

// end stops the load and returns its history.
func (l *load) end() []porcupine.Operation {
	l.stop()
	l.wg.Wait()
	return l.history
}

func (l *load) client(id int) {
	r := rand.New(rand.NewPCG(uint64(id), 1))
	for n := 0; ; n++ {
		select {
		case <-l.done:
			return
		default:
		}
		in := operation{key: fmt.Sprintf("/registry/k/%d", r.IntN(loadKeys))}
		switch k := r.IntN(10); {
		case k < 6:
			in.write = fmt.Sprintf("%d-%d", id, n)
		case k < 7:
			in.delete = true
		}
		l.call(id, in, l.storage[id%len(l.storage)])
	}
}

// call runs one operation and records its result.
func (l *load) call(id int, in operation, s storage) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	called := time.Since(l.begin).Nanoseconds()
	var out result
	var err error
	reads := in.write == "" && !in.delete
	if reads {
		out.read, err = s.get(ctx, in.key)
	} else {
		in.shown, err = s.change(ctx, in.key, in.write)
	}
	returned := time.Since(l.begin).Nanoseconds()
	if err != nil {
		l.failed.Add(1)
	}
	switch {
	case errors.Is(err, errNothing) && in.delete:
		in.delete, reads = false, true // equivalent to a read of an absent key
	case err != nil && (reads || errors.Is(err, errRefused)):
		time.Sleep(5 * time.Millisecond)
		return
	case errors.Is(err, errUnknown):
		out.unknown = true
		returned = 1 << 62 // the write may take effect at any later time
	case err != nil:
		l.t.Error(err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.history = append(l.history, porcupine.Operation{ClientId: len(l.history), Input: in, Call: called, Output: out, Return: returned})
	if !reads && !out.unknown {
		l.writes.Add(1)
		if in.write != "" {
			l.acknowledged[in.write] = true
		}
	}
}

// progress waits for more acknowledged writes, so that a test ends only after the
// system has recovered.
func (l *load) progress(more int64) {
	l.t.Helper()
	for end, deadline := l.writes.Load()+more, time.Now().Add(30*time.Second); l.writes.Load() < end; {
		if time.Now().After(deadline) {
			l.t.Fatalf("no more than %d writes in 30 s; %d calls have failed", l.writes.Load(), l.failed.Load())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// follower watches all keys and checks the events: each revision once and in order, and each
// event following from the previous state.
type follower struct {
	t      testing.TB
	w      store.Watcher[string]
	over   chan struct{}
	seen   map[string]int64  // revisions by value
	values map[string]string // the latest, by key
	events int
	slow   bool
}

func follow(t testing.TB, s store.Store[string]) *follower {
	t.Helper()
	w, err := s.Watch(context.Background(), "", store.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{t: t, w: w, over: make(chan struct{}), seen: map[string]int64{}, values: map[string]string{}}
	return f
}

// run reads events until a bookmark has the revision received from end.
func (f *follower) run(end <-chan int64) {
	defer close(f.over)
	defer f.w.Stop()
	var last, until int64
	for until == 0 || last < until {
		next, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
		e, err := f.w.Next(next)
		stop()
		select {
		case until = <-end:
			f.w.RequestBookmark()
		default:
		}
		if errors.Is(err, context.DeadlineExceeded) {
			continue
		}
		if errors.Is(err, store.ErrSlow) {
			f.slow = true // the watcher was closed with an error, so gaps are allowed
			return
		}
		if err != nil {
			f.t.Errorf("the watch has ended: %v", err)
			return
		}
		if e.Revision < last || e.Revision == last && e.Type != store.Bookmark {
			f.t.Errorf("%s of revision %d after revision %d", e.Type, e.Revision, last)
		}
		last = e.Revision
		f.take(e)
	}
}

func (f *follower) take(e store.Event[string]) {
	if e.Type == store.Bookmark {
		return
	}
	f.events++
	if e.Previous != f.values[e.Key] {
		f.t.Errorf("%s of %s at %d has the previous value %q, the watch received %q before", e.Type, e.Key, e.Revision, e.Previous, f.values[e.Key])
	}
	f.values[e.Key] = e.Value
	if e.Type == store.Deleted {
		f.values[e.Key] = ""
		return
	}
	if at, twice := f.seen[e.Value]; twice {
		f.t.Errorf("the write of %q took effect at %d and at %d", e.Value, at, e.Revision)
	}
	f.seen[e.Value] = e.Revision
}

// trial runs a load and watchers on a store while disturb injects faults, then checks the
// history.
func trial(t *testing.T, s store.Store[string], disturb func(l *load)) {
	t.Helper()
	ends := []chan int64{}
	followers := []*follower{}
	for range 3 {
		f, end := follow(t, s), make(chan int64, 1)
		followers, ends = append(followers, f), append(ends, end)
		t.Cleanup(func() { f.w.Stop(); <-f.over }) // if the test fails before the follower's end
		go f.run(end)
	}
	l := startLoad(t, values{s})
	l.progress(50)
	disturb(l)
	l.progress(100)
	history := l.end()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	revision, err := s.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range followers {
		ends[i] <- revision
		<-f.over
		if f.slow {
			t.Logf("watcher %d was closed because events were compacted", i)
			continue
		}
		for value := range l.acknowledged {
			if _, ok := f.seen[value]; !ok {
				t.Errorf("watcher %d has not received the acknowledged write of %q", i, value)
			}
		}
	}
	if !linearizable(t, history) {
		t.Error("the history is not linearizable")
	}
	t.Logf("%d operations checked, %d writes acknowledged, %d calls failed, %d events received by each watcher",
		len(history), l.writes.Load(), l.failed.Load(), followers[0].events)
}
