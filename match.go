package patchlab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// matched is a change's document together with the live object that it changes.
type matched struct {
	manifest.Object
	kind *schema.Kind
	// at is the index of the live object, -1 if there is none.
	at     int
	target Target
	notes  []Note
}

// match finds the live object that a document changes.
func (l *Lab) match(live *liveObjects, o manifest.Object, c Change) (*matched, error) {
	m := &matched{Object: o, at: -1}
	if missing := missingType(o, c.Action); missing != "" {
		return m, &fieldProblem{nil, missing, ErrInput}
	}
	switch {
	case c.Subresource == "scale" && o.Kind() == "Scale":
		return m, l.matchScale(live, m, c)
	case !o.Typed():
		return m, l.matchPatch(live, m, c)
	}
	return m, l.matchManifest(live, m, c)
}

// matchManifest finds the live object of a document with apiVersion and kind, which need not exist if the
// action creates it.
func (l *Lab) matchManifest(live *liveObjects, m *matched, c Change) error {
	candidates, err := live.candidates(m, c.Action)
	if err != nil {
		return err
	}
	namespaced := hasNamespace(m.Value) || slices.ContainsFunc(candidates, func(i int) bool { return live.all[i].namespace != "" })
	err = l.identify(m, m.Value, namespaced, c)
	if err != nil {
		m.target = unnamed(m.Object) // as it is written
		m.target.Namespace = m.Value.Lookup("metadata", "namespace").StringOr("")
	}
	m.target.Name = m.Value.Lookup("metadata", "name").StringOr("")
	if err != nil {
		return err
	}
	if m.kind.Namespaced {
		if err := live.chooseNamespace(m, candidates, c); err != nil {
			return err
		}
	} else if len(candidates) > 0 {
		m.at = candidates[0]
	}
	if m.at < 0 {
		return mayCreate(m, live, c)
	}
	m.target.Name = live.all[m.at].Value.Lookup("metadata", "name").StringOr("")
	l.noteVersion(m, live.all[m.at].Value)
	return nil
}

// noteVersion notes that a live object is in another version than its manifest, if nothing is known of that version:
// its kind has no definition, or the version is not served, as in the manifests from before an upgrade.
func (l *Lab) noteVersion(m *matched, live document.Value) {
	version := live.Get("apiVersion").StringOr("")
	if version == m.kind.APIVersion() {
		return
	}
	if _, defined := l.Kinds().Of(m.Value); !defined {
		m.notes = append(m.notes, NoteText(fmt.Sprintf("the version changes from %s to %s: without the CustomResourceDefinition of %s (--crd), the fields of both are assumed to be the same",
			printable(version), printable(m.kind.APIVersion()), printable(m.kind.Kind))))
	} else if _, served := l.Kinds().Of(live); m.kind.Builtin && !served {
		m.notes = append(m.notes, NoteText(fmt.Sprintf("the live object is in version %s, which this Kubernetes version does not serve: its fields are read as those of %s, and others are dropped",
			printable(version), m.kind.APIVersion())))
	}
}

// candidates returns the indices of the live objects with the kind and the name of a manifest, in any
// namespace. A patch whose type is given may omit the name of the only live object of its kind.
func (l *liveObjects) candidates(m *matched, action Action) ([]int, error) {
	name := nameOf(m.Value)
	if name.name != "" || action == ActionCreate {
		return l.byName[name], nil
	}
	found := l.ofKind(name.group, name.kind)
	if len(found) != 1 || action == "" || action.creates() {
		m.target = unnamed(m.Object)
		return nil, &fieldProblem{document.Keys("metadata", "name"), nameRequired(m.Value), ErrInput}
	}
	return found, nil
}

// unnamed returns the target of a manifest that has no name.
func unnamed(o manifest.Object) Target {
	return Target{APIVersion: o.Value.Get("apiVersion").StringOr(""), Kind: o.Kind()}
}

