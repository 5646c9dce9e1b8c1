// Package store is the versioned storage of Kubernetes objects: a single sequence of revisions
// over a sorted key space, with optimistic concurrency, consistent lists at a revision and
// watches from a revision. [Store] is the interface, [Memory] implements it in memory, and
// package store/etcd on etcd. Package storetest tests any other implementation.
//
// A key is a path such as /registry/apps/deployments/NAMESPACE/NAME. A value is any type, and
// must be immutable: the store returns the value that it was given to many readers
// concurrently, so it must not be changed after it was stored or read.
//
// # Guarantees
//
// Every implementation has these guarantees. Tests name the number that they check.
//
//   - G1, one revision. An empty store is at revision 1. Each successful write
//     (create, update, delete) increments the revision, and nothing else does, so
//     the first write is revision 2, as on etcd. A revision is never reused.
//   - G2, revision of an item. [Item.Revision] is the revision of the last write
//     to its key. It is the Kubernetes resourceVersion, and it is not part of
//     the value.
//   - G3, linearizability. A write takes effect at one point between its call and
//     its return. A read without a revision observes every write that returned
//     before the read began.
//   - G4, create. Creating a key that exists changes nothing and fails with
//     [ErrExists].
//   - G5, update. The function passed to [Store.Update] is called with the latest
//     item of its key. If another write to the key comes first, it is called again
//     with the newer item. Its error is returned unchanged, and nothing is
//     written.
//   - G6, no-op updates. An update whose new value equals the current one takes
//     no revision, causes no event and returns the current item.
//   - G7, preconditions. An update or delete whose preconditions do not match
//     the latest item fails with a [*PreconditionError] and changes nothing.
//     They are checked again with every newer item.
//   - G8, delete. A deletion takes a revision. It returns the value that was
//     removed, with the revision of the deletion.
//   - G9, snapshots. A list is the state at exactly one revision, which it
//     returns, sorted by the bytes of the keys. The pages that its continue
//     tokens lead to are of the same revision, regardless of later writes.
//   - G10, minimum revision. A read with a minimum revision that the store has
//     not reached fails with a [*FutureError] and does not wait.
//   - G11, watch. After its start, a watcher receives every write to its keys
//     exactly once and in order of revisions, or else an error.
//   - G12, initial events. A watcher with initial events first receives each
//     existing item as Added, sorted by key, then one bookmark with
//     [Event.InitialEnd], then the events after the bookmark's revision.
//   - G13, bookmarks. A bookmark of revision R means that every event up to R has
//     been delivered. The revisions of bookmarks never decrease.
//   - G14, slow watchers. A slow watcher neither delays writers nor holds more
//     memory than the history does. When events that it has not received are
//     compacted, it ends with [ErrSlow].
//   - G15, compaction. A list at a revision, or a watch after one, that is older
//     than the oldest revision kept fails with a [*CompactedError]; both work for
//     the oldest one. A watch after an older one may succeed, but only if no
//     event that it has to deliver has been lost: a [Memory] and a [Cache] serve
//     it if their history has every later write to keys with the same first
//     three segments or, if the scope has no more, the same first two. With
//     WatchCompacted, a compaction leaves them the latest writes. The latest
//     items are never lost. The error for a continue token of a compacted revision has a
//     new token, with which the list can be continued at the latest revision.
//   - G16, bounded history. An implementation in memory keeps a configured
//     maximum of past revisions, and compacts by itself. What it remembers of the
//     writes that it no longer has is bounded, too, so that it may refuse a watch
//     that it could serve (G15).
//   - G17, closing. After Close, calls and watchers fail with [ErrClosed].
//   - G18, failed calls change nothing.
package store
