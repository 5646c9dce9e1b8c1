package store

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// What can go wrong, for errors.Is. The errors returned say more: which key,
// which revision.
var (
	// ErrNotFound says that the key does not exist.
	ErrNotFound = errors.New("key not found")
	// ErrExists says that the key exists already.
	ErrExists = errors.New("key exists already")
	// ErrPrecondition is beneath every [*PreconditionError].
	ErrPrecondition = errors.New("precondition failed")
	// ErrCompacted is beneath every [*CompactedError].
	ErrCompacted = errors.New("too old resource version")
	// ErrSlow is beneath the [*CompactedError] of a watcher that fell behind.
	ErrSlow = errors.New("watcher fell behind the history kept")
	// ErrFuture is beneath every [*FutureError].
	ErrFuture = errors.New("too large resource version")
	// ErrInvalidKey says that a key or scope is malformed.
	ErrInvalidKey = keyspace.ErrInvalidKey
	// ErrInvalidContinue says that a continue token is not one of this store's.
	ErrInvalidContinue = keyspace.ErrInvalidContinue
	// ErrInvalidOptions says that options contradict each other.
	ErrInvalidOptions = errors.New("invalid options")
	// ErrTooLarge says that a value is larger than the store takes. It has
	// etcd's words, which kube-apiserver passes on.
	ErrTooLarge = errors.New("etcdserver: request is too large")
	// ErrClosed says that the store was closed or the watcher stopped.
	ErrClosed = errors.New("closed")
)

// KeyError says which key an error is about.
type KeyError struct {
	// Op is what was tried: create, get, update or delete.
	Op  string
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Op + " " + e.Key + ": " + e.Err.Error() }

// Unwrap returns the reason: [ErrNotFound], [ErrExists], [ErrTooLarge] or
// [ErrInvalidKey].
func (e *KeyError) Unwrap() error { return e.Err }

// PreconditionError says which precondition an item does not meet.
type PreconditionError struct {
	Key string
	// Field is UID or ResourceVersion.
	Field string
	// Wanted is what the precondition asks for, Found what the item has.
	Wanted, Found string
}

// Error words the reason as kube-apiserver does.
func (e *PreconditionError) Error() string {
	return fmt.Sprintf("%s: Precondition failed: %s in precondition: %s, %s in object meta: %s",
		e.Key, e.Field, e.Wanted, e.Field, e.Found)
}

// Unwrap returns [ErrPrecondition].
func (e *PreconditionError) Unwrap() error { return ErrPrecondition }

// CompactedError says that a revision is no longer kept. Kubernetes answers it
// with 410 and the reason Expired (lists) or Gone (watches).
type CompactedError struct {
	// Revision is the one that was asked for, Oldest the oldest one kept.
	Revision, Oldest int64
	// Slow is set for a watcher that did not take its events in time.
	Slow bool
	// Continue, after a list with a continue token, is a token that goes on at
	// the same key with the latest state: the pages together are then no
	// snapshot.
	Continue string
}

func (e *CompactedError) Error() string {
	if e.Slow {
		return fmt.Sprintf("%v: it is at %d, the oldest kept is %d", ErrSlow, e.Revision, e.Oldest)
	}
	return fmt.Sprintf("%v: %d (%d)", ErrCompacted, e.Revision, e.Oldest)
}

// Is makes every such error [ErrCompacted], and a slow watcher's also
// [ErrSlow].
func (e *CompactedError) Is(target error) bool {
	return target == ErrCompacted || e.Slow && target == ErrSlow
}

// FutureError says that the store has not reached a revision. Kubernetes waits
// a little ([WaitFor]), then answers a timeout with the cause
// ResourceVersionTooLarge.
type FutureError struct {
	// Revision is the one that was asked for, Current the store's.
	Revision, Current int64
}

// Error words the reason as kube-apiserver does.
func (e *FutureError) Error() string {
	return fmt.Sprintf("Too large resource version: %d, current: %d", e.Revision, e.Current)
}

// Unwrap returns [ErrFuture].
func (e *FutureError) Unwrap() error { return ErrFuture }

// UnavailableError says that the storage beneath did not answer, or refused for
// a reason of its own.
type UnavailableError struct {
	// Unknown is set if a write may have taken effect all the same. The caller
	// has to read before it tries again.
	Unknown bool
	Err     error
}

func (e *UnavailableError) Error() string {
	if e.Unknown {
		return "storage did not answer; a write may have taken effect all the same: " + e.Err.Error()
	}
	return "storage is not available: " + e.Err.Error()
}

// Unwrap returns the storage's own error.
func (e *UnavailableError) Unwrap() error { return e.Err }

// CorruptError says that a stored value cannot be decoded.
type CorruptError struct {
	Key      string
	Revision int64
	Err      error
}

// Error does not include the decoder's error, which may quote the value.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("the value of %s at revision %d cannot be decoded", e.Key, e.Revision)
}

// Unwrap returns the decoder's error.
func (e *CorruptError) Unwrap() error { return e.Err }
