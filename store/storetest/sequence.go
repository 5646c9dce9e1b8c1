package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// runSequences makes random calls, one after the other, to the store and the model, and
// compares all results.
func runSequences(t *testing.T, factory Factory, endsQuiet bool) {
	seeds, calls := uint64(40), 300
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			s := &sequence{endsQuiet: endsQuiet, fixture: newFixture(t, factory), r: rand.New(rand.NewPCG(seed, 0)), m: newModel()}
			for range calls {
				s.step()
			}
			for _, w := range slices.Clone(s.watchers) {
				s.drain(w)
			}
		})
	}
}

// sequence is a store with its model, and the lists and watches that are open on both.
type sequence struct {
	*fixture
	r        *rand.Rand
	m        *model
	pages    []openPage
	watchers []*openWatcher
	// endsQuiet is the option CompactionEndsQuietWatches.
	endsQuiet bool
}

// openPage is a list that can be continued: its token and the expected next items.
type openPage struct {
	token, scope, last string
	revision           int64
}

// openWatcher is a watcher with the revision up to which its events were read. initial is the
// revision of its initial events until they have been read.
type openWatcher struct {
	w              store.Watcher[Value]
	scope          string
	after, initial int64
}

func (s *sequence) step() {
	s.Helper()
	switch n := s.r.IntN(100); {
	case n < 20:
		s.stepCreate()
	case n < 45:
		s.stepUpdate()
	case n < 57:
		s.stepDelete()
	case n < 62:
		s.stepGet()
	case n < 76:
		s.stepList()
	case n < 84:
		s.stepContinue()
	case n < 86:
		scope := someScope(s.r)
		same(s, "count of "+scope, s.count(scope), int64(len(s.m.list(scope, "", s.m.revision()))))
	case n < 89:
		s.stepCompact()
	case n < 94:
		s.stepWatch()
	case len(s.watchers) > 0:
		s.drain(s.watchers[s.r.IntN(len(s.watchers))])
	}
	same(s, "revision", s.revision(), s.m.revision())
}

func (s *sequence) stepCreate() {
	s.Helper()
	key, v := someKey(s.r), someValue(s.r)
	got, err := s.s.Create(s.ctx, key, v)
	if _, exists := s.m.latest()[key]; exists {
		wantError(s.fixture, err, store.ErrExists)
		return
	}
	s.must(err)
	same(s, "create", got, s.m.put(key, v))
}

// stepUpdate updates a key, sometimes with a concurrent write.
func (s *sequence) stepUpdate() {
	s.Helper()
	key, v, creates := someKey(s.r), someValue(s.r), s.r.IntN(2) == 0
	p := s.preconditions(key)
	interrupt := s.r.IntN(4) == 0
	var shown itemT
	got, err := s.s.Update(s.ctx, key, store.UpdateOptions{Preconditions: p, CreateMissing: creates}, func(current itemT) (Value, error) {
		want, exists := s.m.latest()[key]
		if !exists {
			want.Key = key
		}
		same(s, "current", current, want)
		shown = current
		if interrupt {
			interrupt = false
			other := Value{UID: v.UID, Data: fmt.Sprint("other", s.r.IntN(100))}
			_, err := s.s.Update(s.ctx, key, store.UpdateOptions{CreateMissing: true}, func(itemT) (Value, error) { return other, nil })
			s.must(err)
			s.m.put(key, other)
		}
		return v, nil
	})
	current, exists := s.m.latest()[key]
	switch {
	case shown.Revision != 0 && shown.Value == v:
		// The no-op update took effect before the concurrent write.
		s.must(err)
		same(s, "no change", got, shown)
	case !exists && !creates:
		wantError(s.fixture, err, store.ErrNotFound)
	case !holds(p, current):
		wantError(s.fixture, err, store.ErrPrecondition)
	default:
		s.must(err)
		same(s, "update", got, s.m.put(key, v))
	}
}

