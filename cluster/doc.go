// Package cluster is the request pipeline of the API server: what becomes of a
// request to read or change an object, in the order in which kube-apiserver does
// it. It speaks no HTTP and imports nothing that is too heavy for a browser; the
// server, the command and the page all run through it.
//
// [Cluster.Do] answers one [Request] over a store. [Step] answers a write to a
// single object that the caller holds, without any store. Both run the same code.
//
// The order of a write is, with the reasons in doc/pipeline.md:
//
//  1. the options are checked and the kind is found;
//  2. the body is decoded (strict, warn or ignore), or the patch is applied to
//     the live object, and the result decoded in the same way;
//  3. defaults are filled in, unknown fields are dropped;
//  4. field management records who set what, or refuses an apply;
//  5. what the endpoint may not change is reset: status through the main
//     resource, everything else through the status subresource;
//  6. uid, timestamps, generation, deletionTimestamp and finalizers are kept or set;
//  7. schema and object metadata are validated;
//  8. the resource version is checked and the object is stored.
//
// Every error is a [*Status]: what kube-apiserver answers, with its code, reason,
// details and causes. [Status.Fields] lists the fields that are wrong, by their
// paths; errors.As finds beneath it a *fieldmanager.Conflicts for the conflicts of an
// apply, a *[StrictError] for unknown and duplicate fields, and a *patch.Error for a
// patch that cannot be applied.
package cluster
