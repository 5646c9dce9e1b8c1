// Package clients tests that client-go and controller-runtime work with patchlab as
// with kube-apiserver.
package clients