func (s *sequence) stepDelete() {
	s.Helper()
	key := someKey(s.r)
	p := s.preconditions(key)
	got, err := s.s.Delete(s.ctx, key, store.DeleteOptions[Value]{Preconditions: p})
	current, exists := s.m.latest()[key]
	switch {
	case !exists:
		wantError(s.fixture, err, store.ErrNotFound)
	case !holds(p, current):
		wantError(s.fixture, err, store.ErrPrecondition)
	default:
		s.must(err)
		same(s, "delete", got, s.m.remove(key))
	}
}

// preconditions returns preconditions that are empty, match, or may not match.
func (s *sequence) preconditions(key string) (p store.Preconditions) {
	if s.r.IntN(3) > 0 {
		return p
	}
	current := s.m.latest()[key]
	uid, version := current.Value.UID, strconv.FormatInt(current.Revision-int64(s.r.IntN(2)), 10)
	if s.r.IntN(4) == 0 {
		uid = "other"
	}
	return store.Preconditions{UID: &uid, ResourceVersion: &version}
}

func holds(p store.Preconditions, current itemT) bool {
	version := ""
	if current.Revision != 0 {
		version = strconv.FormatInt(current.Revision, 10)
	}
	return (p.UID == nil || *p.UID == current.Value.UID) && (p.ResourceVersion == nil || *p.ResourceVersion == version)
}

func (s *sequence) stepGet() {
	s.Helper()
	key, least := someKey(s.r), max(0, s.m.revision()-3+s.r.Int64N(5))
	got, err := s.s.Get(s.ctx, key, store.GetOptions{MinRevision: least})
	want, exists := s.m.latest()[key]
	switch {
	case least > s.m.revision():
		wantFuture(s.fixture, err, least, s.m.revision())
	case !exists:
		wantError(s.fixture, err, store.ErrNotFound)
	default:
		s.must(err)
		same(s, "get", got, want)
	}
}

func (s *sequence) stepList() {
	s.Helper()
	scope := someScope(s.r)
	opts := listOptions{Revision: s.r.Int64N(s.m.revision() + 3), Limit: s.r.Int64N(5)}
	if s.r.IntN(2) == 0 && opts.Revision > 0 {
		opts.Match = store.Exact
	}
	filtered := s.r.IntN(3) == 0
	if filtered {
		opts.Filter = keep
	}
	page, err := s.s.List(s.ctx, scope, opts)
	shown := s.m.revision()
	if opts.Match == store.Exact {
		shown = opts.Revision
	}
	switch {
	case opts.Revision > s.m.revision():
		wantFuture(s.fixture, err, opts.Revision, s.m.revision())
	case shown < s.m.oldest:
		wantCompacted(s.fixture, err, shown, s.m.oldest)
	default:
		s.must(err)
		s.checkPage(page, scope, "", shown, opts)
	}
}

// keep is the filter of some of the lists.
func keep(i itemT) bool { return i.Value.Data < "2" }

// checkPage compares a page with the model, and keeps its token.
func (s *sequence) checkPage(page store.Page[Value], scope, from string, revision int64, opts listOptions) {
	s.Helper()
	all := s.m.list(scope, from, revision)
	looked, want := 0, []itemT{}
	for looked < len(all) && (opts.Limit <= 0 || int64(len(want)) < opts.Limit) {
		if opts.Filter == nil || opts.Filter(all[looked]) {
			want = append(want, all[looked])
		}
		looked++
	}
	if !slices.Equal(page.Items, want) {
		s.Fatalf("items of %s at %d from %q: got %v, want %v", scope, revision, from, page.Items, want)
	}
	remaining := int64(len(all) - looked)
	if remaining > 0 && opts.Filter != nil {
		remaining = store.UnknownRemaining
	}
	same(s, "revision of the page", page.Revision, revision)
	same(s, "remaining", page.Remaining, remaining)
	same(s, "there is a token", page.Continue != "", looked < len(all))
	if page.Continue != "" {
		s.pages = append(s.pages, openPage{token: page.Continue, scope: scope, last: all[looked-1].Key, revision: revision})
	}
}

