package patchlab

import (
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Action is what is done to an object.
type Action string

// The actions. The zero Action is found from the document: a list is a JSON patch,
// an object with apiVersion and kind is applied, any other object is a strategic
// merge patch for a built-in kind and a merge patch for a custom resource.
const (
	ActionApply          Action = "apply"             // server-side apply
	ActionClientApply    Action = "client-side-apply" // kubectl apply without --server-side
	ActionCreate         Action = "create"
	ActionUpdate         Action = "update" // PUT, kubectl replace
	ActionJSONPatch      Action = "json-patch"
	ActionMergePatch     Action = "merge-patch"
	ActionStrategicPatch Action = "strategic-patch"
)

// Change says what is done to objects. The zero Change finds the action from each
// document and does it as kubectl would.
type Change struct {
	Action Action
	// FieldManager is the name of the manager; "" is the one that kubectl has for
	// the action: kubectl, kubectl-client-side-apply, kubectl-patch,
	// kubectl-replace or kubectl-create.
	FieldManager string
	// Force takes over fields that others own (server-side apply only).
	Force bool
	// Subresource is "" for the object itself, or status, scale and others that
	// its kind has. A change of scale is a patch of the object's Scale.
	Subresource string
	// FieldValidation is what happens to unknown and duplicate fields: Strict,
	// which "" means, Warn or Ignore.
	FieldValidation string
	// Namespace is that of objects whose kind is namespaced and that name none.
	// Where it is "" too, they have that of the live object of their kind and
	// name, and "default" where there is none.
	Namespace string
	// RequireLive refuses to create objects.
	RequireLive bool
	// Explain keeps what is decided on the way, for Result.Reasons and
	// Error.Reasons.
	Explain bool
}

// detect chooses the action for a document, and says why.
func detect(v document.Value, kind *schema.Kind) (action Action, why string) {
	switch {
	case v.Kind() == document.List:
		return ActionJSONPatch, "the patch is a list"
	case v.Get("apiVersion").Exists() && v.Get("kind").Exists():
		return ActionApply, "the patch has apiVersion and kind"
	case kind.Builtin:
		return ActionStrategicPatch, "the patch is a part of a built-in kind"
	}
	return ActionMergePatch, "the patch is a part of a custom resource"
}

// Title returns what people call the action: server-side apply, JSON patch.
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

// manager returns kubectl's field manager for the action.
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

// creates reports whether the action may make an object that is not there.
func (a Action) creates() bool {
	return a == ActionApply || a == ActionClientApply || a == ActionCreate
}

// format returns how the action's request is sent.
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

// patchAction returns the action of a type of patch.
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
