package etcd

import (
	"context"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// maxPage is the maximum number of keys that a list with a limit and a selective filter
// requests from etcd at once, as in kube-apiserver.
const maxPage = 10_000

// List implements [store.Store].
func (s *Store[T]) List(ctx context.Context, text string, opts store.ListOptions[T]) (store.Page[T], error) {
	return s.list(ctx, text, opts, s.item)
}

// list is List with a function that decodes the items.
func (s *Store[T]) list(ctx context.Context, text string, opts store.ListOptions[T], item decoder[T]) (store.Page[T], error) {
	sc, err := keyspace.ParseScope(text)
	if err != nil {
		return store.Page[T]{}, err
	}
	ctx, cancel, err := s.alive(ctx)
	if err != nil {
		return store.Page[T]{}, err
	}
	defer cancel()
	l, err := s.newLister(sc, opts)
	if err != nil {
		return store.Page[T]{}, err
	}
	l.decode = item
	page, err := l.page(ctx)
	if err != nil {
		err = s.placed(ctx, l.revision, err)
	}
	if gone, ok := err.(*store.CompactedError); ok && opts.Continue != "" {
		gone.Continue = keyspace.Token{Revision: keyspace.LatestRevision, Start: strings.TrimPrefix(l.first, s.inEtcd(sc.Text))}.Encode()
	}
	return page, err
}

// decoder returns the item of a key that has a value since a revision.
type decoder[T any] func(key string, value []byte, revision int64) (store.Item[T], error)

// lister reads one page.
type lister[T any] struct {
	*Store[T]
	scope  keyspace.Scope
	opts   store.ListOptions[T]
	decode decoder[T]
	// revision is the revision to list; 0 means the latest, and is replaced by it after the
	// first request.
	revision int64
	// first is the next key in etcd to read, end the first key after the scope.
	first, end string
}

// newLister checks the options of a list.
func (s *Store[T]) newLister(sc keyspace.Scope, opts store.ListOptions[T]) (*lister[T], error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	l := &lister[T]{Store: s, scope: sc, opts: opts}
	l.first, l.end = s.span(sc)
	switch {
	case opts.Match == store.Exact:
		l.revision = opts.Revision
	case opts.Continue != "":
		t, err := keyspace.DecodeToken(opts.Continue)
		if err != nil {
			return nil, err
		}
		l.first = s.inEtcd(sc.Text + t.Start)
		if t.Revision != keyspace.LatestRevision {
			l.revision = t.Revision
		}
	}
	return l, nil
}

// page reads until the page is full or the scope is exhausted.
func (l *lister[T]) page(ctx context.Context) (store.Page[T], error) {
	page := store.Page[T]{Items: []store.Item[T]{}}
	for size := max(l.opts.Limit, 0); ; size = min(2*size, maxPage) {
		kvs, count, err := l.read(ctx, size)
		if err != nil {
			return store.Page[T]{}, err
		}
		page.Revision = l.revision
		for i, kv := range kvs {
			item, err := l.decode(string(kv.Key[len(l.options.Prefix):]), kv.Value, kv.ModRevision)
			if err != nil {
				return store.Page[T]{}, err
			}
			if l.opts.Filter != nil && !l.opts.Filter(item) {
				continue
			}
			page.Items = append(page.Items, item)
			if left := count - int64(i) - 1; left > 0 && l.opts.Limit > 0 && int64(len(page.Items)) == l.opts.Limit {
				l.leave(&page, item.Key, left)
				return page, nil
			}
		}
		if int64(len(kvs)) >= count {
			return page, nil
		}
		l.first = string(kvs[len(kvs)-1].Key) + "\x00"
	}
}

// leave sets the continue token for the keys after key, of which left remain.
func (l *lister[T]) leave(page *store.Page[T], key string, left int64) {
	page.Continue = keyspace.Token{Revision: l.revision, Start: key[len(l.scope.Text):] + "\x00"}.Encode()
	page.Remaining = left
	if l.opts.Filter != nil {
		page.Remaining = store.UnknownRemaining
	}
}

// read reads up to size keys from etcd, 0 for all, and returns their total count.
func (l *lister[T]) read(ctx context.Context, size int64) (kvs []*mvccpb.KeyValue, count int64, err error) {
	options := []clientv3.OpOption{clientv3.WithRange(l.end), clientv3.WithLimit(size), clientv3.WithRev(l.revision)}
	first := l.first
	if first >= l.end { // the token is of another scope
		first = l.end
		options = append(options, clientv3.WithRange(l.end+"\x00"), clientv3.WithCountOnly())
	}
	resp, err := l.client.Get(ctx, first, options...)
	if err != nil {
		return nil, 0, l.failed(err)
	}
	if l.opts.Continue == "" && l.opts.Revision > resp.Header.Revision {
		return nil, 0, &store.FutureError{Revision: l.opts.Revision, Current: resp.Header.Revision}
	}
	if l.revision == 0 {
		l.revision = resp.Header.Revision
	}
	if first == l.end {
		return nil, 0, nil
	}
	return resp.Kvs, resp.Count, nil
}
