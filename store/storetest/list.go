package storetest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/store"
)

type listOptions = store.ListOptions[Value]

// listCases check guarantees G9, G10 and G15.
func listCases() []testCase {
	return []testCase{
		{"G9 a list is sorted by the bytes of the keys", func(f *fixture) {
			for _, key := range []string{"/p/b", "/p/a/z", "/p/a-b", "/p/a", "/p/B", "/p/ä"} {
				f.create(key, "1")
			}
			same(f, "keys", keys(f.list("/p/", listOptions{})), "/p/B /p/a /p/a-b /p/a/z /p/b /p/ä")
		}},
		{"G9 a scope is a prefix that ends with a slash, or one key", func(f *fixture) {
			for _, key := range []string{"/p", "/p/a", "/p/a/x", "/p/ab", "/p0", "/q/a"} {
				f.create(key, "1")
			}
			for scope, want := range map[string]string{
				"/p/":    "/p/a /p/a/x /p/ab",
				"/p/a/":  "/p/a/x",
				"/p/a":   "/p/a",
				"/p":     "/p",
				"":       "/p /p/a /p/a/x /p/ab /p0 /q/a",
				"/":      "/p /p/a /p/a/x /p/ab /p0 /q/a",
				"/none/": "",
				"/none":  "",
			} {
				page := f.list(scope, listOptions{})
				same(f, "keys in "+scope, keys(page), want)
				same(f, "count of "+scope, f.count(scope), int64(len(page.Items)))
				if page.Items == nil {
					f.Fatalf("the items of %s are nil", scope)
				}
			}
		}},
		{"G9 a complete list has the store's revision and no continue token", func(f *fixture) {
			f.create("/p/a", "1")
			f.create("/q/a", "1")
			page := f.list("/p/", listOptions{Limit: 1})
			same(f, "revision", page.Revision, 3)
			same(f, "continue", page.Continue, "")
			same(f, "remaining", page.Remaining, 0)
		}},
		{"G9 an exact list returns a past state", func(f *fixture) {
			f.create("/p/a", "1")
			f.create("/p/b", "1")
			f.update("/p/a", "2")
			f.delete("/p/b")
			for revision, want := range map[int64]string{
				1: "", 2: "/p/a=1@2", 3: "/p/a=1@2 /p/b=1@3", 4: "/p/a=2@4 /p/b=1@3", 5: "/p/a=2@4",
			} {
				page := f.list("/p/", listOptions{Revision: revision, Match: store.Exact})
				same(f, fmt.Sprint("items at ", revision), full(page), want)
				same(f, "revision", page.Revision, revision)
			}
			same(f, "one key", full(f.list("/p/b", listOptions{Revision: 4, Match: store.Exact})), "/p/b=1@3")
		}},
		{"G9 pages are a consistent snapshot during concurrent writes", pagesAreASnapshot},
		{"G9 pages with a filter", pagesWithFilter},
		{"G9 a negative limit is no limit", func(f *fixture) {
			f.create("/p/a", "1")
			f.create("/p/b", "1")
			same(f, "keys", keys(f.list("/p/", listOptions{Limit: -1})), "/p/a /p/b")
		}},
		{"G9 a token does not lead out of its scope", func(f *fixture) {
			for _, key := range []string{"/p/a", "/p/b", "/p/c", "/q/a", "/q/b", "/q/c"} {
				f.create(key, "1")
			}
			token := f.list("/q/", listOptions{Limit: 1}).Continue
			same(f, "keys", keys(f.list("/p/", listOptions{Continue: token})), "/p/b /p/c")
		}},
		{"G9 an invalid token is refused", func(f *fixture) {
			f.create("/p/a", "1")
			for _, token := range []string{"x", "****", "djE6", "djE6MDph", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"} {
				_, err := f.s.List(f.ctx, "/p/", listOptions{Continue: token})
				wantError(f, err, store.ErrInvalidContinue)
			}
		}},
		{"G9 options that contradict each other are refused", func(f *fixture) {
			f.create("/p/a", "1")
			f.create("/p/b", "1")
			token := f.list("/p/", listOptions{Limit: 1}).Continue
			for _, opts := range []listOptions{
				{Match: store.Exact},
				{Revision: -1},
				{Continue: token, Revision: 2},
				{Continue: token, Match: store.Exact},
			} {
				_, err := f.s.List(f.ctx, "/p/", opts)
				wantError(f, err, store.ErrInvalidOptions)
			}
		}},
		{"G10 a read with a reached minimum revision returns the latest state", func(f *fixture) {
			f.create("/p/a", "1")
			f.update("/p/a", "2")
			same(f, "list", full(f.list("/p/", listOptions{Revision: 2})), "/p/a=2@3")
			got, err := f.s.Get(f.ctx, "/p/a", store.GetOptions{MinRevision: 2})
			f.must(err)
			same(f, "get", got, item("/p/a", "2", 3))
		}},
		{"G10 a minimum revision in the future is refused", func(f *fixture) {
			f.create("/p/a", "1")
			_, err := f.s.Get(f.ctx, "/p/a", store.GetOptions{MinRevision: 3})
			wantFuture(f, err, 3, 2)
			_, err = f.s.Get(f.ctx, "/p/none", store.GetOptions{MinRevision: 3})
			wantFuture(f, err, 3, 2)
			_, err = f.s.List(f.ctx, "/p/", listOptions{Revision: 3})
			wantFuture(f, err, 3, 2)
			_, err = f.s.List(f.ctx, "/p/", listOptions{Revision: 3, Match: store.Exact})
			wantFuture(f, err, 3, 2)
			_, err = f.s.Watch(f.ctx, "/p/", store.WatchOptions{After: 3, Initial: true})
			wantFuture(f, err, 3, 2)
		}},
		{"G15 a list at a compacted revision is refused, at the oldest kept it is not", func(f *fixture) {
			f.create("/p/a", "1")
			f.update("/p/a", "2")
			f.update("/p/a", "3")
			f.compact(3)
			_, err := f.s.List(f.ctx, "/p/", listOptions{Revision: 2, Match: store.Exact})
			wantCompacted(f, err, 2, 3)
			same(f, "at 3", full(f.list("/p/", listOptions{Revision: 3, Match: store.Exact})), "/p/a=2@3")
			same(f, "latest", full(f.list("/p/", listOptions{Revision: 2})), "/p/a=3@4")
		}},
		{"G15 compaction loses no latest item", func(f *fixture) {
			f.create("/p/a", "1")
			f.create("/p/b", "1")
			f.delete("/p/b")
			f.create("/p/c", "1")
			f.compact(f.revision())
			same(f, "latest", full(f.list("/p/", listOptions{})), "/p/a=1@2 /p/c=1@5")
			same(f, "get", f.get("/p/a"), item("/p/a", "1", 2))
			same(f, "revision", f.revision(), 5)
		}},
		{"G15 compacting a compacted or future revision is refused", func(f *fixture) {
			f.create("/p/a", "1")
			f.create("/p/b", "1")
			f.compact(2)
			wantCompacted(f, f.s.Compact(f.ctx, 2), 2, 2)
			wantFuture(f, f.s.Compact(f.ctx, 4), 4, 3)
		}},
		{"G15 the error for a compacted token has a token for the latest state", tokenMeetsCompaction},
	}
}

