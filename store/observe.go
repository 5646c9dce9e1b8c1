package store

import (
	"context"
	"errors"
	"time"
)

// Call describes a completed call of a store.
type Call struct {
	// Operation is create, get, list, update, delete, watch, count, revision or
	// compact.
	Operation string
	Took      time.Duration
	// Retries is the number of times that an update or delete was retried because of a
	// concurrent write.
	Retries int
	// Unavailable is true if the underlying storage did not respond.
	Unavailable bool
}

// Observe returns a store that forwards calls to s and reports each to f when it has returned.
// f must be safe for concurrent use.
func Observe[T any](s Store[T], f func(Call)) Store[T] { return &observed[T]{s, f} }

type observed[T any] struct {
	Store[T]
	report func(Call)
}

func (s *observed[T]) done(operation string, begin time.Time, tries int, err error) {
	s.report(Call{
		Operation: operation, Took: time.Since(begin), Retries: max(0, tries-1),
		Unavailable: errors.As(err, new(*UnavailableError)),
	})
}

func (s *observed[T]) Create(ctx context.Context, key string, value T) (Item[T], error) {
	begin := time.Now()
	item, err := s.Store.Create(ctx, key, value)
	s.done("create", begin, 0, err)
	return item, err
}

func (s *observed[T]) Get(ctx context.Context, key string, opts GetOptions) (Item[T], error) {
	begin := time.Now()
	item, err := s.Store.Get(ctx, key, opts)
	s.done("get", begin, 0, err)
	return item, err
}

func (s *observed[T]) List(ctx context.Context, scope string, opts ListOptions[T]) (Page[T], error) {
	begin := time.Now()
	page, err := s.Store.List(ctx, scope, opts)
	s.done("list", begin, 0, err)
	return page, err
}

func (s *observed[T]) Update(ctx context.Context, key string, opts UpdateOptions, try UpdateFunc[T]) (Item[T], error) {
	begin, tries := time.Now(), 0
	item, err := s.Store.Update(ctx, key, opts, func(current Item[T]) (T, error) {
		tries++
		return try(current)
	})
	s.done("update", begin, tries, err)
	return item, err
}

func (s *observed[T]) Delete(ctx context.Context, key string, opts DeleteOptions[T]) (Item[T], error) {
	begin, tries, validate := time.Now(), 0, opts.Validate
	opts.Validate = func(current Item[T]) error {
		tries++
		if validate == nil {
			return nil
		}
		return validate(current)
	}
	item, err := s.Store.Delete(ctx, key, opts)
	s.done("delete", begin, tries, err)
	return item, err
}

func (s *observed[T]) Watch(ctx context.Context, scope string, opts WatchOptions) (Watcher[T], error) {
	begin := time.Now()
	w, err := s.Store.Watch(ctx, scope, opts)
	s.done("watch", begin, 0, err)
	return w, err
}

func (s *observed[T]) Count(ctx context.Context, scope string) (int64, error) {
	begin := time.Now()
	n, err := s.Store.Count(ctx, scope)
	s.done("count", begin, 0, err)
	return n, err
}

func (s *observed[T]) Revision(ctx context.Context) (int64, error) {
	begin := time.Now()
	revision, err := s.Store.Revision(ctx)
	s.done("revision", begin, 0, err)
	return revision, err
}

func (s *observed[T]) Compact(ctx context.Context, revision int64) error {
	begin := time.Now()
	err := s.Store.Compact(ctx, revision)
	s.done("compact", begin, 0, err)
	return err
}
