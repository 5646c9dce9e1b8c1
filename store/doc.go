// Package store is the versioned storage that Kubernetes keeps its objects
// in: one sequence of revisions over a sorted space of keys, with optimistic
// concurrency, lists as of a revision and watches from a revision. [Store] is
// the interface, [Memory] keeps everything in memory; package storetest judges
// any other implementation by the same rules.
//
// A key is a path such as /registry/apps/deployments/NAMESPACE/NAME. A value
// is whatever the caller stores, and immutable: the store hands out the very
// value that it was given, to many readers at once, so nobody may change it
// after it was stored or read.
//
// # Guarantees
//
// Every implementation keeps these. Tests name the number that they check.
//
//   - G1, one revision. An empty store is at revision 1. Each successful write
//     (create, update, delete) takes the next revision and no other event does,
//     so the first write is revision 2, as on etcd. A revision is never reused.
//   - G2, version of an item. [Item.Revision] is the revision of the last write
//     to its key. It is the Kubernetes resourceVersion, and it is no part of
//     the value.
//   - G3, linearizable. A write takes effect at one point between its call and
//     its return; a read without a revision sees every write that returned
//     before the read began.
//   - G4, create. Creating a key that exists changes nothing and fails with
//     [ErrExists].
//   - G5, update. The function given to [Store.Update] decides on the latest
//     item of its key; if another write to the key comes between, it is asked
//     again with the newer item. Its error is returned as it is and nothing is
//     written.
//   - G6, no change, no write. An update whose new value equals the one that it
//     was shown takes no revision, makes no event and returns that item.
//   - G7, preconditions. An update or delete whose preconditions do not hold for
//     the latest item fails with a [*PreconditionError] and changes nothing.
//     They are checked again with every newer item.
//   - G8, delete. A deletion takes a revision of its own. It returns the value
//     that was removed with the deletion's revision.
//   - G9, snapshots. A list is the state at exactly one revision, the one it
//     returns, sorted by key bytes. The pages that follow from its continue
//     tokens show that same revision, whatever is written in between.
//   - G10, minimum revision. A read that must not be older than a revision that
//     the store has not reached fails with a [*FutureError] and does not wait.
//   - G11, watch. After its start, a watcher gets every write to its keys
//     exactly once and in order of revisions, or an error that says that it
//     cannot.
//   - G12, initial events. A watcher that asks for them first gets each present
//     item as Added, sorted by key, then one bookmark with
//     [Event.InitialEnd], then what came after the bookmark's revision.
//   - G13, bookmarks. A bookmark of revision R says that every event up to R has
//     been delivered. Its revision never goes back.
//   - G14, slow watchers. No watcher, however slow, makes a writer wait for it,
//     and it holds no more memory than the history does. When events that it has
//     not taken are compacted away, it ends with [ErrSlow].
//   - G15, compaction. A list of a revision or a watch after one that is older
//     than the oldest kept fails with a [*CompactedError]; at the oldest kept
//     both work. The latest items are never lost.
//     A continue token that met compaction comes with another one, to go on
//     with the latest state.
//   - G16, bounded history. An implementation in memory keeps at most a set
//     number of past revisions, and compacts by itself.
//   - G17, closing. After Close, calls fail with [ErrClosed] and watchers end
//     with it.
//   - G18, failed calls change nothing.
package store
