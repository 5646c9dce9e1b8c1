package patchlab

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Action is a way to change an object: server-side apply, a type of patch, an update.
type Action string

// The actions. The zero Action is detected from the document: a list is a JSON patch, an
// object with apiVersion and kind is applied, any other object is a strategic merge patch
// for a built-in kind and a merge patch for a custom resource.
const (
	ActionApply          Action = "apply"             // server-side apply
	ActionClientApply    Action = "client-side-apply" // kubectl apply without --server-side
	ActionCreate         Action = "create"
	ActionUpdate         Action = "update" // PUT, kubectl replace
	ActionJSONPatch      Action = "json-patch"
	ActionMergePatch     Action = "merge-patch"
	ActionStrategicPatch Action = "strategic-patch"
)

// Change holds the action and the options for [Lab.Run]. The zero Change detects the action
// of each document and uses kubectl's defaults.
type Change struct {
	Action Action
	// FieldManager is the name of the field manager. The default is kubectl's for the
	// action: kubectl, kubectl-client-side-apply, kubectl-patch, kubectl-replace or
	// kubectl-create. A controller passes its own, the one that its client sends.
	FieldManager string
	// Force takes ownership of fields that other managers own (server-side apply only).
	Force bool
	// TransferClientSide transfers the fields of managers that used client-side apply to
	// FieldManager after a server-side apply, and applies again, as 'kubectl apply --server-side'
	// does: fields that only they own and the configuration omits are removed. Other clients do
	// not. Result.Reasons are those of the requests together.
	TransferClientSide bool
	// Subresource is "" for the object itself, or the name of one of the kind's
	// subresources, such as status or scale. The document of a change to scale is a Scale, or
	// a patch of one.
	Subresource string
	// FieldValidation is the handling of unknown and duplicate fields: Strict, Warn or Ignore.
	// The default is kubectl's for the action: Warn for JSON, merge and strategic merge patches,
	// for which kubectl leaves it to the API server, otherwise Strict.
	FieldValidation string
	// Namespace is the namespace of all namespaced objects, like kubectl's --namespace: an
	// object of another namespace is refused. DefaultNamespace is used only for objects
	// without metadata.namespace, like the namespace of kubectl's context or of a Helm
	// release. If both are "", an object without a namespace has that of the only live object
	// with the same kind and name, or "default" if there is none.
	Namespace, DefaultNamespace string
	// RequireLive refuses changes that would create an object.
	RequireLive bool
	// Explain records the decisions made during the change for Result.Reasons and
	// Error.Reasons.
	Explain bool
	// patchOnly excludes server-side apply if the action is detected.
	patchOnly bool
}

// actions are the actions of a Change, without the zero Action.
var actions = [...]Action{ActionApply, ActionClientApply, ActionCreate, ActionUpdate, ActionJSONPatch, ActionMergePatch, ActionStrategicPatch}

// check refuses an action that does not exist, which could be the misspelled name of any other, and
// the creation of a subresource.
func (c *Change) check() error {
	if c.Action == ActionCreate && c.Subresource != "" {
		return invalidOption("subresource", "objects are created without a subresource; update or patch "+strconv.Quote(c.Subresource)+" afterwards")
	}
	if c.Action == "" || slices.Contains(actions[:], c.Action) {
		return nil
	}
	names := make([]string, len(actions))
	for i, valid := range actions {
		names[i] = string(valid)
	}
	return invalidOption("action", strconv.Quote(string(c.Action))+" is not one of "+strings.Join(names, ", "))
}

// fieldValidation returns the field validation with which kubectl sends an action.
func (a Action) fieldValidation() string {
	switch a {
	case ActionJSONPatch, ActionMergePatch, ActionStrategicPatch:
		return "Warn"
	}
	return "Strict"
}

// detect chooses the action for a document and returns the reason for the choice.
func (c *Change) detect(v document.Value, kind *schema.Kind) (action Action, why string) {
	switch {
	case v.Kind() == document.List:
		return ActionJSONPatch, "the patch is a list"
	case !c.patchOnly && v.Get("apiVersion").Exists() && v.Get("kind").Exists():
		return ActionApply, "the patch has apiVersion and kind"
	case kind.Builtin:
		return ActionStrategicPatch, "the patch is a partial object of a built-in kind"
	}
	return ActionMergePatch, "the patch is a partial object of a custom resource"
}

// Title returns the display name of the action, such as "server-side apply" or "JSON
// patch".
func (a Action) Title() string {
	switch a {
	case ActionApply:
		return "server-side apply"
	case ActionClientApply:
		return "client-side apply"
	case ActionJSONPatch:
		return "JSON patch"
	case ActionMergePatch:
		return "merge patch"
	case ActionStrategicPatch:
		return "strategic merge patch"
	}
	return string(a)
}

// manager returns kubectl's default field manager for the action.
func (a Action) manager() string {
	switch a {
	case ActionApply:
		return "kubectl"
	case ActionClientApply:
		return "kubectl-client-side-apply"
	case ActionCreate:
		return "kubectl-create"
	case ActionUpdate:
		return "kubectl-replace"
	}
	return "kubectl-patch"
}

// creates reports whether the action may create the object.
func (a Action) creates() bool {
	return a == ActionApply || a == ActionClientApply || a == ActionCreate
}

// format returns the verb and the body format of the action's request.
func (a Action) format() (cluster.Verb, cluster.Format) {
	switch a {
	case ActionCreate:
		return cluster.Create, cluster.JSON
	case ActionUpdate:
		return cluster.Update, cluster.JSON
	case ActionJSONPatch:
		return cluster.Patch, cluster.JSONPatch
	case ActionMergePatch:
		return cluster.Patch, cluster.MergePatch
	case ActionStrategicPatch:
		return cluster.Patch, cluster.StrategicPatch
	}
	return cluster.Patch, cluster.ApplyPatch
}

// patchAction returns the action for a type of patch.
func patchAction(t patch.Type) Action {
	switch t {
	case patch.TypeJSON:
		return ActionJSONPatch
	case patch.TypeMerge:
		return ActionMergePatch
	case patch.TypeStrategic:
		return ActionStrategicPatch
	}
	return ""
}
