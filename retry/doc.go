// Package retry supports programs that write Kubernetes objects with optimistic
// concurrency: it repeats calls that failed because of another client's write, with a delay
// that depends on the error. [Update] reads an object, changes it and writes it, [Policy.Do]
// repeats any call, and [CompareAndSwap] writes an object only if nobody else has.
//
// It is based on apimachinery's [wait.Backoff] and uses the backoff of client-go's
// util/retry for conflicts. A [Policy] adds limits by context and by number of attempts, a
// backoff for each kind of error, and support for Retry-After.
//
// The package imports no other package of patchlab. Its examples run against patchlab's API
// server, or against another one if PATCHLAB_TEST_SERVER is set.
package retry
