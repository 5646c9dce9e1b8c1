package store

import "context"

// WaitFor returns when the store has reached the revision, or with ctx's error
// when ctx ends before. kube-apiserver waits up to three seconds in this way
// before it answers that a resource version is too large.
func WaitFor[T any](ctx context.Context, s Store[T], revision int64) error {
	w, err := s.Watch(ctx, "", WatchOptions{})
	if err != nil {
		return err
	}
	defer w.Stop()
	current, err := s.Revision(ctx)
	if err != nil {
		return err
	}
	for current < revision {
		e, err := w.Next(ctx)
		if err != nil {
			return err
		}
		current = e.Revision
	}
	return nil
}
