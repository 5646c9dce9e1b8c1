package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/patchlab-dev/patchlab/store"
)

// event formats a watch event.
func event(e store.Event[Value]) string {
	s := fmt.Sprintf("%s@%d", e.Type, e.Revision)
	if e.Key != "" {
		s = fmt.Sprintf("%s %s=%s@%d", e.Type, e.Key, e.Value.Data, e.Revision)
	}
	if e.PreviousRevision != 0 {
		s += fmt.Sprintf(" was %s@%d", e.Previous.Data, e.PreviousRevision)
	}
	if e.InitialEnd {
		s += " initial end"
	}
	return s
}

// expect checks the next events of a watcher.
func (f *fixture) expect(w store.Watcher[Value], want ...string) {
	f.Helper()
	for i := range want {
		same(f, fmt.Sprintf("event %d", i), event(f.next(w)), want[i])
	}
}

// expectOnly checks all remaining events of a watcher.
func (f *fixture) expectOnly(w store.Watcher[Value], want ...string) {
	f.Helper()
	want = append(slices.Clone(want), fmt.Sprintf("BOOKMARK@%d", f.revision()))
	got := f.drained(w)
	for i := range got {
		if i < len(want) {
			same(f, fmt.Sprintf("event %d", i), event(got[i]), want[i])
		}
	}
	same(f, "number of events", len(got), len(want))
}

