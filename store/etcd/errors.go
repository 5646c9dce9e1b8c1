package etcd

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/patchlab-dev/patchlab/store"
)

// errCompacted and errFuture are etcd's errors about a revision. placed replaces them with
// errors that include the revisions.
var (
	errCompacted = rpctypes.ErrCompacted
	errFuture    = rpctypes.ErrFutureRev
)

// refusals are the etcd errors that mean that a write has not taken effect.
var refusals = []error{
	rpctypes.ErrNoSpace, rpctypes.ErrTooManyRequests, rpctypes.ErrNoLeader, rpctypes.ErrNotCapable,
	rpctypes.ErrPermissionDenied, rpctypes.ErrInvalidAuthToken, rpctypes.ErrUserEmpty, rpctypes.ErrUnhealthy,
}

// writeFailed converts the error of a request that writes. Unless etcd refused it, the write
// may have taken effect.
func (s *Store[T]) writeFailed(err error) error {
	err = s.failed(err)
	var unavailable *store.UnavailableError
	if errors.As(err, &unavailable) {
		unavailable.Unknown = !refused(unavailable.Err)
	}
	return err
}

// refused reports whether an error of etcd means that a write has not taken effect.
func refused(err error) bool {
	return slices.ContainsFunc(refusals, func(refusal error) bool { return errors.Is(err, refusal) })
}

// failed converts an error of etcd's client. A cancellation by the caller's context is
// returned unchanged.
func (s *Store[T]) failed(err error) error {
	switch {
	case s.ctx.Err() != nil:
		return store.ErrClosed
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, errCompacted), errors.Is(err, errFuture):
		return err
	case tooLarge(err):
		return store.ErrTooLarge
	}
	return &store.UnavailableError{Err: err}
}

// tooLarge reports whether etcd or its client refused a request because of its size.
func tooLarge(err error) bool {
	if errors.Is(err, rpctypes.ErrRequestTooLarge) {
		return true
	}
	s, ok := status.FromError(err)
	return ok && s.Code() == codes.ResourceExhausted && strings.Contains(s.Message(), "message larger than max")
}

// placed replaces etcd's error about a compacted or future revision with the store's error,
// which includes the revisions.
func (s *Store[T]) placed(ctx context.Context, revision int64, err error) error {
	switch {
	case errors.Is(err, errCompacted):
		return s.compacted(ctx, revision, 0)
	case errors.Is(err, errFuture):
		current, err := s.at(ctx, 0)
		if err != nil {
			return err
		}
		return &store.FutureError{Revision: revision, Current: current}
	}
	return err
}

// compacted returns the error for a compacted revision. It includes the oldest revision that
// etcd keeps, which etcd returns only to a watch. oldest is a known lower bound.
func (s *Store[T]) compacted(ctx context.Context, revision, oldest int64) error {
	gone := &store.CompactedError{Revision: revision, Oldest: max(oldest, 1)}
	if oldest == 1 {
		if _, err := s.at(ctx, 1); !errors.Is(err, errCompacted) {
			return gone
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for resp := range s.client.Watch(ctx, s.inEtcd("/"), clientv3.WithRev(1)) {
		if resp.CompactRevision != 0 {
			gone.Oldest = resp.CompactRevision
			return gone
		}
	}
	return gone
}