// missingType returns the message for an object without apiVersion or kind, "" for a patch,
// which needs neither.
func missingType(o manifest.Object, a Action) string {
	apiVersion, kind := o.Value.Get("apiVersion").Exists(), o.Value.Get("kind").Exists()
	switch {
	case o.Value.Kind() != document.Object || apiVersion && kind:
		return ""
	case a == ActionApply || a == ActionClientApply:
		return "apiVersion and kind are required: the configuration for " + a.Title() + " is an object"
	case a != "" || !apiVersion && !kind:
		return ""
	case apiVersion:
		return "kind is required; a patch that has only apiVersion needs an explicit type"
	}
	return "apiVersion is required; a patch that has only kind needs an explicit type"
}

// notString returns the message for a part of an object's identity that is set but is no string, ""
// for any other.
func notString(object document.Value, field ...string) string {
	v := object.Lookup(field...)
	if !v.Exists() || v.IsNull() || v.Kind() == document.String {
		return ""
	}
	text := strings.Join(field, ".") + " must be a string, not a " + v.Kind().String()
	if hint := explain.ValueHint(&schema.Type{Scalar: schema.StringScalar}, v); hint != "" {
		text += "; " + hint
	}
	return text
}

// nameRequired returns the message for a manifest without a name.
func nameRequired(v document.Value) string {
	if text := notString(v, "metadata", "name"); text != "" {
		return text
	}
	if v.Lookup("metadata", "generateName").Exists() {
		return "metadata.name is required: a name is generated only for objects that are created, not applied"
	}
	return "metadata.name is required"
}

// identify sets the kind of a match.
func (l *Lab) identify(m *matched, v document.Value, namespaced bool, c Change) error {
	kind, note, err := l.kindOf(v, namespaced, c.Subresource == "status")
	if err != nil {
		return err
	}
	m.kind = kind
	m.target.APIVersion, m.target.Kind = kind.APIVersion(), kind.Kind
	if note != nil {
		m.notes = append(m.notes, note)
	}
	return nil
}

// chooseNamespace determines the namespace of a namespaced object, and with it the live
// object.
func (l *liveObjects) chooseNamespace(m *matched, candidates []int, c Change) error {
	named := m.Value.Lookup("metadata", "namespace").StringOr("")
	if named != "" && c.Namespace != "" && named != c.Namespace {
		m.target.Namespace = named
		return &fieldProblem{document.Keys("metadata", "namespace"), fmt.Sprintf(
			"the namespace from the provided object %q does not match the namespace %q; a default namespace (--default-namespace) is used only for objects without one", named, c.Namespace), ErrInput}
	}
	m.target.Namespace = cmp.Or(named, c.Namespace, c.DefaultNamespace)
	if m.target.Namespace == "" {
		return l.inferNamespace(m, candidates)
	}
	for _, namespace := range []string{m.target.Namespace, ""} { // a live object without a namespace matches any
		at := slices.IndexFunc(candidates, func(i int) bool { return l.all[i].namespace == namespace })
		if at >= 0 {
			m.at = candidates[at]
			break
		}
	}
	return nil
}

// inferNamespace chooses the namespace of the live objects with the name of a manifest if neither the manifest
// nor the change has a namespace. It is "default" if there are none.
func (l *liveObjects) inferNamespace(m *matched, candidates []int) error {
	var namespaces []string
	for _, i := range candidates {
		has := l.all[i].namespace
		if i >= l.given && has != "default" {
			continue // only live objects from the input determine a namespace
		}
		if m.at < 0 {
			m.at = i
		}
		namespaces = append(namespaces, has)
	}
	slices.Sort(namespaces)
	namespaces = slices.Compact(namespaces)
	if len(namespaces) > 1 {
		if namespaces[0] == "" {
			namespaces[0] = "(none)"
		}
		return &fieldProblem{nil, fmt.Sprintf("%s %s has no namespace, and live objects with its name exist in %s; set metadata.namespace, --default-namespace or --namespace",
			m.kind.Kind, m.Value.Lookup("metadata", "name").StringOr(""), firstOf(namespaces)), ErrNoMatch}
	}
	m.target.Namespace = "default"
	if len(namespaces) == 1 && namespaces[0] != "" && namespaces[0] != "default" {
		m.target.Namespace = namespaces[0]
		m.notes = append(m.notes, NoteText("the manifest has no namespace: using the live object in namespace "+namespaces[0]))
	}
	return nil
}

