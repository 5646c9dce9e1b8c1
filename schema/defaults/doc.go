// Package defaults knows what kube-apiserver makes of an object of a built-in
// kind before it stores it: what decoding it into its Go type drops or changes
// ([Decode]), what the default functions of its version fill in ([Rules.Apply]),
// and what the kind's create and update strategies set, keep or take away
// ([Rules.PrepareForCreate], [Rules.PrepareForUpdate]). [Rules.Fill] does it all
// to a manifest, and [Rules.Minimize] is the way back. [Convert] goes from one
// version of a kind to another.
//
// The order on every write is the API server's:
//
//	body or patched object → Decode → Apply → field management →
//	PrepareForCreate or PrepareForUpdate → storage
//
// and Apply again wherever an object is read from storage. So nobody owns what
// a strategy sets, and a status that a create drops is dropped late. Decode and
// Apply change nothing in what they gave themselves: doing either twice is the
// same as once.
//
// The rules are data: text files, one a group of kinds, in rules/, which
// doc/defaults.md lists with the cases that check each. Objects of custom kinds
// come back as they are; their defaults are in their schema.
//
// What only a cluster knows is left out, and what admission plugins add; see
// doc/defaults.md.
package defaults
