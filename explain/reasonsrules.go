package explain

import (
	"strings"

	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
)

// Rule is the name of a rule that decides about a field, such as "merge/list-replaced";
// doc/rules.md lists them. Names are stable. They include the rules of packages patch and
// fieldmanager.
type Rule string

// The rules that only explanations distinguish. Those of apply are cases of fieldmanager's
// apply/prune and apply/prune-kept.
const (
	RuleCoOwned      Rule = "apply/co-owned-kept"
	RuleItemKept     Rule = "apply/item-kept"
	RuleWithParent   Rule = "apply/removed-with-parent"
	RuleWasAtomic    Rule = "apply/was-atomic"
	RuleByUpdate     Rule = "apply/owned-by-update"
	RuleLastApplied  Rule = "apply/last-applied"
	RuleMigrated     Rule = "apply/migrated"
	RuleMergeList    Rule = "merge/list-replaced"
	RuleBody         Rule = "body/value"
	RuleLeftOut      Rule = "body/left-out"
	RuleScaled       Rule = "scale/replicas"
	RuleDefault      Rule = "default"
	RulePruned       Rule = "pruned"
	RuleNullDropped  Rule = "null-dropped"
	RuleEmptyDropped Rule = "empty-dropped"
	RuleEncoded      Rule = "encoded"
	RuleConverted    Rule = "converted"
	RuleNormalized   Rule = "normalized"
	RuleAdmission    Rule = "admission"
	RuleStrategy     Rule = "strategy/reset"
	RuleComputed     Rule = "strategy/computed"
	RuleServerSet    Rule = "server-set"
	RuleStored       Rule = "stored"
	RuleFilled       Rule = "filled"
	RuleEmptied      Rule = "emptied"
	RuleStrict       Rule = "refused/strict"
	RuleImmutable    Rule = "refused/immutable"
	RuleInvalid      Rule = "refused/invalid"
	RuleType         Rule = "refused/type"
	RuleUnknown      Rule = "refused/unknown"
	RuleRefusedPatch Rule = "refused/patch"
	RuleRequest      Rule = "refused/request"
)

// RuleText describes a rule.
type RuleText struct {
	Name Rule `json:"name"`
	// What describes the effect on the field.
	What string `json:"what"`
	// Expected describes what users may have expected instead; "" if the rule is rarely
	// surprising.
	Expected string `json:"expected,omitempty"`

	// text is What with {owners} in place of "another manager".
	text string
}

// Rules returns the rules in the order of doc/rules.md: those of the types of requests,
// then those of the API server's stages, then those of refusals.
func Rules() []RuleText {
	list := make([]RuleText, len(rules))
	for i, r := range rules {
		what := strings.ReplaceAll(r.text, ownersMark, "another manager")
		if strings.HasPrefix(r.text, ownersMark) {
			what = "A" + what[1:]
		}
		list[i] = RuleText{Name: r.name, What: what, Expected: r.expected, text: r.text}
	}
	return list
}

// ownersMark is the placeholder for owners in the text of a rule.
const ownersMark = "{owners}"

type rule struct {
	name           Rule
	text, expected string
}

// named returns the rule with a name.
func named(name Rule) (rule, bool) {
	for _, r := range rules {
		if r.name == name {
			return r, true
		}
	}
	return rule{}, false
}