// matchPatch finds the live object for a patch without a kind: the only one, or the only one with the
// patch's name and in the namespace of the change.
func (l *Lab) matchPatch(live *liveObjects, m *matched, c Change) error {
	name := m.Value.Lookup("metadata", "name").StringOr("")
	candidates, elsewhere := live.named(name, c.Namespace)
	kind := m.Value.Kind()
	switch {
	case len(candidates) == 1:
		return l.matchLive(live, m, candidates[0], c)
	case kind != document.Object && kind != document.List:
		return &fieldProblem{nil, "expected an object or a patch, found a " + kind.String(), ErrInput}
	case len(candidates) == 0 && elsewhere > 0:
		return &fieldProblem{nil, fmt.Sprintf("there is no live object for the patch in the namespace %q (--namespace)", c.Namespace), ErrNoMatch}
	case len(candidates) == 0 && name != "" && len(live.all) > 0:
		return &fieldProblem{document.Keys("metadata", "name"), fmt.Sprintf("there is no live object with the name %q", name), ErrNoMatch}
	case kind == document.List:
		return &fieldProblem{nil, "a JSON patch does not name its object, and there " + countLive(len(live.all)) + "; provide exactly one live object", ErrNoMatch}
	}
	return &fieldProblem{nil, "the patch has no apiVersion and kind, and there " + countLive(len(live.all)) +
		"; provide exactly one live object, or apiVersion, kind and metadata.name in the patch and its type", ErrNoMatch}
}

// matchScale finds the live object of a Scale: the only one with the Scale's name and in its namespace whose
// kind has a scale.
func (l *Lab) matchScale(live *liveObjects, m *matched, c Change) error {
	metadata := m.Value.Get("metadata")
	name, namespace := metadata.Get("name").StringOr(""), cmp.Or(metadata.Get("namespace").StringOr(""), c.Namespace)
	candidates, _ := live.named(name, namespace)
	candidates = slices.DeleteFunc(candidates, func(i int) bool { return !l.hasScale(live.all[i].Value) })
	switch len(candidates) {
	case 1:
		return l.matchLive(live, m, candidates[0], c)
	case 0:
		return &fieldProblem{nil, "no live object with a scale subresource matches the " + Target{Kind: "Scale", Namespace: namespace, Name: name}.String(), ErrNoMatch}
	}
	return &fieldProblem{nil, "the Scale matches " + live.list(candidates) + "; set metadata.name and metadata.namespace", ErrNoMatch}
}

// matchLive makes a document without a kind of its own a change of a live object, whose kind it has.
func (l *Lab) matchLive(live *liveObjects, m *matched, at int, c Change) error {
	o := live.all[at]
	if err := o.identified(); err != nil {
		return err
	}
	if err := l.identify(m, o.Value, o.namespace != "", c); err != nil {
		return err
	}
	m.at, m.target.Name = at, o.Value.Lookup("metadata", "name").StringOr("")
	if m.kind.Namespaced {
		m.target.Namespace = cmp.Or(o.namespace, c.Namespace, c.DefaultNamespace, "default")
	}
	return nil
}

// hasScale reports whether the kind of an object has a scale subresource, or is not known.
func (l *Lab) hasScale(object document.Value) bool {
	k, known := l.Kinds().Of(object)
	return !known || k.Scale != nil
}

// mayCreate refuses a change to an object that does not exist unless the action creates it.
func mayCreate(m *matched, live *liveObjects, c Change) error {
	action := c.Action
	if action == "" {
		action, _ = c.detect(m.Value, m.kind)
	}
	if c.RequireLive || !action.creates() || c.Subresource != "" {
		return &fieldProblem{nil, "there is no live " + m.target.String() + " to change", ErrNoMatch}
	}
	if live.given > 0 {
		note := "not among the live objects, would be created"
		if m.kind.Namespaced {
			note += " in namespace " + printable(m.target.Namespace)
		}
		m.notes = append(m.notes, NoteText(note))
	}
	return nil
}
