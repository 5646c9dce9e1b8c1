package retry

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Update gets an object, changes it and puts it back, and does so again when
// another client has written it in between. get and put are a client's methods;
// for the status, put is UpdateStatus. change works on the object that get
// returned. An error of change ends the update and nothing is written.
//
// put must send the resourceVersion that get returned, as every client does;
// otherwise the other client's write is lost.
func Update[T any](ctx context.Context, p Policy, get func(context.Context) (T, error), change func(T) error, put func(context.Context, T) (T, error)) (T, error) {
	var out T
	var refused error // by change, whatever kind of error it is
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

// CompareAndSwap puts an object on condition that its resourceVersion is still the
// one given. A conflict comes back at once (apierrors.IsConflict): the caller's
// decision was made on that version. Other errors are repeated as in Do.
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
