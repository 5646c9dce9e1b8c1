package patchlab

import "github.com/patchlab-dev/patchlab/patch"

// ApplyOptions configures [Lab.Apply], [Lab.ClientApply], [Lab.Resolve] and [Lab.Alternatives].
// Its fields are those of [Change], apart from KeepLastApplied.
type ApplyOptions struct {
	// FieldManager is the name of the field manager. The default is that of kubectl, for which an
	// apply has rules of its own: "kubectl", and "kubectl-client-side-apply" for ClientApply.
	FieldManager string
	Force        bool // for Apply only
	// TransferClientSide is for every server-side apply, that of Resolve and Alternatives too.
	TransferClientSide bool
	// KeepLastApplied is for Alternatives only: if the wanted object has no annotation
	// [patch.LastApplied], as manifests have none, it keeps that of the live object.
	KeepLastApplied  bool
	Subresource      string
	FieldValidation  string
	Namespace        string
	DefaultNamespace string
	Explain          bool
}

// Apply applies a configuration to a live object as 'kubectl apply --server-side' does. live
// may have any number of objects: the one that the configuration names is changed, and if
// there is none, the object is created. See [Lab.Run] for how they are matched. Conflicts
// with other managers are returned as an *[Error] with Code 409 that wraps a *[Conflicts].
func (l *Lab) Apply(live, config Input, o ApplyOptions) (*Result, error) {
	return l.single(live, config, o.change(ActionApply))
}

// ClientApply applies a manifest as 'kubectl apply' does without --server-side: it sends
// the three-way patch between the last-applied-configuration annotation, the manifest and
// the live object, and updates the annotation. If live does not have the object, it is
// created with the annotation.
func (l *Lab) ClientApply(live, manifest Input, o ApplyOptions) (*Result, error) {
	return l.single(live, manifest, o.change(ActionClientApply))
}

func (o ApplyOptions) change(a Action) Change {
	return Change{Action: a, FieldManager: o.FieldManager, Force: o.Force, TransferClientSide: o.TransferClientSide, Subresource: o.Subresource,
		FieldValidation: o.FieldValidation, Namespace: o.Namespace, DefaultNamespace: o.DefaultNamespace, Explain: o.Explain}
}

// PatchOptions configures [Lab.Patch]. Its fields are those of [Change].
type PatchOptions struct {
	// Type is the type of the patch. The zero Type is detected: a list is a JSON patch, an
	// object is a strategic merge patch for a built-in kind and a merge patch for a custom
	// resource.
	Type            patch.Type
	FieldManager    string // "kubectl-patch" by default
	Subresource     string
	FieldValidation string
	Namespace       string
	Explain         bool
}

// Patch applies a JSON patch (RFC 6902), a merge patch (RFC 7396) or a strategic
// merge patch to a live object. Without a live object the error wraps ErrNoMatch.
func (l *Lab) Patch(live, p Input, o PatchOptions) (*Result, error) {
	action := patchAction(o.Type)
	if action == "" && o.Type != patch.TypeAuto {
		return nil, invalidOption("type", "the patch is of an unknown type; the types are those of package patch")
	}
	c := Change{Action: action, FieldManager: o.FieldManager, Subresource: o.Subresource,
		FieldValidation: o.FieldValidation, Namespace: o.Namespace, Explain: o.Explain, patchOnly: true}
	return l.single(live, p, c)
}

// WriteOptions configures [Lab.Update] and [Lab.Create]. Its fields are those of [Change].
type WriteOptions struct {
	FieldManager    string // "kubectl-replace" for Update by default, "kubectl-create" for Create
	Subresource     string // for Update only
	FieldValidation string
	Namespace       string
	Explain         bool
}

// Update replaces a live object, as a PUT request does. If the new object has a
// resourceVersion, it must match the live one; otherwise the error has Code 409. A custom
// resource must have one, or the error has Code 422. The result of [Lab.Create], or of an apply
// that creates the object, has none, because nothing is stored: to update it, set
// metadata.resourceVersion in it. Without a live object the error wraps ErrNoMatch.
func (l *Lab) Update(live, object Input, o WriteOptions) (*Result, error) {
	return l.single(live, object, o.change(ActionUpdate))
}

// Create creates an object, as a POST request does. If it has metadata.generateName in place
// of a name, a name is generated.
func (l *Lab) Create(object Input, o WriteOptions) (*Result, error) {
	return l.single(nil, object, o.change(ActionCreate))
}

func (o WriteOptions) change(a Action) Change {
	return Change{Action: a, FieldManager: o.FieldManager, Subresource: o.Subresource,
		FieldValidation: o.FieldValidation, Namespace: o.Namespace, Explain: o.Explain}
}
