package retry

import (
	"context"
	"sync"
)

// Batch calls f for each item, with at most concurrency calls (at least one) at a time, and
// returns the error of each item at its index. If ctx ends, items not yet started get its
// error. progress, unless nil, is called after each item with the number completed; calls
// do not overlap.
func Batch[T any](ctx context.Context, items []T, concurrency int, f func(context.Context, T) error, progress func(done, of int)) []error {
	errs := make([]error, len(items))
	next := make(chan int)
	var mu sync.Mutex
	done := 0
	var workers sync.WaitGroup
	for range min(max(concurrency, 1), len(items)) {
		workers.Go(func() {
			for i := range next {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = f(ctx, items[i])
				}
				mu.Lock()
				done++
				if progress != nil {
					progress(done, len(items))
				}
				mu.Unlock()
			}
		})
	}
	for i := range items {
		next <- i
	}
	close(next)
	workers.Wait()
	return errs
}
