package explain

import "slices"

// The IDs of the rules of Lint, which are stable. LintRules lists all of them. Only the rules
// that callers have to apply themselves are exported. A document.Value cannot have duplicate
// keys, nor keys that were spelled differently: see document.Document's Duplicates and ConvertedKeys. Whether a kind that the registry does not have
// exists is for callers to decide, and what the API server answers is known to those with a Lab.
const (
	LintUnknownKind      = "unknown-kind"
	LintDuplicateKey     = "duplicate-key"
	LintConvertedKey     = "converted-key"
	LintRefused          = "refused"
	LintAPIWarning       = "api-warning"
	lintDuplicateItem    = "duplicate-item"
	lintMissingKey       = "missing-key"
	lintDefaultedKey     = "defaulted-key"
	lintSharedMergeKey   = "shared-merge-key"
	lintUnknownField     = "unknown-field"
	lintType             = "type"
	lintIntegerRange     = "integer-range"
	lintNull             = "null-value"
	lintEmpty            = "empty-value"
	lintUnstored         = "unstored-value"
	lintEmptyCABundle    = "empty-ca-bundle"
	lintNoName           = "no-name"
	lintServerField      = "server-field"
	lintResetField       = "reset-field"
	lintStringData       = "string-data"
	lintReplicas         = "autoscaled-replicas"
	lintAnnotations      = "annotations-size"
	lintDataSize         = "data-size"
	lintObjectSize       = "object-size"
	lintLastApplied      = "last-applied"
	lintLastAppliedSize  = "last-applied-size"
	lintClientSide       = "client-side-owner"
	lintSharedAtomic     = "shared-atomic"
	lintManagedFields    = "managed-fields"
	lintManagedFieldsCap = "managed-fields-cap"
	lintUnknownVersion   = "unknown-version"
)

// LintRule is a rule of Lint.
type LintRule struct {
	ID string
	// Severity is the default severity of its findings.
	Severity Severity
	// Title describes the finding, Reason the problem, and Remedy the correction.
	Title, Reason, Remedy string
}

// LintRules returns the rules of Lint in the order of doc/lint.md.
func LintRules() []LintRule { return slices.Clone(lintRules) }

func lintRule(id string) LintRule {
	for _, r := range lintRules {
		if r.ID == id {
			return r
		}
	}
	return LintRule{ID: id, Severity: LevelError}
}

