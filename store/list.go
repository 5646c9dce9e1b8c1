package store

import (
	"context"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// List implements [Store].
func (m *timeline[T]) List(ctx context.Context, text string, opts ListOptions[T]) (Page[T], error) {
	sc, err := m.open(ctx, text)
	if err != nil {
		return Page[T]{}, err
	}
	s, index := m.current()
	revision, start, err := listFrom(s, sc, opts)
	if err != nil {
		return Page[T]{}, err
	}
	index = m.indexAt(revision, s, index)
	begin := rank(index, start)
	// Start with the keys in scope. The start of a token may be after the end of the scope.
	follow := max(0, rankEnd(index, sc)-begin)
	items, looked, err := take(ctx, index, start, follow, opts)
	if err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Items: items, Revision: revision}
	if looked < follow {
		last, _, _ := index.GetAt(begin + looked - 1)
		page.Continue = keyspace.Token{Revision: revision, Start: last[len(sc.Text):] + "\x00"}.Encode()
		page.Remaining = int64(follow - looked)
		if opts.Filter != nil {
			page.Remaining = UnknownRemaining
		}
	}
	return page, nil
}

// listFrom returns the revision to list and the first key that may be in the page, or an
// error.
func listFrom[T any](s *state[T], sc keyspace.Scope, opts ListOptions[T]) (revision int64, start string, err error) {
	if err := opts.Check(); err != nil {
		return 0, "", err
	}
	if opts.Continue != "" {
		return continueFrom(s, sc, opts)
	}
	if opts.Revision > s.revision {
		return 0, "", &FutureError{Revision: opts.Revision, Current: s.revision}
	}
	if opts.Match != Exact {
		return s.revision, sc.Text, nil
	}
	if opts.Revision < s.oldest {
		return 0, "", &CompactedError{Revision: opts.Revision, Oldest: s.oldest}
	}
	return opts.Revision, sc.Text, nil
}

// CheckContinue returns an error if a continue token is invalid, whatever the other options of the list are.
func CheckContinue(token string) error {
	_, err := keyspace.DecodeToken(token)
	return err
}

// continueFrom is listFrom for a list with a continue token.
func continueFrom[T any](s *state[T], sc keyspace.Scope, opts ListOptions[T]) (revision int64, start string, err error) {
	t, err := keyspace.DecodeToken(opts.Continue)
	if err != nil {
		return 0, "", err
	}
	start = sc.Text + t.Start
	switch {
	case t.Revision == keyspace.LatestRevision:
		return s.revision, start, nil
	case t.Revision > s.revision:
		return 0, "", &FutureError{Revision: t.Revision, Current: s.revision}
	case t.Revision < s.oldest:
		next := keyspace.Token{Revision: keyspace.LatestRevision, Start: t.Start}
		return 0, "", &CompactedError{Revision: t.Revision, Oldest: s.oldest, Continue: next.Encode()}
	}
	return t.Revision, start, nil
}

// patience is the number of items between two checks of the context.
const patience = 1024

// take collects the items of a page. follow is the number of keys in scope from start on.
// looked is the number of keys that it examined.
func take[T any](ctx context.Context, index *items[T], start string, follow int, opts ListOptions[T]) (got []Item[T], looked int, err error) {
	limit := follow
	if opts.Limit > 0 && opts.Limit < int64(follow) {
		limit = int(opts.Limit)
	}
	if opts.Filter == nil {
		got = make([]Item[T], 0, limit)
	} else {
		got = []Item[T]{}
	}
	index.Ascend(start, func(key string, e *entry[T]) bool {
		if looked == follow || len(got) == limit {
			return false
		}
		if looked%patience == patience-1 {
			if err = ctx.Err(); err != nil {
				return false
			}
		}
		looked++
		if item := e.item(key); opts.Filter == nil || opts.Filter(item) {
			got = append(got, item)
		}
		return true
	})
	return got, looked, err
}
