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

// groupKindName is the index key of live objects. Objects in several namespaces may share
// one key; the namespace is compared afterwards.
type groupKindName struct{ group, kind, name string }

// liveObjects indexes the live objects for matching. Each change sees an object as the
// previous changes left it.
type liveObjects struct {
	all    []liveObject
	byName map[groupKindName][]int
	// given is the number of objects in the live input; later ones were created by changes.
	given int
	// owned reports whether an object of the live input has managedFields.
	owned bool
}

// A liveObject is an object from the live input, or one that an earlier change created.
type liveObject struct {
	manifest.Object
	namespace string
	// opened is the decoded object; nil until it is needed.
	opened *Object
}

func readLive(in Input) (*liveObjects, error) {
	if o, ok := in.(*Object); ok && o != nil {
		if err := o.usable(); err != nil {
			return nil, err
		}
		l := &liveObjects{byName: map[groupKindName][]int{}}
		l.add(liveObject{Object: manifest.Object{Value: o.Value, Document: &document.Document{Root: o.Value}}, opened: o})
		l.given = 1
		return l, nil
	}
	found, err := objects(in)
	if err != nil {
		return nil, err
	}
	l := &liveObjects{byName: make(map[groupKindName][]int, len(found)), given: len(found)}
	for _, o := range found {
		if o.Value.Kind() != document.Object {
			return nil, &Error{Position: o.Position(), Err: ErrInput, message: "expected a live object, found a " + o.Value.Kind().String()}
		}
		l.add(liveObject{Object: o})
		l.owned = l.owned || o.Value.Lookup("metadata", "managedFields").Len() > 0
	}
	return l, nil
}

// add indexes an object by its name. Of several objects with the same name and namespace
// the first is used.
func (l *liveObjects) add(o liveObject) {
	o.namespace = o.Value.Lookup("metadata", "namespace").StringOr("")
	name := nameOf(o.Value)
	l.all = append(l.all, o)
	l.byName[name] = append(l.byName[name], len(l.all)-1)
}

// terminating reports whether a namespace is among the live objects and being deleted.
func (l *liveObjects) terminating(namespace string) bool {
	found := l.byName[groupKindName{"", "Namespace", namespace}]
	return len(found) > 0 && l.all[found[0]].Value.Lookup("metadata", "deletionTimestamp").Kind() == document.String
}

func nameOf(v document.Value) groupKindName {
	group, _, _ := schema.SplitAPIVersion(v.Get("apiVersion").StringOr(""))
	return groupKindName{group, v.Get("kind").StringOr(""), v.Lookup("metadata", "name").StringOr("")}
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
	scale := c.Subresource == "scale" && o.Kind() == "Scale"
	if !o.Typed() || scale {
		if missing := missingType(o, c.Action); missing != "" {
			return m, &fieldProblem{nil, missing, ErrInput}
		}
		return m, l.matchUntyped(live, m, c)
	}
	name := nameOf(o.Value)
	candidates := live.byName[name]
	if name.name == "" && c.Action != ActionCreate {
		candidates = live.ofKind(name)
		if len(candidates) != 1 || c.Action == "" || c.Action.creates() {
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

// ofKind returns the indices of all live objects of a kind.
func (l *liveObjects) ofKind(name groupKindName) []int {
	var found []int
	for i, o := range l.all {
		if n := nameOf(o.Value); n.group == name.group && n.kind == name.kind {
			found = append(found, i)
		}
	}
	return found
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

// matchUntyped finds the live object for a patch without a kind, or for a Scale: the only one, or the only
// one with its name and in the namespace of the change or of the Scale.
func (l *Lab) matchUntyped(live *liveObjects, m *matched, c Change) error {
	candidates := make([]int, 0, 1)
	name, others := m.Value.Lookup("metadata", "name").StringOr(""), 0
	namespace, isScale := c.Namespace, m.Value.Get("kind").StringOr("") == "Scale"
	if isScale {
		namespace = cmp.Or(m.Value.Lookup("metadata", "namespace").StringOr(""), c.Namespace)
	}
	for i, o := range live.all {
		switch {
		case name != "" && o.Value.Lookup("metadata", "name").StringOr("") != name:
		case namespace != "" && o.namespace != "" && o.namespace != namespace:
			others++
		case isScale && !l.hasScale(o.Value):
		default:
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 && others > 0 {
		text := fmt.Sprintf("there is no live object for the patch in the namespace %q", namespace)
		if namespace == c.Namespace {
			text += " (--namespace)"
		}
		return &fieldProblem{nil, text, ErrNoMatch}
	}
	if len(candidates) == 0 && name != "" && len(live.all) > 0 {
		return &fieldProblem{document.Keys("metadata", "name"), fmt.Sprintf("there is no live object with the name %q", name), ErrNoMatch}
	}
	if len(candidates) != 1 {
		if k := m.Value.Kind(); k != document.Object && k != document.List {
			return &fieldProblem{nil, "expected an object or a patch, found a " + k.String(), ErrInput}
		}
		if m.Value.Kind() == document.List {
			return &fieldProblem{nil, fmt.Sprintf("a JSON patch does not name its object, and there %s; provide exactly one live object", countLive(len(live.all))), ErrNoMatch}
		}
		if isScale && len(candidates) > 1 {
			return &fieldProblem{nil, "the Scale matches " + live.list(candidates) + "; set metadata.name and metadata.namespace", ErrNoMatch}
		}
		return &fieldProblem{nil, fmt.Sprintf("the patch has no apiVersion and kind, and there %s; provide exactly one live object, or apiVersion, kind and metadata.name in the patch and its type",
			countLive(len(live.all))), ErrNoMatch}
	}
	m.at = candidates[0]
	o := live.all[m.at]
	if err := o.identified(); err != nil {
		return err
	}
	if err := l.identify(m, o.Value, o.namespace != "", c); err != nil {
		return err
	}
	m.target.Name = o.Value.Lookup("metadata", "name").StringOr("")
	if m.kind.Namespaced {
		m.target.Namespace = cmp.Or(o.namespace, c.Namespace, c.DefaultNamespace, "default")
	}
	return nil
}

// identified returns an error with the position in the live input if a live object lacks a part
// of its identity, which a patch without a kind takes from it.
func (o liveObject) identified() error {
	for _, field := range [...][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
		if o.Value.Lookup(field...).StringOr("") == "" {
			return &Error{Position: o.PositionOf(document.Keys(field...)), Err: ErrInput,
				message: "a live object requires apiVersion, kind and metadata.name; " + strings.Join(field, ".") + " is missing"}
		}
	}
	return nil
}

func countLive(n int) string {
	switch n {
	case 0:
		return "is no live object"
	case 1:
		return "is 1 live object"
	}
	return fmt.Sprintf("are %d live objects", n)
}

// hasScale reports whether the kind of an object has a scale subresource, or is not known.
func (l *Lab) hasScale(object document.Value) bool {
	k, known := l.Kinds().Of(object)
	return !known || k.Scale != nil
}

// list names live objects.
func (l *liveObjects) list(of []int) string {
	names := make([]string, len(of))
	for i, at := range of {
		o := l.all[at]
		names[i] = Target{Kind: o.Value.Get("kind").StringOr(""), Namespace: o.namespace, Name: o.Value.Lookup("metadata", "name").StringOr("")}.String()
	}
	return firstOf(names)
}

// firstOf lists names: the first five, and the number of the others.
func firstOf(names []string) string {
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), strconv.Itoa(more)+" more")
	}
	return strings.Join(names, ", ")
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
