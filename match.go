package patchlab

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// Target identifies an object.
type Target struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	// Namespace is empty for cluster-scoped kinds.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

// Group returns the API group, "" for the core group.
func (t Target) Group() string {
	group, _, _ := schema.SplitAPIVersion(t.APIVersion)
	return group
}

// String returns the target in the form "Deployment.apps web in namespace shop". Names with
// characters that cannot be printed, which no valid object has, are quoted.
func (t Target) String() string {
	text := t.Kind
	if group := t.Group(); group != "" {
		text += "." + group
	}
	text = printable(text)
	if t.Name != "" {
		text += " " + printable(t.Name)
	}
	if t.Namespace != "" {
		text += " in namespace " + printable(t.Namespace)
	}
	return text
}

// printable returns a name for a message. It is quoted if it contains characters that cannot be
// printed: with a line break, a name could look like a message of its own.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// matched is a change's document together with the live object that it changes.
type matched struct {
	manifest.Object
	kind *schema.Kind
	// at is the index of the live object, -1 if there is none.
	at     int
	target Target
	notes  []string
}

// match finds the live object that a document changes.
func (l *Lab) match(live *liveObjects, o manifest.Object, c Change) (*matched, error) {
	m := &matched{Object: o, at: -1}
	if missing := missingType(o, c.Action); missing != "" {
		return m, &fieldProblem{nil, missing, ErrInput}
	}
	if c.Subresource == "scale" && o.Kind() == "Scale" {
		return m, l.matchScale(live, m, c)
	}
	if !o.Typed() {
		return m, l.matchPatch(live, m, c)
	}
	name := nameOf(o.Value)
	candidates := live.byName[name]
	if name.name == "" && c.Action != ActionCreate {
		candidates = live.ofKind(name)
		if len(candidates) != 1 || c.Action == "" || c.Action.creates() {
			m.target = unnamed(o)
			return m, &fieldProblem{document.Keys("metadata", "name"), nameRequired(o.Value), ErrInput}
		}
	}
	namespaced := hasNamespace(o.Value)
	for _, i := range candidates {
		namespaced = namespaced || live.all[i].namespace != ""
	}
	if err := l.identify(m, o.Value, namespaced, c); err != nil {
		return m, err
	}
	m.target.Name = name.name
	if !m.kind.Namespaced {
		if len(candidates) > 0 {
			m.at = candidates[0]
		}
	} else if err := live.chooseNamespace(m, candidates, c); err != nil {
		return m, err
	}
	if m.at >= 0 {
		m.target.Name = live.all[m.at].Value.Lookup("metadata", "name").StringOr("")
		return m, nil
	}
	return m, mayCreate(m, live, c)
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
	if hint := quoteHint(&schema.Type{Scalar: schema.StringScalar}, v); hint != "" {
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
	if note != "" {
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
	named = cmp.Or(named, c.Namespace, c.DefaultNamespace)
	if named == "" { // only live objects from the input determine a default namespace
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(i int) bool { return i >= l.given && l.all[i].namespace != "default" })
	}
	var namespaces []string
	for _, i := range candidates {
		if has := l.all[i].namespace; !slices.Contains(namespaces, has) && (named == "" || has == named || has == "") {
			namespaces = append(namespaces, has)
		}
		if m.at < 0 && (named == "" || l.all[i].namespace == named) {
			m.at = i
		}
	}
	if m.at < 0 { // a live object without a namespace matches any
		if i := slices.IndexFunc(candidates, func(i int) bool { return l.all[i].namespace == "" }); i >= 0 {
			m.at = candidates[i]
		}
	}
	m.target.Namespace = named
	if named != "" {
		return nil
	}
	if len(namespaces) > 1 {
		slices.Sort(namespaces)
		if namespaces[0] == "" {
			namespaces[0] = "(none)"
		}
		return &fieldProblem{nil, fmt.Sprintf("%s %s has no namespace, and live objects with its name exist in %s; set metadata.namespace, --default-namespace or --namespace",
			m.kind.Kind, m.Value.Lookup("metadata", "name").StringOr(""), firstOf(namespaces)), ErrNoMatch}
	}
	m.target.Namespace = "default"
	if len(namespaces) == 1 && namespaces[0] != "" && namespaces[0] != "default" {
		m.target.Namespace = namespaces[0]
		m.notes = append(m.notes, "the manifest has no namespace: using the live object in namespace "+namespaces[0])
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
		m.notes = append(m.notes, note)
	}
	return nil
}
