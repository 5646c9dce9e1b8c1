// Package smd4 is the reference engine on structured-merge-diff v4, the line
// before v6, which API servers run since Kubernetes 1.34. Its tests say what the
// two do differently. merge.go, types.go and values.go are copies of those in the
// package reference but for the imports.
package smd4
