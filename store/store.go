package store

import (
	"context"
	"fmt"
	"time"
)

// Store is a versioned key-value store. The package comment lists its guarantees. All methods
// are safe for concurrent use.
//
// A scope selects keys: a string that is empty or ends with "/" selects every key with that
// prefix, any other string is a single key. Keys and scopes other than "" begin with "/" and
// have no segment "." or ".."; keys do not end with "/". Otherwise a call fails with
// [ErrInvalidKey].
//
// ctx limits a call; if it is done before the call has changed anything, the call returns its
// error.
type Store[T any] interface {
	// Create stores value under a new key and returns the new item. It fails with [ErrExists]
	// if the key exists.
	Create(ctx context.Context, key string, value T) (Item[T], error)

	// Get returns the latest item of a key. It fails with [ErrNotFound] if the key does not
	// exist.
	Get(ctx context.Context, key string, opts GetOptions) (Item[T], error)

	// List returns the items in scope at one revision, sorted by key.
	List(ctx context.Context, scope string, opts ListOptions[T]) (Page[T], error)

	// Update replaces the value of a key with the result of try for the latest item
	// (Kubernetes' GuaranteedUpdate). If the key changes while try runs, try is called again
	// with the newer item, without a limit except ctx. try runs without any lock and must not
	// modify the current value.
	//
	// If the key does not exist, Update fails with [ErrNotFound] or, with
	// [UpdateOptions.CreateMissing], calls try with an item of revision 0 and creates the key
	// with the result. If the result equals the current value, nothing is written and the
	// current item is returned.
	Update(ctx context.Context, key string, opts UpdateOptions, try UpdateFunc[T]) (Item[T], error)

	// Delete removes a key. It returns an item with the removed value and the revision of the
	// deletion. It fails with [ErrNotFound] if the key does not exist.
	Delete(ctx context.Context, key string, opts DeleteOptions[T]) (Item[T], error)

	// Watch starts a watch of the keys in scope. ctx limits the start only: the watcher runs
	// until its Stop is called or the store is closed.
	Watch(ctx context.Context, scope string, opts WatchOptions) (Watcher[T], error)

	// Count returns the number of keys in scope at the current revision.
	Count(ctx context.Context, scope string) (int64, error)

	// Revision returns the current revision of the store.
	Revision(ctx context.Context) (int64, error)

	// Compact discards the history before a revision. The revision itself remains readable. It
	// fails with a [*CompactedError] if the revision has been compacted already, and with a
	// [*FutureError] if the store has not reached it.
	Compact(ctx context.Context, revision int64) error

	// Close ends all watchers; later calls fail. It may be called more than once.
	Close() error
}

// Item is a value with its key and revision.
type Item[T any] struct {
	Key   string
	Value T
	// Revision is the revision of the last write to the key, the object's resourceVersion.
	// After Delete it is the revision of the deletion; for an absent key it is 0.
	Revision int64
}

// GetOptions are the options of Get.
type GetOptions struct {
	// MinRevision is the revision that the store must have reached; otherwise the
	// read fails with a [*FutureError]. 0 requires nothing. The result is always the
	// latest state.
	MinRevision int64
	// Cached allows a result that is older than the latest state, but not older than
	// MinRevision, so that a [Cache] need not contact the underlying store.
	Cached bool
}

// Match determines how ListOptions.Revision selects the state.
type Match int

const (
	// NotOlderThan selects the latest state, which must be at the revision or a later one; 0
	// is any. This is resourceVersionMatch=NotOlderThan, and with revision 0 also a list
	// without a resourceVersion.
	NotOlderThan Match = iota
	// Exact selects the state at the revision. This is resourceVersionMatch=Exact. For
	// compatibility it is also the meaning of a resourceVersion other than "0" with a limit
	// and without resourceVersionMatch.
	Exact
)

// ListOptions are the options of List.
type ListOptions[T any] struct {
	// Revision and Match select the state to list.
	Revision int64
	Match    Match
	// Limit is the maximum number of items; 0 or less is no limit.
	Limit int64
	// Continue is the token of the previous page. It includes the revision, so Revision must
	// be 0 and Match NotOlderThan. An invalid token fails with [ErrInvalidContinue].
	Continue string
	// Cached allows a state that is older than the latest, but not older than Revision. In
	// Kubernetes this is a list with a resourceVersion. Only a [Cache] makes use of it.
	Cached bool
	// Filter excludes the items for which it returns false. They do not count towards Limit.
	// nil includes all items.
	Filter func(Item[T]) bool
}

// Check returns an error that wraps [ErrInvalidOptions] if the options contradict each other. An implementation of
// [Store] calls it before it lists.
func (o *ListOptions[T]) Check() error {
	switch {
	case o.Revision < 0:
		return fmt.Errorf("%w: revision %d is negative", ErrInvalidOptions, o.Revision)
	case o.Continue != "" && (o.Revision != 0 || o.Match != NotOlderThan):
		return fmt.Errorf("%w: a list with a continue token must not set a revision", ErrInvalidOptions)
	case o.Continue == "" && o.Match == Exact && o.Revision == 0:
		return fmt.Errorf("%w: an exact list requires a revision", ErrInvalidOptions)
	}
	return nil
}

