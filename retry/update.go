package retry

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Update gets an object, changes it and writes it, and repeats this after a conflict. get
// and put are methods of a client; use UpdateStatus as put for the status. change modifies
// the object that get returned. If change returns an error, nothing is written and Update
// returns it.
//
// put must send the resourceVersion that get returned, as all clients do; otherwise another
// client's write is lost.
func Update[T any](ctx context.Context, p Policy, get func(context.Context) (T, error), change func(T) error, put func(context.Context, T) (T, error)) (T, error) {
	var out T
	var refused error // the error of change, of any kind
	err := p.Do(ctx, func(ctx context.Context) error {
		object, err := get(ctx)
		if err != nil {
			return err
		}
		if refused = change(object); refused != nil {
			return nil
		}
		out, err = put(ctx, object)
		return err
	})
	if err == nil {
		err = refused
	}
	return out, err
}

// CompareAndSwap writes an object if its resourceVersion is still the given one. A conflict
// is returned immediately (apierrors.IsConflict), because the caller's decision was based
// on that version. Other errors are retried as in Do.
func CompareAndSwap[T metav1.Object](ctx context.Context, p Policy, version string, object T, put func(context.Context, T) (T, error)) (T, error) {
	kindOf := p.withDefaults().KindOf
	p.KindOf = func(err error) Kind {
		if kind := kindOf(err); kind != Conflict {
			return kind
		}
		return Stop
	}
	object.SetResourceVersion(version)
	var out T
	err := p.Do(ctx, func(ctx context.Context) (err error) {
		out, err = put(ctx, object)
		return err
	})
	return out, err
}