// watchCases check guarantees G11 to G14.
func watchCases() []testCase {
	return []testCase{
		{"G11 events have the new and the previous value", func(f *fixture) {
			w := f.watch("/p/", store.WatchOptions{})
			f.create("/p/a", "1")
			f.update("/p/a", "2")
			f.delete("/p/a")
			f.create("/p/a", "3")
			f.expectOnly(w, "ADDED /p/a=1@2", "MODIFIED /p/a=2@3 was 1@2", "DELETED /p/a=2@4 was 2@3", "ADDED /p/a=3@5")
		}},
		{"G11 a watch without a revision begins now", func(f *fixture) {
			f.create("/p/a", "1")
			w := f.watch("/p/", store.WatchOptions{})
			f.expectOnly(w)
			f.create("/p/b", "1")
			f.expectOnly(w, "ADDED /p/b=1@3")
		}},
		{"G11 a watch begins after the given revision", func(f *fixture) {
			f.create("/p/a", "1")
			f.update("/p/a", "2")
			f.update("/p/a", "3")
			w := f.watch("/p/", store.WatchOptions{After: 2})
			f.update("/p/a", "4")
			f.expectOnly(w, "MODIFIED /p/a=2@3 was 1@2", "MODIFIED /p/a=3@4 was 2@3", "MODIFIED /p/a=4@5 was 3@4")
		}},
		{"G11 a watch after revision 1 delivers every event", func(f *fixture) {
			f.create("/p/a", "1")
			f.delete("/p/a")
			f.expectOnly(f.watch("", store.WatchOptions{After: 1}), "ADDED /p/a=1@2", "DELETED /p/a=1@3 was 1@2")
		}},
		{"G11 a watch delivers only events of its scope", func(f *fixture) {
			watchers := map[string]store.Watcher[Value]{}
			for _, scope := range []string{"", "/", "/p/", "/p/a", "/p/a/", "/q/"} {
				watchers[scope] = f.watch(scope, store.WatchOptions{})
			}
			for _, key := range []string{"/p", "/p/a", "/p/a/x", "/p/ab", "/q/a"} {
				f.create(key, "1")
			}
			all := []string{"ADDED /p=1@2", "ADDED /p/a=1@3", "ADDED /p/a/x=1@4", "ADDED /p/ab=1@5", "ADDED /q/a=1@6"}
			for scope, want := range map[string][]string{
				"": all, "/": all, "/p/": all[1:4], "/p/a": all[1:2], "/p/a/": all[2:3], "/q/": all[4:],
			} {
				f.expectOnly(watchers[scope], want...)
			}
		}},
		{"G11 a watch after a future revision waits for it", func(f *fixture) {
			w := f.watch("/p/", store.WatchOptions{After: 3})
			f.create("/p/a", "1")
			f.update("/p/a", "2")
			f.update("/p/a", "3")
			f.expect(w, "MODIFIED /p/a=3@4 was 2@3")
		}},
		{"G11 Next waits for a write", func(f *fixture) {
			w := f.watch("/p/", store.WatchOptions{})
			got := make(chan string, 1)
			go func() {
				e, err := w.Next(f.ctx)
				if err != nil {
					got <- err.Error()
					return
				}
				got <- event(e)
			}()
			f.create("/p/a", "1")
			same(f, "event", <-got, "ADDED /p/a=1@2")
		}},
		{"G11 Next with a done context returns available events and loses none", func(f *fixture) {
			w := f.watch("/p/", store.WatchOptions{After: 1})
			_, err := w.Next(done())
			wantError(f, err, context.Canceled)
			f.create("/p/a", "1")
			f.expect(w, "ADDED /p/a=1@2")
			_, err = w.Next(done())
			wantError(f, err, context.Canceled)
			f.create("/p/b", "1")
			f.expectOnly(w, "ADDED /p/b=1@3")
		}},
		{"G12 initial events, the bookmark, then later events", func(f *fixture) {
			f.create("/p/b", "1")
			f.create("/p/a", "1")
			f.update("/p/b", "2")
			f.create("/q/a", "1")
			w := f.watch("/p/", store.WatchOptions{Initial: true})
			f.update("/p/a", "2")
			f.delete("/p/b")
			f.expect(w, "ADDED /p/a=1@3", "ADDED /p/b=2@4", "BOOKMARK@5 initial end",
				"MODIFIED /p/a=2@6 was 1@3", "DELETED /p/b=2@7 was 2@4")
			f.expectOnly(w)
		}},
		{"G12 without items the bookmark is the only initial event", func(f *fixture) {
			f.create("/q/a", "1")
			f.expect(f.watch("/p/", store.WatchOptions{Initial: true}), "BOOKMARK@2 initial end")
		}},
		{"G12 many initial events are a consistent snapshot", manyInitialEvents},
		{"G12 initial events of one key", func(f *fixture) {
			f.create("/p/a", "1")
			f.create("/p/a/x", "1")
			w := f.watch("/p/a", store.WatchOptions{Initial: true, After: 2})
			f.expect(w, "ADDED /p/a=1@2", "BOOKMARK@3 initial end")
		}},
		{"G13 a bookmark comes after the events before it", func(f *fixture) {
			w := f.watch("/p/", store.WatchOptions{})
			f.create("/p/a", "1")
			f.create("/q/a", "1")
			w.RequestBookmark()
			w.RequestBookmark()
			f.create("/p/b", "1")
			f.expect(w, "ADDED /p/a=1@2", "BOOKMARK@3", "ADDED /p/b=1@4")
			f.expectOnly(w)
		}},
		{"G13 the bookmark after initial events answers an earlier request", func(f *fixture) {
			f.create("/p/a", "1")
			w := f.watch("/p/", store.WatchOptions{Initial: true})
			w.RequestBookmark()
			f.expect(w, "ADDED /p/a=1@2", "BOOKMARK@2 initial end")
			f.create("/p/b", "1")
			f.expect(w, "ADDED /p/b=1@3")
		}},
		{"G13 a watch after a future revision has no earlier bookmark", func(f *fixture) {
			w := f.watch("/p/", store.WatchOptions{After: 5})
			w.RequestBookmark()
			f.expect(w, "BOOKMARK@5")
		}},
		{"G13 each tick requests a bookmark", func(f *fixture) {
			ticks := make(chan time.Time)
			w := f.watch("/p/", store.WatchOptions{Ticks: ticks})
			f.create("/p/a", "1")
			f.expect(w, "ADDED /p/a=1@2")
			for range 2 {
				go func() { ticks <- time.Time{} }()
				f.expect(w, "BOOKMARK@2")
			}
		}},
		{"G14 a watcher that reads nothing does not delay writers", func(f *fixture) {
			idle := f.watch("", store.WatchOptions{})
			for i := range 500 {
				f.put("/p/a", fmt.Sprint(i))
			}
			same(f, "events", len(f.drained(idle)), 501)
		}},
		{"G15 a watch after a compacted revision is refused, after the oldest kept it is not", func(f *fixture) {
			f.create("/p/a", "1")
			f.update("/p/a", "2")
			f.update("/p/a", "3")
			f.compact(3)
			_, err := f.s.Watch(f.ctx, "/p/", store.WatchOptions{After: 2})
			wantCompacted(f, err, 2, 3)
			f.expectOnly(f.watch("/p/", store.WatchOptions{After: 3}), "MODIFIED /p/a=3@4 was 2@3")
		}},
		{"G15 initial events need no history", func(f *fixture) {
			f.create("/p/a", "1")
			f.update("/p/a", "2")
			f.compact(3)
			f.expect(f.watch("/p/", store.WatchOptions{Initial: true, After: 2}), "ADDED /p/a=2@3", "BOOKMARK@3 initial end")
		}},
	}
}