func (s *sequence) stepContinue() {
	s.Helper()
	if len(s.pages) == 0 {
		return
	}
	p := s.pages[s.r.IntN(len(s.pages))]
	opts := listOptions{Continue: p.token, Limit: s.r.Int64N(4)}
	page, err := s.s.List(s.ctx, p.scope, opts)
	revision := p.revision
	if revision < s.m.oldest {
		var old *store.CompactedError
		if !errors.As(err, &old) {
			s.Fatalf("continued at %d where the oldest is %d: %v", revision, s.m.oldest, err)
		}
		opts.Continue, revision = old.Continue, s.m.revision()
		page, err = s.s.List(s.ctx, p.scope, opts)
	}
	s.must(err)
	s.checkPage(page, p.scope, p.last+"\x00", revision, opts)
}

func (s *sequence) stepCompact() {
	s.Helper()
	revision := max(1, s.m.revision()-20+s.r.Int64N(22))
	err := s.s.Compact(s.ctx, revision)
	switch {
	case revision <= s.m.oldest:
		wantCompacted(s.fixture, err, revision, s.m.oldest)
	case revision > s.m.revision():
		wantFuture(s.fixture, err, revision, s.m.revision())
	default:
		s.must(err)
		s.m.oldest = revision
	}
}

func (s *sequence) stepWatch() {
	s.Helper()
	open := &openWatcher{scope: someScope(s.r)}
	opts := store.WatchOptions{After: s.r.Int64N(s.m.revision() + 4), Initial: s.r.IntN(3) == 0}
	w, err := s.s.Watch(s.ctx, open.scope, opts)
	switch {
	case opts.Initial && opts.After > s.m.revision():
		wantFuture(s.fixture, err, opts.After, s.m.revision())
		return
	case opts.Initial:
		open.initial, open.after = s.m.revision(), s.m.revision()
	case opts.After == 0:
		open.after = s.m.revision()
	case opts.After < s.m.oldest && err != nil:
		wantCompacted(s.fixture, err, opts.After, s.m.oldest)
		return
	default:
		if first := s.m.follow(open.scope, opts.After); opts.After < s.m.oldest && len(first) > 0 && first[0].Revision <= s.m.oldest {
			s.Fatalf("a watch after %d begins without the event of revision %d, which is lost", opts.After, first[0].Revision)
		}
		open.after = opts.After
	}
	s.must(err)
	s.Cleanup(w.Stop)
	open.w = w
	s.watchers = append(s.watchers, open)
}

// drain reads all available events of a watcher and compares them with the model. Only if
// events have been compacted may the watcher return an error instead.
func (s *sequence) drain(open *openWatcher) {
	s.Helper()
	var want []eventT
	lost := s.endsQuiet && open.after < s.m.oldest
	if open.initial != 0 {
		lost = lost || open.initial < s.m.oldest
		for _, i := range s.m.list(open.scope, "", open.initial) {
			want = append(want, eventT{Type: store.Added, Key: i.Key, Value: i.Value, Revision: i.Revision})
		}
		want = append(want, eventT{Type: store.Bookmark, Revision: open.initial, InitialEnd: true})
	}
	for _, e := range s.m.follow(open.scope, open.after) {
		lost = lost || e.Revision <= s.m.oldest // etcd no longer has the previous value
		want = append(want, e)
	}
	open.w.RequestBookmark()
	// The bookmark that ends the initial events also answers the request.
	if open.initial != s.m.revision() {
		want = append(want, eventT{Type: store.Bookmark, Revision: max(open.after, s.m.revision())})
	}
	for _, e := range want {
		got, err := open.w.Next(s.ctx)
		if lost && errors.Is(err, store.ErrSlow) {
			s.watchers = slices.DeleteFunc(s.watchers, func(o *openWatcher) bool { return o == open })
			return
		}
		s.must(err)
		same(s, "event of "+open.scope, got, e)
	}
	open.initial, open.after = 0, max(open.after, s.m.revision())
}
