// Package explain describes an object and the effect of a request on it: the owners of each
// line of its YAML ([Lines]), the fields that were set, removed, taken over, shared or
// given up ([Changes]), the rules that decided ([Reasons]), and how conflicts can be
// resolved ([Ways]). It also checks objects for problems with server-side apply ([Lint])
// and previews the migration from client-side apply ([Migrate]).
//
// Types come from package schema and objects from package fieldmanager; this package does
// not implement any merge rules.
package explain
