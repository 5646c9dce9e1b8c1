// Package smd4 is the reference engine on structured-merge-diff v4. API servers before
// Kubernetes 1.34 use v4, later ones v6. The package's tests record the differences
// between the two. merge.go, types.go and values.go are copies of the files in package
// reference, except for the imports.
package smd4
