// Package conformance compares a server's answers with those that
// kube-apiserver v1.36.3 gave, recorded in testdata/conformance.
//
// A [Case] is a sequence of requests and the recorded answers. [Case.Run] sends
// the requests through a [Send], such as one over HTTP ([HTTP]) or one over the
// request pipeline without a server, and says where the first answer differs.
// [Case.Changes] takes a case apart into single changes (object before, request,
// answer), for tests of the parts beneath the server.
//
// Only tests use it.
package conformance
