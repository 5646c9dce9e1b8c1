// Package defaults computes what kube-apiserver does to an object of a built-in kind before
// it is stored: what decoding it into its Go type drops or changes ([Decode]), what the
// default functions of the version set ([Rules.Apply]), and what the kind's create and
// update strategies set, keep or reset ([Rules.PrepareForCreate],
// [Rules.PrepareForUpdate]). [Rules.Fill] applies all of these to a manifest, and
// [Rules.Minimize] is the inverse. [Convert] converts between versions of a kind.
//
// The order for every write is the API server's:
//
//	body or patched object → Decode → Apply → field management →
//	PrepareForCreate or PrepareForUpdate → storage
//
// Apply runs again whenever an object is read from storage. Therefore nobody owns what a
// strategy sets, and a status is dropped only after field management. Decode and Apply are
// idempotent.
//
// The rules are data: text files in rules/, one for a group of kinds. doc/defaults.md lists
// them with the cases that check each. There are no rules for custom resources, whose
// defaults are in their schema: Fill and Minimize use these, and all other functions return
// a custom resource unchanged.
//
// Not covered are effects that need a cluster and those of admission plugins; see
// doc/defaults.md.
package defaults