// keys returns the keys of a page.
func keys(page store.Page[Value]) string {
	var all []string
	for _, i := range page.Items {
		all = append(all, i.Key)
	}
	return strings.Join(all, " ")
}

// full formats the items of a page as key=data@revision.
func full(page store.Page[Value]) string {
	var all []string
	for _, i := range page.Items {
		all = append(all, fmt.Sprintf("%s=%s@%d", i.Key, i.Value.Data, i.Revision))
	}
	return strings.Join(all, " ")
}

func wantFuture(f *fixture, err error, revision, current int64) {
	f.Helper()
	wantError(f, err, store.ErrFuture)
	var e *store.FutureError
	if !errors.As(err, &e) {
		f.Fatalf("the error is a %T", err)
	}
	same(f, "error", *e, store.FutureError{Revision: revision, Current: current})
}

func wantCompacted(f *fixture, err error, revision, oldest int64) {
	f.Helper()
	wantError(f, err, store.ErrCompacted)
	if errors.Is(err, store.ErrSlow) {
		f.Fatalf("the error speaks of a slow watcher: %v", err)
	}
	var e *store.CompactedError
	if !errors.As(err, &e) {
		f.Fatalf("the error is a %T", err)
	}
	same(f, "error", *e, store.CompactedError{Revision: revision, Oldest: oldest})
}

func pagesAreASnapshot(f *fixture) {
	for i := range 10 {
		f.create(fmt.Sprintf("/p/%02d", i), "1")
	}
	want := full(f.list("/p/", listOptions{}))
	var got []string
	opts := listOptions{Limit: 3}
	for left := int64(7); ; left = max(left-3, 0) {
		page := f.list("/p/", opts)
		same(f, "revision", page.Revision, 11)
		same(f, "remaining", page.Remaining, left)
		got = append(got, full(page))
		if page.Continue == "" {
			break
		}
		opts.Continue = page.Continue
		f.put(fmt.Sprintf("/p/%02d", len(got)*3), "2")
		f.put("/p/new", fmt.Sprint(len(got)))
		if len(got) == 1 {
			f.delete("/p/09")
		}
	}
	same(f, "pages", len(got), 4)
	same(f, "all", strings.Join(got, " "), want)
}

func pagesWithFilter(f *fixture) {
	for i := range 7 {
		f.create(fmt.Sprintf("/p/%d", i), fmt.Sprint(i%2))
	}
	odd := func(i store.Item[Value]) bool { return i.Value.Data == "1" }
	page := f.list("/p/", listOptions{Limit: 2, Filter: odd})
	same(f, "first page", keys(page), "/p/1 /p/3")
	same(f, "remaining", page.Remaining, store.UnknownRemaining)
	page = f.list("/p/", listOptions{Limit: 2, Filter: odd, Continue: page.Continue})
	same(f, "second page", keys(page), "/p/5")
	same(f, "continue", page.Continue, "")
	same(f, "remaining", page.Remaining, 0)
	same(f, "without limit", keys(f.list("/p/", listOptions{Filter: odd})), "/p/1 /p/3 /p/5")
}

func tokenMeetsCompaction(f *fixture) {
	for _, key := range []string{"/p/a", "/p/b", "/p/c"} {
		f.create(key, "1")
	}
	page := f.list("/p/", listOptions{Limit: 1})
	f.update("/p/c", "2")
	f.update("/p/a", "2")
	f.compact(5)
	_, err := f.s.List(f.ctx, "/p/", listOptions{Limit: 1, Continue: page.Continue})
	var e *store.CompactedError
	if !errors.As(err, &e) || e.Continue == "" {
		f.Fatalf("no token to go on with in %#v", err)
	}
	second := f.list("/p/", listOptions{Limit: 1, Continue: e.Continue})
	same(f, "second page", full(second), "/p/b=1@3")
	same(f, "its revision", second.Revision, 6)
	f.update("/p/c", "3")
	third := f.list("/p/", listOptions{Limit: 1, Continue: second.Continue})
	same(f, "third page, of the second's snapshot", full(third), "/p/c=2@5")
}
