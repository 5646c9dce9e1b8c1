package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// Options configure a store on etcd. Encode and Decode are required.
type Options[T any] struct {
	// Prefix comes before every key in etcd. It begins with "/" and does not
	// end with it, or is empty.
	Prefix string
	// Encode returns the bytes to store, and Decode the value that they hold.
	// Decode is called anew for each read.
	Encode func(T) []byte
	Decode func([]byte) (T, error)
	// Equal reports whether a and b are stored the same, so that an update need not be
	// written. With nil every update is written.
	Equal func(a, b T) bool
	// UID returns the UID of a value, for preconditions. nil gives every value
	// the empty UID.
	UID func(T) string
	// Lifetime returns how long a value stays, counted from its write, after
	// which etcd deletes it; 0 is for ever. etcd counts in seconds, at least
	// one, and may take a few more. nil keeps every value.
	Lifetime func(T) time.Duration
	// MaxBytes is the size from which on values are refused with
	// [store.ErrTooLarge]; 0 is etcd's own limit, 1.5 MiB.
	MaxBytes int
	// Timeout bounds each request to etcd; 0 is ten seconds. A request that
	// takes longer fails with [store.UnavailableError].
	Timeout time.Duration
}

// defaultMaxBytes is etcd's default for --max-request-bytes.
const defaultMaxBytes = 3 << 19

const defaultTimeout = 10 * time.Second

// Store is a [store.Store] on etcd.
type Store[T any] struct {
	client  *clientv3.Client
	options Options[T]

	ctx      context.Context // ends when the store is closed
	end      context.CancelFunc
	close    sync.Once
	watchers atomic.Int64 // numbers the watchers' streams
	restarts atomic.Int64
}

var _ store.Store[int] = (*Store[int])(nil)

// New returns a store on an etcd. The client belongs to the store from then on:
// Close closes it.
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
		err = nil // it had been on the way to etcd
	}
	return err
}

// WatchRestarts returns how often a watch had to be opened anew in etcd.
func (s *Store[T]) WatchRestarts() int64 { return s.restarts.Load() }

// begin is how a call about one key starts. The context that it returns bounds
// requests to etcd.
func (s *Store[T]) begin(ctx context.Context, op, key string) (context.Context, context.CancelFunc, error) {
	if err := keyspace.CheckKey(key); err != nil {
		return nil, nil, &store.KeyError{Op: op, Key: key, Err: err}
	}
	return s.alive(ctx)
}

// alive refuses calls on a closed store or with a done context.
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

// inEtcd returns the name of a key in etcd.
func (s *Store[T]) inEtcd(key string) string { return s.options.Prefix + key }

// span returns the first key in etcd of what a scope selects, and the first
// behind it.
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

// at asks etcd about a revision, 0 for the latest, and returns the latest. The
// request reads nothing; it fails if the revision is compacted or to come.
func (s *Store[T]) at(ctx context.Context, revision int64) (int64, error) {
	resp, err := s.client.Get(ctx, s.inEtcd("/"), clientv3.WithCountOnly(), clientv3.WithRev(revision))
	if err != nil {
		return 0, s.failed(err)
	}
	return resp.Header.Revision, nil
}

// Compact implements [store.Store]. It compacts the whole etcd, not only the
// keys of the prefix.
func (s *Store[T]) Compact(ctx context.Context, revision int64) error {
	ctx, cancel, err := s.alive(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if revision <= 1 { // etcd would take it, and forget nothing
		return s.compacted(ctx, revision, 1)
	}
	if _, err = s.client.Compact(ctx, revision); err == nil {
		return nil
	}
	return s.placed(ctx, revision, s.failed(err))
}

// Health returns nil if etcd answers, and otherwise why it does not.
func (s *Store[T]) Health(ctx context.Context) error {
	if _, err := s.Revision(ctx); err != nil {
		return fmt.Errorf("etcd at %v: %w", s.client.Endpoints(), err)
	}
	return nil
}