// UnknownRemaining is the value of Page.Remaining if the number is unknown, because the filter
// has not been called for the remaining items.
const UnknownRemaining = -1

// Page is the result of List.
type Page[T any] struct {
	// Items is never nil.
	Items []Item[T]
	// Revision is the revision of the listed state, the list's resourceVersion.
	Revision int64
	// Continue is the token for the next page; "" on the last page.
	Continue string
	// Remaining is the number of items after this page: 0 on the last page, [UnknownRemaining]
	// if there are more and the list has a filter.
	Remaining int64
}

// Preconditions are conditions for an update or deletion. A nil field is not checked.
type Preconditions struct {
	// UID is compared with the UID of the value.
	UID *string
	// ResourceVersion is compared as text with the item's revision in decimal, so that a text
	// which is not a number never matches. For an absent item it is "".
	ResourceVersion *string
}

// UpdateFunc returns the new value for the current item. If the key does not exist, current
// has revision 0 and the zero value.
type UpdateFunc[T any] func(current Item[T]) (T, error)

// UpdateOptions are the options of Update.
type UpdateOptions struct {
	Preconditions Preconditions
	// CreateMissing creates the key if it does not exist.
	CreateMissing bool
}

// DeleteOptions are the options of Delete.
type DeleteOptions[T any] struct {
	Preconditions Preconditions
	// Validate is called with the latest item, after the preconditions were checked, and again
	// with each newer item. No lock is held. If it returns an error, Delete returns that error
	// unchanged.
	Validate func(current Item[T]) error
}

// WatchOptions are the options of Watch.
type WatchOptions struct {
	// After is the revision after which events begin; 0 is the current one. A future revision
	// is allowed: events begin after it. A compacted one fails with a [*CompactedError], unless
	// the history has every event that the watch has to deliver (guarantee G15).
	//
	// With Initial, After is the minimum revision of the initial events; a future one fails
	// with a [*FutureError].
	After int64
	// Initial begins the watch with the existing items (guarantee G12).
	Initial bool
	// Cached allows the watch, if After is 0 or Initial is set, to begin at a state that is
	// older than the latest, but not older than After.
	Cached bool
	// Ticks requests a bookmark for each value received, like RequestBookmark. It is received
	// from only while Next waits. It may be the channel of a time.Ticker.
	Ticks <-chan time.Time
}

// Check returns an error that wraps [ErrInvalidOptions] if the options are not valid. An implementation of [Store] calls
// it before it watches.
func (o *WatchOptions) Check() error {
	if o.After < 0 {
		return fmt.Errorf("%w: revision %d is negative", ErrInvalidOptions, o.After)
	}
	return nil
}

// Watcher delivers the events of a watch. Next must not be called concurrently with itself;
// the other methods are safe for concurrent use.
type Watcher[T any] interface {
	// Next waits for the next event and returns it. An event that is available is returned
	// even if ctx is done, so that a done context reads without waiting. After an error of ctx
	// nothing is lost, and Next may be called again. Every other error is final: [ErrSlow] or
	// [ErrClosed].
	Next(ctx context.Context) (Event[T], error)
	// RequestBookmark makes Next return a bookmark once it has returned every event up to the
	// store's current revision. Requests made before that bookmark is returned may share it.
	RequestBookmark()
	// Stop ends the watcher and releases its resources; Next then returns [ErrClosed]. It may
	// be called more than once.
	Stop()
}

// EventType is the type of an event.
type EventType int

const (
	// Added reports a new key.
	Added EventType = iota + 1
	// Modified reports a new value for a key.
	Modified
	// Deleted reports that a key was deleted.
	Deleted
	// Bookmark reports progress only. It has no key and no value.
	Bookmark
)

// String returns the type as Kubernetes spells it in a watch: ADDED, MODIFIED,
// DELETED or BOOKMARK.
func (t EventType) String() string {
	switch t {
	case Added:
		return "ADDED"
	case Modified:
		return "MODIFIED"
	case Deleted:
		return "DELETED"
	case Bookmark:
		return "BOOKMARK"
	}
	return "UNKNOWN"
}

// Event is an event of a watch.
type Event[T any] struct {
	Type EventType
	Key  string
	// Value is the value that was written or, for a deletion, the value that was removed.
	Value T
	// Revision is the revision of the write or, for a bookmark, the revision up to which all
	// events have been delivered.
	Revision int64
	// Previous is the value before the write and PreviousRevision its revision; both are zero
	// for Added and Bookmark.
	Previous         T
	PreviousRevision int64
	// InitialEnd marks the bookmark that ends the initial events.
	InitialEnd bool
}
