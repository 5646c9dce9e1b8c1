package store

// MemoryOptions configure a store in memory. The zero value works.
type MemoryOptions[T any] struct {
	// Equal tells whether storing b in place of a would change nothing. nil
	// says that it always would.
	Equal func(a, b T) bool
	// UID returns the UID of a value, for preconditions. nil gives every value
	// the empty UID.
	UID func(T) string
	// History is how many of the latest revisions stay readable; 0 is
	// DefaultHistory.
	History int
}

// DefaultHistory is how many revisions a store in memory keeps if not told
// otherwise.
const DefaultHistory = 10_000
