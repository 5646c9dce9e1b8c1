// Package smd4 is the reference engine on structured-merge-diff v4, the version before v6,
// which API servers use since Kubernetes 1.34. Its tests record the differences between the
// two. merge.go, types.go and values.go are copies of those in package reference, except for
// the imports.
package smd4
