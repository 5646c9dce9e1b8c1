// Package explain describes an object and what a request did to it: the owners of
// each line of its YAML ([Lines]), the fields that were set, removed, taken over,
// shared or given up ([Changes]), why they are as they are ([Reasons]), and the ways
// out of a conflict ([Ways]).
//
// It takes types from package schema and objects from package fieldmanager; it has
// no rules of merging of its own.
package explain
