// Package conformance compares a server's responses with those of kube-apiserver v1.36.3,
// recorded in testdata/conformance.
//
// A [Case] is a sequence of requests with recorded responses. [Case.Run] sends the requests
// through a [Send], for example over HTTP ([HTTP]) or to the request pipeline without a
// server, and describes the first difference. [Case.Changes] splits a case into single
// changes (object before, request, response) for tests of the packages below the server.
//
// It is used by tests only.
package conformance
