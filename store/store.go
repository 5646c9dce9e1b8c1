package store

import (
	"context"
	"time"
)

// Store is a versioned key-value store. The package comment numbers what it
// guarantees. All methods may be called from many goroutines at once.
//
// A scope selects keys: a string that is empty or ends with "/" selects every
// key that begins with it, any other is one key. A malformed key or scope is
// refused with [ErrInvalidKey].
//
// The context bounds the call; a call that finds it done before it has changed
// anything returns its error.
type Store[T any] interface {
	// Create stores value under a key that does not exist yet and returns the
	// new item, or fails with [ErrExists].
	Create(ctx context.Context, key string, value T) (Item[T], error)

	// Get returns the latest item of a key, or fails with [ErrNotFound].
	Get(ctx context.Context, key string, opts GetOptions) (Item[T], error)

	// List returns the items in scope, sorted by key, as they are or were at
	// one revision.
	List(ctx context.Context, scope string, opts ListOptions[T]) (Page[T], error)

	// Update replaces the value of a key by what try makes of the latest item.
	// It is Kubernetes' guaranteed update: when the key changes while try
	// works, try is called again with the newer item, for as long as it takes
	// or until ctx ends. try runs without any lock and must not change the
	// current value.
	//
	// A missing key fails with [ErrNotFound], or, with
	// [UpdateOptions.CreateMissing], calls try with an item of revision 0 and
	// creates what it returns. If the result is equal to the current value,
	// nothing is written and the current item is returned.
	Update(ctx context.Context, key string, opts UpdateOptions, try UpdateFunc[T]) (Item[T], error)

	// Delete removes a key. The item that it returns has the value that was
	// removed and the revision of the deletion. A missing key fails with
	// [ErrNotFound].
	Delete(ctx context.Context, key string, opts DeleteOptions[T]) (Item[T], error)

	// Watch begins to follow the keys in scope. ctx bounds the beginning only:
	// the watcher lives until its Stop is called, or the store is closed.
	Watch(ctx context.Context, scope string, opts WatchOptions) (Watcher[T], error)

	// Count returns how many keys in scope exist now.
	Count(ctx context.Context, scope string) (int64, error)

	// Revision returns the current revision of the store.
	Revision(ctx context.Context) (int64, error)

	// Compact forgets what only revisions before the given one can see. That
	// revision itself stays readable. It fails with a [*CompactedError] if
	// history is already that short, and with a [*FutureError] if the store has
	// not reached the revision.
	Compact(ctx context.Context, revision int64) error

	// Close ends all watchers and refuses further calls. Closing again does
	// nothing.
	Close() error
}

// Item is a value with the place it is stored at.
type Item[T any] struct {
	Key   string
	Value T
	// Revision of the last write to the key, the object's resourceVersion;
	// after Delete the revision of the deletion; 0 for a key that does not
	// exist.
	Revision int64
}

// GetOptions says how fresh the answer of Get must be.
type GetOptions struct {
	// MinRevision is the revision that the store must have reached; otherwise the
	// read fails with a [*FutureError]. 0 requires nothing. The result is always the
	// latest state.
	MinRevision int64
	// Cached allows an answer that is older than the latest, but not older
	// than MinRevision. A [Cache] then need not ask the store beneath.
	Cached bool
}

// Match says how ListOptions.Revision is meant.
type Match int

const (
	// NotOlderThan lists the latest state, which must not be older than the
	// revision; 0 is any. This is resourceVersionMatch=NotOlderThan, and with
	// revision 0 also a list without a resourceVersion.
	NotOlderThan Match = iota
	// Exact lists the state at the revision. This is
	// resourceVersionMatch=Exact, and, by an old rule of Kubernetes, what a
	// resourceVersion other than "0" with a limit and without a match means.
	Exact
)

// ListOptions says which state List shows and how much of it.
type ListOptions[T any] struct {
	// Revision and Match choose the state.
	Revision int64
	Match    Match
	// Limit is the greatest number of items returned; 0 or less is no limit.
	Limit int64
	// Continue is the token of the page before. It brings its own revision, so
	// Revision must be 0 and Match NotOlderThan. A token that cannot be read
	// fails with [ErrInvalidContinue].
	Continue string
	// Cached allows a state that is older than the latest, but not older than
	// Revision, which Kubernetes asks for by a resourceVersion. Only a [Cache]
	// makes use of it.
	Cached bool
	// Filter leaves out the items for which it returns false. They do not
	// count towards Limit. nil keeps everything.
	Filter func(Item[T]) bool
}

