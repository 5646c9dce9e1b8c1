// Package explain tells people what stands in an object and what a change did to
// it: who owns each line of its YAML ([Lines]), which fields a step set, took
// over, kept or removed ([Changes]), and the ways out of a conflict ([Ways]).
//
// It asks the engines and their types; it has no rules of merging of its own.
package explain