var rules = [...]rule{
	{Rule(fieldmanager.RuleOwn), "The applied configuration has the field, so it gets this value and the applier owns it.", ""},
	{Rule(fieldmanager.RuleShare), "The configuration has the field's current value, so the applier owns the field together with {owners}.", "A conflict. Only different values conflict."},
	{Rule(fieldmanager.RulePrune), "The configuration no longer has the field, and nobody else owns it, so it is removed.", "That the field remains, as it does if a client-side apply or an update set it."},
	{RuleWithParent, "The list item or object that contains the field is removed because it no longer has an owner, together with the fields in it that {owners} set.", "That fields of another manager keep the item. Only an owner of the item itself, or of a field in it by apply, keeps it."},
	{RuleCoOwned, "The configuration no longer has the field, so the applier gives it up; it remains because {owners} owns it too.", "That the field is removed. It is removed when its last owner gives it up; after a migration from client-side apply that owner is kubectl-client-side-apply, which never does."},
	{RuleItemKept, "The configuration no longer has the list item or object; it remains because {owners} owns it or a field in it.", "That the whole item is removed. Only the fields that no other manager owns are removed; the others remain, with the key fields of the item."},
	{Rule(fieldmanager.RulePruneKept), "The configuration no longer has the field; it remains because something in it, or the object that contains it, still has an owner.", "That the field is removed."},
	{RuleWasAtomic, "The list was atomic when the applier set it, so it owned the list as a whole. Now each item has its own owners, and the items that the configuration no longer has remain because nobody owns them.", "That the items are removed. Apply the unchanged items once, so that the applier owns each of them, and then remove them."},
	{RuleByUpdate, "The configuration does not have the field. It remains because the applier never applied it: {owners} set it by an update.", "That the field is removed, because the same tool wrote it. An apply removes only fields that the same manager applied before."},
	{Rule(fieldmanager.RuleConflict), "{owners} owns the field with another value, so the apply is refused.", "That the last writer wins, as in an update or a patch."},
	{Rule(fieldmanager.RuleTransfer), "The apply is forced, so the applier takes the field over and {owners} loses it.", ""},
	{Rule(fieldmanager.RuleDrop), "The field no longer exists, so {owners} no longer owns it.", ""},
	{Rule(fieldmanager.RuleKubectl), "The fields still have the values of kubectl's last client-side apply, so kubectl takes them over without a conflict.", "A conflict with kubectl-client-side-apply. This exception applies only to the manager named kubectl."},
	{Rule(fieldmanager.RuleFirst), "The object had no managers before its first apply, so before-first-apply owns all of its fields.", "That fields without an owner can be changed without a conflict."},
	{RuleMigrated, "kubectl transfers the fields of {owners} to the applier and applies again, because client-side apply has written the object.", "That the field keeps its owner, as it does with every other client: the fields that the configuration omits then remain."},
	{RuleLastApplied, "The last-applied-configuration annotation is updated because the applier is kubectl.", ""},

	{Rule(fieldmanager.RuleTrack), "The request changed the field, so its manager owns it.", ""},
	{Rule(fieldmanager.RuleTaken), "The request changed the field, so its manager takes it over and {owners} loses it.", "A conflict. Only an apply can be refused because of owners, updates and patches cannot."},
	{Rule(fieldmanager.RuleGone), "The field no longer exists, so {owners} no longer owns it.", ""},
	{Rule(fieldmanager.RuleQuiet), "The object has no managers, so the change is not tracked.", ""},
	{Rule(fieldmanager.RuleReset), "The request sets managedFields to an empty list, so all managers are removed.", ""},
	{Rule(fieldmanager.RuleUntracked), "The object does not match the schema of its kind, for example because a list item lacks its key, so it is stored without managedFields or, from Kubernetes 1.37 on, with those it had.", "An error. An update is never refused because its fields cannot be tracked."},
	{Rule(fieldmanager.RuleCap), "More than ten managers have updated the object, so the oldest are merged into ancient-changes.", "That each manager keeps its own entry."},

	{Rule(patch.RuleJSONAdd), "An operation of the JSON patch adds the value.", ""},
	{Rule(patch.RuleJSONRemove), "An operation of the JSON patch removes the field.", ""},
	{Rule(patch.RuleJSONReplace), "An operation of the JSON patch replaces the value.", ""},
	{Rule(patch.RuleJSONMove), "An operation of the JSON patch moves the value.", ""},
	{Rule(patch.RuleJSONCopy), "An operation of the JSON patch copies the value.", ""},
	{Rule(patch.RuleJSONTest), "An operation of the JSON patch tests the value.", ""},

	{Rule(patch.RuleMergeNull), "A null in the merge patch removes the field.", ""},
	{Rule(patch.RuleMergeObject), "The object in the merge patch is merged into the object.", "That the object is replaced and members missing in the patch are removed."},
	{Rule(patch.RuleMergeReplace), "The value in the merge patch replaces the previous one.", ""},
	{RuleMergeList, "The list in the merge patch replaces the list as a whole.", "That items are merged by their key. A merge patch ignores list types; a strategic merge patch and server-side apply use them."},
	{Rule(patch.RuleMergeAdd), "The merge patch adds the field.", ""},
	{Rule(patch.RuleMergeSame), "The merge patch has the field's current value.", ""},
	{Rule(patch.RuleMergeIdle), "The null in the merge patch has no effect, because the field does not exist.", "That the field existed, or an error because it did not."},

	{Rule(patch.RuleStrategicNull), "A null in the strategic merge patch removes the field.", ""},
	{Rule(patch.RuleStrategicIdle), "The null in the strategic merge patch has no effect, because the field does not exist.", "That the field existed, or an error because it did not."},
	{Rule(patch.RuleStrategicAdd), "The strategic merge patch adds the field.", ""},
	{Rule(patch.RuleStrategicReplace), "The value in the strategic merge patch replaces the previous one.", ""},
	{Rule(patch.RuleStrategicSame), "The strategic merge patch has the field's current value.", ""},
	{Rule(patch.RuleStrategicObject), "The object in the strategic merge patch is merged into the object.", ""},
	{Rule(patch.RuleStrategicAtomicMap), "The object has the patch strategy replace, so the patch replaces it as a whole.", "That members are merged."},
	{Rule(patch.RuleStrategicList), "The list has no patch strategy, so the patch replaces it as a whole.", "That items are merged, as they are in lists with a merge key."},
	{Rule(patch.RuleStrategicMergeKey), "The item is merged into the first item with the same merge key.", "That the item is added, or merged by all keys of the list type. The merge key is a single field: two ports with the same number are the same item."},
	{Rule(patch.RuleStrategicNewItem), "No item has the merge key, so the item is added.", "That an item is renamed. An item with a different key is a different item."},
	{Rule(patch.RuleStrategicSet), "The list is merged as a set: its scalars are unique.", "That the list is replaced."},
	{Rule(patch.RuleStrategicDelete), "The directive $patch: delete removes the value.", ""},
	{Rule(patch.RuleStrategicWhole), "The directive $patch: replace replaces the object or list as a whole.", ""},
	{Rule(patch.RuleStrategicRetain), "The directive $retainKeys removes all members that it does not list.", ""},
	{Rule(patch.RuleStrategicOrder), "The directive $setElementOrder, or the order of the patch's items, orders the list.", ""},
	{Rule(patch.RuleStrategicDeleteItems), "The directive $deleteFromPrimitiveList removes the item.", ""},
	{Rule(patch.RuleStrategicDropped), "The directive applies to nothing and is dropped.", "An error."},

	{RuleBody, "The body of the request has this value.", ""},
	{RuleLeftOut, "The body of the request does not have the field. A create or update has the whole object, so the field is removed.", "That omitted fields are kept, as they are in a patch."},
	{RuleScaled, "The number of replicas was changed through the Scale.", ""},

	{RuleDefault, "The API server sets the default of the field.", "That the field remains unset. A field with a default cannot be removed, only set to another value."},
	{RulePruned, "The kind does not have the field, so it is dropped.", "An error. With field validation Strict it is one, with Warn a warning."},
	{RuleNullDropped, "A null member of an object is treated as missing, so it is dropped.", "That the field is null."},
	{RuleEmptyDropped, "The value is empty and the field is optional, so the API server treats the field as missing.", "That the field is kept with its empty value."},
	{RuleEncoded, "The API server always prints this field, even if it is empty.", ""},
	{RuleConverted, "The API server moves or copies the value to another field when it decodes the object: a Secret's stringData to data, a Pod's serviceAccount to serviceAccountName.", "That the value is only in the field that the request sets."},
	{RuleNormalized, "The API server stores the canonical form of the value, such as 1 for the quantity 1000m.", "That the value is kept as written."},
	{RuleAdmission, "An admission webhook or policy changed the field.", ""},
	{RuleStrategy, "The endpoint resets the field, so it keeps its value: status can be changed only through the status subresource, and everything else only through the object itself.", "That the field is set, or an error."},
	{RuleComputed, "The API server sets the field when it stores objects of this kind.", ""},
	{RuleServerSet, "Only the API server sets this metadata.", "That the value in the request is used."},
	{RuleStored, "The stored object is read back with this value: in the version of the request, with the defaults of the kind's current schema.", ""},
	{RuleFilled, "The object or list is no longer empty. Its members have owners instead of the whole.", ""},
	{RuleEmptied, "All members were removed, so the object or list is empty.", "That it is removed too."},

	{RuleStrict, "The field is unknown or duplicated, and field validation is Strict, so the request is refused.", "That unknown fields are dropped, as they are with Warn and Ignore."},
	{RuleUnknown, "The kind does not have the field, so the apply is refused.", "That unknown fields are dropped. They are in other requests, with Warn and Ignore; an apply never drops them."},
	{RuleImmutable, "The field cannot be changed once the object exists, so the request is refused.", "That the field is changed, or kept. The object must be deleted and created again."},
	{RuleInvalid, "The object would be invalid with this value, so the request is refused.", ""},
	{RuleType, "The value does not fit the type of the field, or two items of a list have the same keys, so the request is refused.", ""},
	{RuleRefusedPatch, "The patch cannot be applied here, so the request is refused.", ""},
	{RuleRequest, "The request is refused as a whole.", ""},
}
