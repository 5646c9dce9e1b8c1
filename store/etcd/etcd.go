package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// Options configure a store on etcd. Encode and Decode are required.
type Options[T any] struct {
	// Prefix is prepended to every key in etcd. It is empty, or begins with "/" and does not
	// end with it.
	Prefix string
	// Encode returns the bytes to store, and Decode the value that they encode. Decode is
	// called for every read.
	Encode func(T) []byte
	Decode func([]byte) (T, error)
	// Unreadable returns the value that watches have in place of one that cannot be decoded, so
	// that the error for it is that of its readers only. With nil a watch of it ends with
	// [store.CorruptError], as other reads do.
	Unreadable func(error) T
	// Equal reports whether a and b have the same encoding, so that an update need not be
	// written. With nil every update is written.
	Equal func(a, b T) bool
	// UID returns the UID of a value, for preconditions. With nil every UID is empty.
	UID func(T) string
	// Lifetime returns the time after which etcd deletes a value, counted from its write; 0 is
	// without limit. etcd's resolution is a second, and the deletion may be a few seconds
	// late. With nil no value expires.
	Lifetime func(T) time.Duration
	// MaxBytes is the maximum size of a value in bytes; larger ones are refused with
	// [store.ErrTooLarge]. 0 is etcd's default, 1.5 MiB.
	MaxBytes int
	// Timeout limits the duration of each request to etcd, after which it fails with
	// [store.UnavailableError]; 0 is ten seconds.
	Timeout time.Duration
}

// defaultMaxBytes is etcd's default for --max-request-bytes.
const defaultMaxBytes = 3 << 19

const defaultTimeout = 10 * time.Second

// Store is a [store.Store] on etcd.
type Store[T any] struct {
	client  *clientv3.Client
	options Options[T]

	ctx      context.Context // canceled when the store is closed
	end      context.CancelFunc
	close    sync.Once
	watchers atomic.Int64 // source of the ids of watch streams
	restarts atomic.Int64
}

var _ store.Store[int] = (*Store[int])(nil)

// New returns a store on etcd and takes ownership of the client: Close closes it.
func New[T any](client *clientv3.Client, o Options[T]) *Store[T] {
	if o.Equal == nil {
		o.Equal = func(T, T) bool { return false }
	}
	if o.UID == nil {
		o.UID = func(T) string { return "" }
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	s := &Store[T]{client: client, options: o}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// Close implements [store.Store].
func (s *Store[T]) Close() error {
	var err error
	s.close.Do(func() {
		s.end()
		err = s.client.Close()
	})
	if errors.Is(err, context.Canceled) {
		err = nil // the request had already been sent to etcd
	}
	return err
}

// WatchRestarts returns how many times a watch in etcd had to be opened again.
func (s *Store[T]) WatchRestarts() int64 { return s.restarts.Load() }

// begin checks the key of a call. The returned context limits requests to etcd.
func (s *Store[T]) begin(ctx context.Context, op, key string) (context.Context, context.CancelFunc, error) {
	if err := keyspace.CheckKey(key); err != nil {
		return nil, nil, &store.KeyError{Op: op, Key: key, Err: err}
	}
	return s.alive(ctx)
}

// alive returns an error if the store is closed or the context is done. The returned context
// limits the duration of requests to etcd.
func (s *Store[T]) alive(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if s.ctx.Err() != nil {
		return nil, nil, store.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, s.options.Timeout)
	return bounded, cancel, nil
}

// inEtcd returns the key in etcd.
func (s *Store[T]) inEtcd(key string) string { return s.options.Prefix + key }

// span returns the range of a scope in etcd: its first key and the first key after it.
func (s *Store[T]) span(sc keyspace.Scope) (first, end string) {
	if end, ok := sc.End(); ok {
		return s.inEtcd(sc.Text), s.inEtcd(end)
	}
	return s.inEtcd("/"), s.inEtcd("0") // '0' is the byte after '/'
}

// item decodes a stored value.
func (s *Store[T]) item(key string, data []byte, revision int64) (store.Item[T], error) {
	value, err := s.options.Decode(data)
	if err != nil {
		return store.Item[T]{}, &store.CorruptError{Key: key, Revision: revision, Err: err}
	}
	return store.Item[T]{Key: key, Value: value, Revision: revision}, nil
}

// watchedItem is item for a watch.
func (s *Store[T]) watchedItem(key string, data []byte, revision int64) (store.Item[T], error) {
	item, err := s.item(key, data, revision)
	if err != nil && s.options.Unreadable != nil {
		return store.Item[T]{Key: key, Value: s.options.Unreadable(err), Revision: revision}, nil
	}
	return item, err
}

// Get implements [store.Store].
func (s *Store[T]) Get(ctx context.Context, key string, opts store.GetOptions) (store.Item[T], error) {
	ctx, cancel, err := s.begin(ctx, "get", key)
	if err != nil {
		return store.Item[T]{}, err
	}
	defer cancel()
	resp, err := s.client.Get(ctx, s.inEtcd(key))
	if err != nil {
		return store.Item[T]{}, s.failed(err)
	}
	if opts.MinRevision > resp.Header.Revision {
		return store.Item[T]{}, &store.FutureError{Revision: opts.MinRevision, Current: resp.Header.Revision}
	}
	if len(resp.Kvs) == 0 {
		return store.Item[T]{}, &store.KeyError{Op: "get", Key: key, Err: store.ErrNotFound}
	}
	return s.item(key, resp.Kvs[0].Value, resp.Kvs[0].ModRevision)
}

// Count implements [store.Store].
func (s *Store[T]) Count(ctx context.Context, text string) (int64, error) {
	sc, err := keyspace.ParseScope(text)
	if err != nil {
		return 0, err
	}
	ctx, cancel, err := s.alive(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	first, end := s.span(sc)
	resp, err := s.client.Get(ctx, first, clientv3.WithRange(end), clientv3.WithCountOnly())
	if err != nil {
		return 0, s.failed(err)
	}
	return resp.Count, nil
}

// Revision implements [store.Store].
func (s *Store[T]) Revision(ctx context.Context) (int64, error) {
	ctx, cancel, err := s.alive(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	return s.at(ctx, 0)
}

// at checks a revision, 0 for the latest, and returns the latest one. It requests no keys from
// etcd; it fails if the revision is compacted or in the future.
func (s *Store[T]) at(ctx context.Context, revision int64) (int64, error) {
	resp, err := s.client.Get(ctx, s.inEtcd("/"), clientv3.WithCountOnly(), clientv3.WithRev(revision))
	if err != nil {
		return 0, s.failed(err)
	}
	return resp.Header.Revision, nil
}

// Compact implements [store.Store]. It compacts all of etcd, not only the keys under the
// prefix.
func (s *Store[T]) Compact(ctx context.Context, revision int64) error {
	ctx, cancel, err := s.alive(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if revision <= 1 { // etcd would accept it without effect
		return s.compacted(ctx, revision, 1)
	}
	if _, err = s.client.Compact(ctx, revision); err == nil {
		return nil
	}
	return s.placed(ctx, revision, s.writeFailed(err))
}

// Health returns an error if etcd does not respond.
func (s *Store[T]) Health(ctx context.Context) error {
	if _, err := s.Revision(ctx); err != nil {
		return fmt.Errorf("etcd at %s: %w", strings.Join(s.client.Endpoints(), ", "), err)
	}
	return nil
}
