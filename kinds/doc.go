// Package kinds holds what kube-apiserver knows about each built-in kind beyond its
// schema: the strategy of its resource and its validation. One file is about one
// kind or a close family of kinds: whoever asks what is known about Services reads
// service.go and, for the longer validations, service_validation.go.
//
// [Of] finds the [Strategy] of a resource. A Strategy is plain data and functions:
// nothing is parsed or built at start, so that the package is light in a browser.
//
// Validation walks an object by fields (field.go), each of which knows its path, and
// adds errors to a check (check.go). rules.go and the files named after their
// subject (selector.go, same.go) hold the rules that many kinds share. doc/kinds.md
// explains how to add the rules of a kind.
package kinds
