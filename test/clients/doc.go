// Package clients tests that client-go and controller-runtime work against
// patchlab as they do against kube-apiserver.
package clients
