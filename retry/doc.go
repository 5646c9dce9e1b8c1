// Package retry helps programs that write Kubernetes objects with optimistic
// concurrency: it repeats what another client's write made fail, and waits as long
// as the kind of error asks for.
//
// It stands on apimachinery's [wait.Backoff] and on client-go's util/retry, whose
// backoff for conflicts it uses. A [Policy] adds what those leave to the caller: an
// end by context and by attempts, a backoff for each kind of error, and obedience
// to Retry-After.
//
// The package imports nothing of patchlab. Its examples run against patchlab's
// API server in a test, and with PATCHLAB_TEST_SERVER set against another one.
package retry
