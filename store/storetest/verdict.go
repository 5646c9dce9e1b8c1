package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/store"
)

// check compares all recorded results with the model.
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

// replay applies the writes to a model in order of their revisions. There must be one for each
// revision, and each must follow from the previous one.
func (s *simulation) replay() *model {
	slices.SortFunc(s.wrote, func(a, b wrote) int { return int(a.got.Revision - b.got.Revision) })
	m := newModel()
	for _, w := range s.wrote {
		before := m.latest()[w.got.Key]
		if w.shown.Revision == 0 {
			w.shown = itemT{} // creates were recorded with the name only
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

// checkSeen compares a watcher's events with the model's. If the watcher ended with ErrSlow,
// they must be the first of them.
func (s *simulation) checkSeen(m *model, got seen) {
	s.Helper()
	var events []eventT
	reached, highest := int64(0), int64(0) // by bookmarks, by any event
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

// wantSeen returns the events that a watcher must have received.
func (s *simulation) wantSeen(m *model, got seen) []eventT {
	if !got.initial {
		return m.follow(got.scope, got.after)
	}
	end := slices.IndexFunc(got.events, func(e eventT) bool { return e.InitialEnd })
	if end < 0 {
		if !got.slow {
			s.Fatalf("initial events of %s without an end", got.scope)
		}
		return got.events // the state of its initial events is unknown
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

// short formats a few events from the i-th on.
func short(events []eventT, i int) string {
	var all []string
	for ; i < len(events) && len(all) < 5; i++ {
		all = append(all, event(events[i]))
	}
	return strings.Join(all, ", ")
}
