package retry

import (
	"context"
	"sync"
)

// Batch calls f for each item, at most concurrency at a time (at least one), and
// returns the error of each at the item's index, nil for none. Items that are not
// begun when ctx ends get its error. progress, where it is not nil, is called after
// each item with how many are done, one call at a time.
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
