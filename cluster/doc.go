// Package cluster implements the request pipeline of the Kubernetes API server: it reads and
// changes objects in the steps, and with the results, of kube-apiserver. It does not implement
// HTTP, and it imports no package that is too large for a browser. The server, the command and
// the page all use it.
//
// [Cluster.Do] answers a [Request] over a store of objects. [Step] answers a write to a single
// object that the caller holds, without a store. Both run the same code.
//
// A write has these steps (doc/pipeline.md gives the reasons for the order):
//
//  1. The options are checked and the kind is resolved.
//  2. The body is decoded under the given field validation (Strict, Warn, Ignore),
//     or the patch is applied to the live object and the result is decoded.
//  3. Defaults are set and unknown fields are dropped.
//  4. Field management computes managedFields, or refuses an apply with conflicts.
//  5. Mutating admission runs.
//  6. The resourceVersion is compared with that of the live object.
//  7. Fields that the endpoint must not change are reset: status through the main
//     resource, everything else through the status subresource.
//  8. uid, timestamps, generation, deletionTimestamp and finalizers are kept or set.
//  9. The object is validated, by its schema or the rules of its kind, and then by
//     validating admission.
//  10. The object is stored.
//
// Every error is a [*Status]: the response of kube-apiserver, with its code, reason, details
// and causes. [Status.Fields] returns the invalid fields with their paths. With errors.As a
// Status unwraps to *fieldmanager.Conflicts for the conflicts of an apply, to a *[StrictError]
// for unknown and duplicate fields, and to a *patch.Error for a patch that cannot be applied.
package cluster