var lintRules = []LintRule{
	{LintUnknownKind, LevelError, "The kind does not exist in this version",
		"The API server knows no such kind, for example because the version of a built-in kind was removed, and refuses the manifest (404).",
		"Correct the apiVersion and the kind, or select another version with --kube-version."},
	{LintDuplicateKey, LevelError, "A key is duplicated in an object",
		"kubectl and Helm send the last value without a warning. A manifest that is sent as it is written is refused with strict field validation (400).",
		"Remove one of the duplicates."},
	{LintConvertedKey, LevelWarning, "A key is a boolean or a number in YAML",
		"YAML 1.1 reads the keys y, yes, on, n, no and off as booleans, and keys such as 010, 1_000, 0x1F and 1.10 as numbers, unless they are in quotes. The API server receives the keys true, false, 8, 1000, 31 and 1.1, and kubectl and Helm do not warn about it.",
		"Put the key in quotes."},
	{LintRefused, LevelError, "The API server refuses the object",
		"The object is not valid for its kind, by the rules of a built-in kind or by the schema and the CEL rules of a custom resource, or an admission policy denies it, so that its creation is refused (422). What depends on other objects of a cluster, such as quotas, is not checked, nor is an object that comes from a cluster.",
		"Change the manifest as the message asks; 'kubectl explain' describes the fields of a kind."},
	{LintAPIWarning, LevelWarning, "The API server warns about the object",
		"The object is created, and the client is told about a deprecated version, field or label, or about a value without effect.",
		"Use what the warning names instead."},
	{lintDuplicateItem, LevelError, "A list has two items with the same key",
		"Items of a merged list are identified by their keys. An apply of a manifest with duplicate items is refused (500), and every apply merges duplicate items of the live object into one.",
		"Merge the items, or give them different keys."},
	{lintMissingKey, LevelError, "An item of a list lacks its key",
		"Items of a keyed list are identified by their keys. An apply of an item without a key is refused: with 422 if a built-in kind requires the key, such as the name of a container, and otherwise with 500.",
		"Set the key fields of the item."},
	{lintDefaultedKey, LevelNote, "An item relies on the default of a key",
		"The item is owned under the default of the key. Tools that compare manifests without schemas do not match it with the live item, and setting the key to another value creates a new item.",
		"Set the key explicitly."},
	{lintSharedMergeKey, LevelWarning, "Items differ only in a key that strategic merge ignores",
		"Server-side apply identifies the items by several keys, strategic merge by one: the ports of a Service by port alone. kubectl edit, kubectl patch and client-side apply confuse them (kubernetes/kubernetes#105146).",
		"Change such lists by server-side apply or by a JSON patch."},
	{lintUnknownField, LevelError, "A field is not in the schema of the kind",
		"An apply validates the manifest against the schema of the kind and is refused (500) even if field validation is disabled.",
		"Correct the name or the location of the field, or provide the CustomResourceDefinition that declares it."},
	{lintType, LevelError, "A value does not match the schema of the kind",
		"Types are checked before anything else, and an apply with a mismatch is refused (500). A field of a custom resource may be null only if its schema declares it nullable or has a default for it.",
		"Give the field a value of its type."},
	{lintIntegerRange, LevelError, "A number does not fit the integer field of a built-in kind",
		"A create or an update is refused (400), but an apply keeps only the low bits of the number: replicas of 4294967297 become 1 without a warning, and 3000000000 become -1294967296, which validation refuses (422).",
		"Use a number within the range of the field."},
	{lintNull, LevelWarning, "A field is null",
		"In client-side apply and merge patches, null removes a field. Server-side apply treats it as a value: the manager owns the field, which may conflict with other owners, and the API server drops or defaults the value. A null that may be the value of a custom resource is not reported: where its schema takes any, or its definition is not given.",
		"Omit the field: an apply removes fields that its manager omits."},
	{lintEmpty, LevelNote, "A list or map is empty",
		"Applying an empty list or map does not empty the live one. If it is atomic, the manager owns the whole, which conflicts with every other owner. Empty labels and annotations are not reported.",
		"Omit the field unless the manager should own it."},
	{lintUnstored, LevelNote, "A value is not stored",
		"In most fields of built-in kinds, the API server treats false, 0 and an empty text as a missing field. The manager owns the field all the same, so that an apply of the same manifest by another manager conflicts (kubernetes/kubernetes#128924), and a comparison with the live object always differs.",
		"Omit the field unless the manager should own it."},
	{lintEmptyCABundle, LevelWarning, "A caBundle is empty or a placeholder",
		"The field is set by an injector such as cert-manager's, so the next apply conflicts with it or, with force, breaks the webhook.",
		"Omit caBundle from the manifest."},
	{lintNoName, LevelError, "A manifest has no name",
		"An apply requires metadata.name; generateName works only for objects that are created.",
		"Set metadata.name, or create the object instead."},
	{lintServerField, LevelWarning, "A manifest has fields that the API server sets",
		"Such fields come from exported objects. The apply is refused if the object has another resourceVersion (409) or another uid (422); the other fields are ignored.",
		"Remove such fields, for example with 'patchlab defaults --minimize'."},
	{lintResetField, LevelWarning, "A manifest has fields that its endpoint resets",
		"The API server resets the field to its live value in every request to the object itself, and the manager does not own it.",
		"Omit the field, or apply it to the subresource."},
	{lintStringData, LevelNote, "A Secret has stringData",
		"The API server moves the texts to data, of which the manager owns nothing: a key that the manifest no longer has remains, and a manager that applies data overwrites it without a conflict.",
		"Use data, with the values in Base64."},
	{lintReplicas, LevelWarning, "Replicas are set for a workload that is autoscaled",
		"The autoscaler owns the replicas through the scale subresource, so an apply conflicts with it or, with force, reverts its changes.",
		"Omit replicas from the manifest; the autoscaler sets them."},
	{lintAnnotations, LevelWarning, "The annotations are near their limit",
		"The annotations of an object are limited to 262144 bytes in total; an object with more is refused (422).",
		"Remove annotations. That of client-side apply contains the whole manifest and is not needed with server-side apply."},
	{lintDataSize, LevelError, "The data of a ConfigMap or Secret is too large",
		"The values in the data of a ConfigMap or Secret, without Base64, are limited to 1048576 bytes in total; an object with more is refused (422).",
		"Split the object, or keep the data in a volume or an image."},
	{lintObjectSize, LevelWarning, "The object is near the size limit of etcd",
		"etcd accepts requests of up to 1.5 MiB by default, and managedFields are part of the object.",
		"Split the object, or merge managers that are no longer needed."},
	{lintLastApplied, LevelWarning, "The annotation of client-side apply was left behind",
		"Server-side apply updates the annotation only for the manager kubectl. For others it becomes outdated, and the next client-side apply may remove the wrong fields.",
		"Remove the annotation once nobody applies the object client-side."},
	{lintLastAppliedSize, LevelNote, "The manifest is too large for client-side apply",
		"Client-side apply stores the manifest in an annotation, and all annotations together are limited to 262144 bytes.",
		"Apply it server-side."},
	{lintClientSide, LevelWarning, "Fields are stuck with a manager that no longer applies them",
		"A client-side apply entry, or before-first-apply, still owns fields that a manager now applies server-side: a field that the manager omits remains (kubernetes/kubernetes#99003).",
		"Migrate the owners; 'patchlab migrate' shows how."},
	{lintSharedAtomic, LevelWarning, "An atomic list or map has several owners",
		"It is owned and replaced as a whole, so the next manager that changes any part conflicts with the others. Fields that no update can change are not reported.",
		"Let one manager apply it, or declare the list type map or the map type granular in the schema of a custom resource."},
	{lintManagedFields, LevelError, "The managedFields cannot be read",
		"An apply to the object fails (500), and an update removes all owners.",
		"Reset them with managedFields: [{}]."},
	{lintManagedFieldsCap, LevelWarning, "The object has the maximum number of updating managers",
		"Beyond ten update entries, the API server merges the oldest into ancient-changes, and their managers are no longer known.",
		"Use one field manager for all controllers of a program, or server-side apply."},
	{lintUnknownVersion, LevelWarning, "A managedFields entry uses a version that does not serve the kind",
		"For a built-in kind, the next apply drops the entry. For a custom resource, every apply fails (500) until the version is served again.",
		"Remove or rewrite the entry before the version is removed."},
}
