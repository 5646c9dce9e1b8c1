// Package defaults knows what kube-apiserver makes of an object of a built-in
// kind before it stores it: what decoding it into its Go type drops or changes
// ([Decode]), what the default functions of its version fill in ([Rules.Apply]),
// and what the kind's create and update strategies set, keep or take away
// ([Rules.PrepareForCreate], [Rules.PrepareForUpdate]).
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
// The default rules are data: text files, one a group of kinds, in rules/, which
// doc/defaults.md lists with the case that checks each. Objects of custom kinds
// come back as they are; their defaults are in their schema.
//
// Left out, because only a cluster knows them: cluster IPs, node ports and
// health check ports (but what follows from those given), and what admission
// plugins add.
package defaults
