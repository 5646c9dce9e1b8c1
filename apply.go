package patchlab

import "github.com/patchlab-dev/patchlab/patch"

// ApplyOptions are those of [Lab.Apply] and [Lab.ClientApply]. The fields are
// those of [Change].
type ApplyOptions struct {
	FieldManager    string
	Force           bool // of Apply alone
	Subresource     string
	FieldValidation string
	Namespace       string
	Explain         bool
}

// Apply applies a configuration to a live object as 'kubectl apply --server-side'
// does. live is nil, or empty, where there is no object yet. Conflicts with other
// managers are an *[Error] with Code 409 whose cause is a [Conflicts].
func (l *Lab) Apply(live, config Input, o ApplyOptions) (*Result, error) {
	return l.single(live, config, o.change(ActionApply))
}

// ClientApply applies a manifest as 'kubectl apply' does without --server-side: by
// the three-way patch between the annotation with the configuration applied last,
// the manifest and the live object. The annotation is written too.
func (l *Lab) ClientApply(live, manifest Input, o ApplyOptions) (*Result, error) {
	return l.single(live, manifest, o.change(ActionClientApply))
}

func (o ApplyOptions) change(a Action) Change {
	return Change{Action: a, FieldManager: o.FieldManager, Force: o.Force, Subresource: o.Subresource,
		FieldValidation: o.FieldValidation, Namespace: o.Namespace, Explain: o.Explain}
}

// PatchOptions are those of [Lab.Patch]. The fields are those of [Change].
type PatchOptions struct {
	// Type is the type of the patch; the zero Type is found from the patch: a
	// list is a JSON patch, an object a strategic merge patch for a built-in kind
	// and a merge patch for a custom resource.
	Type            patch.Type
	FieldManager    string
	Subresource     string
	FieldValidation string
	Namespace       string
	Explain         bool
}

// Patch applies a JSON patch (RFC 6902), a merge patch (RFC 7386) or a strategic
// merge patch to a live object.
func (l *Lab) Patch(live, p Input, o PatchOptions) (*Result, error) {
	c := Change{Action: patchAction(o.Type), FieldManager: o.FieldManager, Subresource: o.Subresource,
		FieldValidation: o.FieldValidation, Namespace: o.Namespace, Explain: o.Explain}
	if c.Action == "" {
		var err error
		if c.Action, err = l.detectPatch(live, p); err != nil {
			return nil, err
		}
	}
	return l.single(live, p, c)
}

// detectPatch chooses the type of a patch, which is none to be applied even where
// it has apiVersion and kind.
func (l *Lab) detectPatch(live, p Input) (Action, error) {
	docs, err := objects(p)
	if err != nil || len(docs) != 1 {
		return ActionMergePatch, err
	}
	of := docs[0]
	if !of.Typed() {
		found, err := readLive(live)
		if err != nil || len(found.all) != 1 {
			return ActionMergePatch, err
		}
		of = found.all[0].Object
	}
	kind, _, err := l.kindOf(of.Value, false, false)
	if err != nil {
		return ActionMergePatch, located(err, of)
	}
	action, _ := detect(docs[0].Value.Without("kind"), kind)
	return action, nil
}

// WriteOptions are those of [Lab.Update] and [Lab.Create]. The fields are those of
// [Change].
type WriteOptions struct {
	FieldManager    string
	Subresource     string // of Update alone
	FieldValidation string
	Namespace       string
	Explain         bool
}

// Update replaces a live object, as a PUT does. Where the object has a
// resourceVersion, the live one must have the same.
func (l *Lab) Update(live, object Input, o WriteOptions) (*Result, error) {
	return l.single(live, object, o.change(ActionUpdate))
}

// Create creates an object, as a POST does.
func (l *Lab) Create(object Input, o WriteOptions) (*Result, error) {
	return l.single(nil, object, o.change(ActionCreate))
}

func (o WriteOptions) change(a Action) Change {
	return Change{Action: a, FieldManager: o.FieldManager, Subresource: o.Subresource,
		FieldValidation: o.FieldValidation, Namespace: o.Namespace, Explain: o.Explain}
}
