package explain

// The IDs of the rules of Lint. They are stable.
const (
	LintDuplicateKey     = "duplicate-key"
	lintDuplicateItem    = "duplicate-item"
	lintMissingKey       = "missing-key"
	lintDefaultedKey     = "defaulted-key"
	lintSharedMergeKey   = "shared-merge-key"
	lintUnknownField     = "unknown-field"
	lintType             = "type"
	lintNull             = "null-value"
	lintEmpty            = "empty-value"
	lintEmptyCABundle    = "empty-ca-bundle"
	lintNoName           = "no-name"
	lintServerField      = "server-field"
	lintResetField       = "reset-field"
	lintReplicas         = "autoscaled-replicas"
	lintAnnotations      = "annotations-size"
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
func LintRules() []LintRule { return append([]LintRule{}, lintRules...) }

func lintRule(id string) LintRule {
	for _, r := range lintRules {
		if r.ID == id {
			return r
		}
	}
	return LintRule{ID: id, Severity: LevelError}
}

var lintRules = []LintRule{
	{LintDuplicateKey, LevelError, "A key stands twice in an object",
		"kubectl asks for strict validation, under which such a manifest is refused (400). Otherwise the last of the two counts, with a warning.",
		"Remove one of the two."},
	{lintDuplicateItem, LevelError, "A list has two items with the same key",
		"Items of a list that merges are told apart by their keys. An apply of a manifest that has one twice is refused (500), and of an item that a live object has twice every apply makes one.",
		"Merge the items, or give them different keys."},
	{lintMissingKey, LevelError, "An item of a list lacks its key",
		"Items of a keyed list are told apart by their keys; an apply of one that cannot be is refused (500).",
		"Set the key fields of the item."},
	{lintDefaultedKey, LevelNote, "An item leaves a key to its default",
		"The item is owned under the default of the key. Tools that compare manifests without schemas take it for another item than the live one, and setting the key to another value makes a new item.",
		"Write the key out."},
	{lintSharedMergeKey, LevelWarning, "Items differ in a key that strategic merge does not know",
		"Server-side apply tells the items apart by several keys, strategic merge by one: the ports of a Service by port alone. kubectl edit, kubectl patch and client-side apply mix them up (kubernetes/kubernetes#105146).",
		"Change such lists by server-side apply or by a JSON patch."},
	{lintUnknownField, LevelError, "A field is not in the schema of the kind",
		"An apply compares the manifest with the schema of the kind, and is refused (500) also where validation is off.",
		"Correct the spelling or the place of the field, or give the CustomResourceDefinition that has it."},
	{lintType, LevelError, "A value does not fit the schema of the kind",
		"An apply compares types before anything else, and is refused.",
		"Give the field a value of its type."},
	{lintNull, LevelWarning, "A field is null",
		"Under client-side apply and merge patches null removes a field. An apply takes it for a value: it owns the field, conflicts with other owners of it, and the API server drops or defaults the value.",
		"Leave the field out: an apply removes what its manager leaves out."},
	{lintEmpty, LevelNote, "A list or map is empty",
		"An apply of an empty list or map does not empty the live one; where it is atomic it claims the whole, and conflicts with everybody who has something in it.",
		"Leave the field out, unless it is meant to be claimed."},
	{lintEmptyCABundle, LevelWarning, "A caBundle is empty or a placeholder",
		"The manifest claims the field that an injector such as cert-manager's sets, so that the next apply conflicts with it or, with force, breaks the webhook.",
		"Leave caBundle out of the manifest."},
	{lintNoName, LevelError, "A manifest has no name",
		"An apply needs metadata.name; a generateName is for objects that are created.",
		"Set metadata.name, or create the object instead."},
	{lintServerField, LevelWarning, "A manifest has fields that the API server sets",
		"Such fields come of exported objects. A resourceVersion makes the apply fail (409) once the object has changed, a uid once it has been created anew; the others are ignored.",
		"Take them out; 'patchlab defaults --minimize' does so."},
	{lintResetField, LevelWarning, "A manifest has fields that its endpoint resets",
		"The API server sets the field back to its live value in every request to the object itself, and its manager does not come to own it.",
		"Leave the field out, or apply it to its subresource."},
	{lintReplicas, LevelWarning, "Replicas are set for a workload that is autoscaled",
		"The autoscaler owns the replicas through the subresource scale, so that an apply conflicts with it or, with force, scales the workload back.",
		"Leave replicas out of the manifest; the autoscaler keeps them."},
	{lintAnnotations, LevelWarning, "The annotations are near their limit",
		"All annotations of an object may have 262144 bytes together; a larger object is refused (422).",
		"Remove annotations. The one of client-side apply has the whole manifest in it, and is not needed under server-side apply."},
	{lintObjectSize, LevelWarning, "The object is near the limit of what is stored",
		"etcd takes requests of 1.5 MiB by default, and managedFields are a part of the object.",
		"Split the object, or fold managers that are no longer needed."},
	{lintLastApplied, LevelWarning, "The annotation of client-side apply was left behind",
		"Server-side apply keeps the annotation up to date only for the manager kubectl. For others it grows stale, and the next client-side apply removes what it no longer mentions.",
		"Remove the annotation once nobody applies the object client-side."},
	{lintLastAppliedSize, LevelNote, "The manifest is too large for client-side apply",
		"Client-side apply stores the manifest in an annotation, which may not have more than 262144 bytes with all others.",
		"Apply it server-side."},
	{lintClientSide, LevelWarning, "Fields are stuck with a manager that no longer applies them",
		"The entry of a client-side apply, or of before-first-apply, keeps owning what a manager now applies server-side: a field that this one leaves out stays (kubernetes/kubernetes#99003).",
		"Hand the fields over; 'patchlab migrate' rehearses it."},
	{lintSharedAtomic, LevelWarning, "An atomic list or map has several owners",
		"It is owned and replaced as a whole, so that the next manager that changes anything in it conflicts with the others.",
		"Let one manager apply it, or make the list a map in the schema of a custom resource."},
	{lintManagedFields, LevelError, "The managedFields cannot be read",
		"An apply to the object fails (500), and an update loses all owners.",
		"Reset them with managedFields: [{}]."},
	{lintManagedFieldsCap, LevelWarning, "The object has as many updating managers as are kept",
		"Of more than ten entries of updates the API server merges the oldest into ancient-changes, so that it is no longer known whose they were.",
		"Give controllers that are one program one field manager, or let them apply."},
	{lintUnknownVersion, LevelWarning, "An entry of managedFields is in a version that the kind does not have",
		"For a built-in kind the entry is dropped by the next apply, with its owner's fields. For a custom resource every apply fails (500) until the version is served again.",
		"Remove or rewrite the entry before the version goes."},
}