// UnknownRemaining stands in Page.Remaining when the number cannot be known
// without running the filter over all that follows.
const UnknownRemaining = -1

// Page is the answer to List.
type Page[T any] struct {
	// Items is never nil.
	Items []Item[T]
	// Revision is the revision of the state that the items are taken from, the
	// list's resourceVersion.
	Revision int64
	// Continue is the token for the next page, or empty if this is the last.
	Continue string
	// Remaining is how many items follow this page: 0 on the last page,
	// [UnknownRemaining] if there is a next page and a filter was given.
	Remaining int64
}

// Preconditions must hold for an item to be updated or deleted. A nil field is
// not checked.
type Preconditions struct {
	// UID is compared with the UID of the value.
	UID *string
	// ResourceVersion is compared, as text, with the item's revision in
	// decimal, so that anything which is no revision never matches. An item
	// that does not exist has the empty text.
	ResourceVersion *string
}

// UpdateFunc makes the new value from the current item. Revision 0 says that
// the key does not exist, and then the value is T's zero.
type UpdateFunc[T any] func(current Item[T]) (T, error)

// UpdateOptions are the options of Update.
type UpdateOptions struct {
	Preconditions Preconditions
	// CreateMissing lets Update create the key if it does not exist.
	CreateMissing bool
}

// DeleteOptions are the options of Delete.
type DeleteOptions[T any] struct {
	Preconditions Preconditions
	// Validate is asked with the latest item whether it may be deleted, after
	// the preconditions, without any lock and again with each newer item. Its
	// error is returned as it is.
	Validate func(current Item[T]) error
}

// WatchOptions are the options of Watch.
type WatchOptions struct {
	// After is the revision after which events begin; 0 is the current one. A
	// revision that the store has not reached yet is allowed: events begin
	// after it. A compacted one fails with a [*CompactedError].
	//
	// With Initial, After is the revision that the initial events must not be
	// older than; one not reached yet fails with a [*FutureError].
	After int64
	// Initial sends the items that exist before anything else (guarantee G12).
	Initial bool
	// Cached allows a beginning, where After is 0 or Initial is set, that is
	// older than the latest state, but not older than After.
	Cached bool
	// Ticks asks for a bookmark each time it yields, as RequestBookmark does.
	// It is read only while Next waits. A time.Ticker's channel, or a test's.
	Ticks <-chan time.Time
}

// Watcher delivers events. Next may be called by one goroutine at a time, the
// other methods by any.
type Watcher[T any] interface {
	// Next returns the next event, and waits for it. An event that is already
	// there is returned even if ctx is done, so a done context takes what there
	// is without waiting. Ending by ctx loses nothing: Next may be called
	// again. Every other error is final: [ErrSlow] or [ErrClosed].
	Next(ctx context.Context) (Event[T], error)
	// RequestBookmark makes Next return a bookmark as soon as it has returned
	// every event up to the revision that the store has now. Requests made
	// before that bookmark is returned may share it.
	RequestBookmark()
	// Stop ends the watcher and frees what it holds; Next returns
	// [ErrClosed]. Stopping again does nothing.
	Stop()
}

// EventType tells what an event reports.
type EventType int

const (
	// Added reports a key that did not exist before.
	Added EventType = iota + 1
	// Modified reports a new value for a key.
	Modified
	// Deleted reports a key that no longer exists.
	Deleted
	// Bookmark reports progress alone and has no key and no value.
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

// Event is one step of a watch.
type Event[T any] struct {
	Type EventType
	Key  string
	// Value is the value that was written; of a deletion the value that was
	// removed.
	Value T
	// Revision of the write that the event reports; of a bookmark the revision
	// up to which everything has been delivered.
	Revision int64
	// Previous is the value before the write and PreviousRevision its
	// revision; zero for Added and Bookmark.
	Previous         T
	PreviousRevision int64
	// InitialEnd marks the bookmark that ends the initial events.
	InitialEnd bool
}
