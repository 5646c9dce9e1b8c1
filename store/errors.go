package store

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// Errors, for errors.Is. The errors returned wrap them and add the key or revision.
var (
	// ErrNotFound reports that the key does not exist.
	ErrNotFound = errors.New("key not found")
	// ErrExists reports that the key exists already.
	ErrExists = errors.New("key exists already")
	// ErrPrecondition matches every [*PreconditionError].
	ErrPrecondition = errors.New("precondition failed")
	// ErrCompacted matches every [*CompactedError].
	ErrCompacted = errors.New("too old resource version")
	// ErrSlow matches the [*CompactedError] of a watcher that fell behind the history.
	ErrSlow = errors.New("watcher fell behind the history")
	// ErrFuture matches every [*FutureError].
	ErrFuture = errors.New("too large resource version")
	// ErrInvalidKey reports that a key or scope is malformed.
	ErrInvalidKey = keyspace.ErrInvalidKey
	// ErrInvalidContinue reports that a continue token was not issued by this kind of store.
	ErrInvalidContinue = keyspace.ErrInvalidContinue
	// ErrInvalidOptions reports that options contradict each other.
	ErrInvalidOptions = errors.New("invalid options")
	// ErrTooLarge reports that a value exceeds the maximum size. Its message is etcd's, which
	// kube-apiserver passes on.
	ErrTooLarge = errors.New("etcdserver: request is too large")
	// ErrClosed reports that the store was closed or the watcher stopped.
	ErrClosed = errors.New("closed")
)

// An InvalidKeyError is the error of an operation with a malformed key or scope. It matches
// [ErrInvalidKey].
type InvalidKeyError = keyspace.KeyError

// A TokenError is the error of a list with an invalid continue token. It matches
// [ErrInvalidContinue].
type TokenError = keyspace.TokenError

// KeyError is the error of an operation on a key.
type KeyError struct {
	// Op is the operation: create, get, update or delete.
	Op  string
	Key string
	Err error
}

func (e *KeyError) Error() string { return withCause(e.Op+" "+e.Key, e.Err) }

// withCause returns a message with the error that caused it, if there is one.
func withCause(message string, err error) string {
	if err == nil {
		return message
	}
	return message + ": " + err.Error()
}

// Unwrap returns [ErrNotFound], [ErrExists], [ErrTooLarge] or [ErrInvalidKey].
func (e *KeyError) Unwrap() error { return e.Err }

// maxMessage is the size from which etcd's client does not send a request.
const maxMessage = 2 << 20

// SizeError reports that a value exceeds the maximum size. It wraps [ErrTooLarge].
type SizeError struct {
	// Size is the size of the value in bytes. kube-apiserver's messages have the size of the
	// request to etcd, which is a few hundred bytes larger.
	Size int
}

// Error returns etcd's message or, for values that its client does not send, the client's.
func (e *SizeError) Error() string {
	if e.Size <= maxMessage {
		return ErrTooLarge.Error()
	}
	return "rpc error: code = ResourceExhausted desc = trying to send message larger than max (" +
		strconv.Itoa(e.Size) + " vs. " + strconv.Itoa(maxMessage) + ")"
}

// Unwrap returns [ErrTooLarge].
func (e *SizeError) Unwrap() error { return ErrTooLarge }

// PreconditionError reports a precondition that does not match.
type PreconditionError struct {
	Key string
	// Field is UID or ResourceVersion.
	Field string
	// Wanted is the value of the precondition, Found the value of the item.
	Wanted, Found string
}

// Error returns kube-apiserver's message.
func (e *PreconditionError) Error() string {
	return fmt.Sprintf("%s: Precondition failed: %s in precondition: %s, %s in object meta: %s",
		e.Key, e.Field, e.Wanted, e.Field, e.Found)
}

// Unwrap returns [ErrPrecondition].
func (e *PreconditionError) Unwrap() error { return ErrPrecondition }

// CompactedError reports that a revision is no longer kept. Kubernetes answers it with 410 and
// the reason Expired (lists) or Gone (watches).
type CompactedError struct {
	// Revision is the requested revision, Oldest the oldest revision kept.
	Revision, Oldest int64
	// Slow is true for a watcher that fell behind the history.
	Slow bool
	// Continue, if the list had a continue token, is a token that continues at the same key
	// with the latest state. The pages together are then not a consistent snapshot.
	Continue string
}

func (e *CompactedError) Error() string {
	if e.Slow {
		return fmt.Sprintf("%v: it is at revision %d, the oldest one kept is %d", ErrSlow, e.Revision, e.Oldest)
	}
	return fmt.Sprintf("%v: %d (%d)", ErrCompacted, e.Revision, e.Oldest)
}

// Is matches [ErrCompacted] and, for a slow watcher, [ErrSlow].
func (e *CompactedError) Is(target error) bool {
	return target == ErrCompacted || e.Slow && target == ErrSlow
}

// FutureError reports that the store has not reached a revision. Kubernetes waits for it for
// some time ([WaitFor]), then answers with a timeout and the cause ResourceVersionTooLarge.
type FutureError struct {
	// Revision is the requested revision, Current the store's.
	Revision, Current int64
}

// Error returns kube-apiserver's message.
func (e *FutureError) Error() string {
	return fmt.Sprintf("Too large resource version: %d, current: %d", e.Revision, e.Current)
}

// Unwrap returns [ErrFuture].
func (e *FutureError) Unwrap() error { return ErrFuture }

// UnavailableError reports that the underlying storage did not respond or failed.
type UnavailableError struct {
	// Unknown is true for a write that may have taken effect nevertheless. The caller has to
	// read before it retries.
	Unknown bool
	Err     error
}

func (e *UnavailableError) Error() string {
	if e.Unknown {
		return withCause("storage did not respond, and the write may have taken effect", e.Err)
	}
	return withCause("storage is unavailable", e.Err)
}

// Unwrap returns the error of the underlying storage.
func (e *UnavailableError) Unwrap() error { return e.Err }

// CorruptError reports that a stored value cannot be decoded.
type CorruptError struct {
	Key      string
	Revision int64
	Err      error
}

// Error does not include the decoder's error, which may quote the value.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("failed to decode the value of %s at revision %d", e.Key, e.Revision)
}

// Unwrap returns the decoder's error.
func (e *CorruptError) Unwrap() error { return e.Err }
