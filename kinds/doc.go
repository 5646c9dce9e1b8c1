// Package kinds defines, for each built-in kind, what kube-apiserver implements beyond the
// schema: the strategy of its resource and its validation. Each file covers one kind or a
// family of kinds: for Services these are service.go and, for longer validations,
// service_validation.go and service_addresses.go.
//
// [For] returns the [Strategy] of a kind. A Strategy consists of data and functions. Nothing
// is parsed or built at program start, so that the package is cheap in a browser.
//
// Validation walks an object by fields (field.go), each of which has its path, and adds errors
// to a check (check.go). rules.go and the files that are named after a subject (selector.go,
// same.go) contain rules that many kinds share. doc/kinds.md explains how to add the
// validation of a kind.
package kinds
