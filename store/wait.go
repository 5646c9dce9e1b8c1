package store

import "context"

// WaitFor waits until the store has reached the revision, or returns ctx's error.
// kube-apiserver waits in this way for up to three seconds before it answers that a
// resourceVersion is too large.
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