func manyInitialEvents(f *fixture) {
	const n = 700 // more than one batch
	for i := range n {
		f.create(fmt.Sprintf("/p/%04d", i), "1")
	}
	w := f.watch("/p/", store.WatchOptions{Initial: true})
	for i := range n {
		e := f.next(w)
		same(f, "event", event(e), fmt.Sprintf("ADDED /p/%04d=1@%d", i, i+2))
		if i%100 == 0 {
			f.update(fmt.Sprintf("/p/%04d", n-1-i), "2")
		}
	}
	f.expect(w, fmt.Sprintf("BOOKMARK@%d initial end", n+1))
	same(f, "events that follow, with their bookmark", len(f.drained(w)), n/100+1)
}

// lifetimeCases check guarantee G17.
func lifetimeCases() []testCase {
	return []testCase{
		{"G17 a stopped watcher ends and others do not", func(f *fixture) {
			one, other := f.watch("/p/", store.WatchOptions{}), f.watch("/p/", store.WatchOptions{})
			ended := make(chan error, 1)
			go func() {
				_, err := one.Next(f.ctx)
				ended <- err
			}()
			one.Stop()
			one.Stop()
			wantError(f, <-ended, store.ErrClosed)
			_, err := one.Next(f.ctx)
			wantError(f, err, store.ErrClosed)
			f.create("/p/a", "1")
			f.expectOnly(other, "ADDED /p/a=1@2")
		}},
		{"G17 a closed store refuses every call and ends its watchers", func(f *fixture) {
			f.create("/p/a", "1")
			w := f.watch("/p/", store.WatchOptions{})
			ended := make(chan error, 1)
			go func() {
				_, err := w.Next(f.ctx)
				ended <- err
			}()
			f.must(f.s.Close())
			f.must(f.s.Close())
			wantError(f, <-ended, store.ErrClosed)
			for what, err := range closedCalls(f) {
				if !errors.Is(err, store.ErrClosed) {
					f.Errorf("%s: %v", what, err)
				}
			}
			w.Stop()
		}},
	}
}

// closedCalls calls every method and returns the errors.
func closedCalls(f *fixture) map[string]error {
	errs := map[string]error{}
	_, errs["create"] = f.s.Create(f.ctx, "/p/b", value("1"))
	_, errs["get"] = f.s.Get(f.ctx, "/p/a", store.GetOptions{})
	_, errs["list"] = f.s.List(f.ctx, "/p/", listOptions{})
	_, errs["update"] = f.s.Update(f.ctx, "/p/a", store.UpdateOptions{}, always("2"))
	_, errs["delete"] = f.s.Delete(f.ctx, "/p/a", store.DeleteOptions[Value]{})
	_, errs["watch"] = f.s.Watch(f.ctx, "/p/", store.WatchOptions{})
	_, errs["count"] = f.s.Count(f.ctx, "/p/")
	_, errs["revision"] = f.s.Revision(f.ctx)
	errs["compact"] = f.s.Compact(f.ctx, 2)
	return errs
}
