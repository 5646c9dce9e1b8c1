package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// decodeError reports that a value cannot be decoded into its kind. The status code is 400 for
// a body and 422 for the result of a patch.
type decodeError struct{ err error }

func (e *decodeError) Error() string { return e.err.Error() }
func (e *decodeError) Unwrap() error { return e.err }

// parseBody parses the body of a create or update in the request's format. Duplicate keys are
// returned as problems, not as errors.
func (t *task) parseBody(k *schema.Kind) (*document.Document, []Problem, *Status) {
	if t.Document != nil {
		return t.Document, duplicateProblems(t.Document, t.Format == YAML), nil
	}
	o := document.Options{Duplicates: document.DuplicatesLast}
	if k.Builtin {
		o.Duplicates = document.DuplicatesMerged
	}
	var doc *document.Document
	var err error
	if t.Format == YAML {
		doc, err = document.ParseYAML(t.Body, o)
	} else {
		doc, err = document.Parse(t.Body, o)
	}
	if err != nil {
		return nil, nil, t.unrecognizedStatus(k, err.Error(), err)
	}
	return doc, duplicateProblems(doc, t.Format == YAML), nil
}

// unrecognizedStatus returns the error for a body that is not an object of kind k.
func (t *task) unrecognizedStatus(k *schema.Kind, why string, err error) *Status {
	e := t.bodyError(why, err)
	e.Kind = k.Kind
	return syntaxStatus("the object provided is unrecognized (must be of type "+k.Kind+"): ", e)
}

// duplicateProblems reports duplicate keys with the messages of the API server's JSON and YAML
// decoders.
func duplicateProblems(doc *document.Document, yaml bool) []Problem {
	var problems []Problem
	for _, d := range doc.Duplicates {
		message := fmt.Sprintf("duplicate field %q", schema.FieldText(d.Path))
		if yaml {
			message = fmt.Sprintf("line %d: key %q already set in map", d.Position.Line, lastKey(d.Path))
		}
		problems = append(problems, Problem{Path: d.Path, Message: message, Duplicate: true, yamlKey: yaml})
	}
	return problems
}

func lastKey(p document.Path) string {
	if len(p) == 0 {
		return ""
	}
	name, _ := p[len(p)-1].Name()
	return name
}

// decodeBody decodes the body of a create or update. According to fieldValidation, its
// problems become warnings or an error, or are ignored.
func (t *task) decodeBody() *Status {
	k := t.ep.body
	doc, duplicates, st := t.parseBody(k)
	if st != nil {
		return st
	}
	root, st := t.typedBody(k, doc.Root)
	if st != nil {
		return st
	}
	if k == t.ep.kind {
		t.basis.kind = k // a new object is made from its body; see basis.filled and basis.next
	}
	value, unknown, err := t.decodeNext(k, root, document.Value{}, defaults.FromJSON)
	if err != nil {
		return decodeStatus(k, root, err)
	}
	problems := mergeProblems(doc, duplicates, unknown, k.Builtin && t.Format == JSON, k.Type())
	if err := t.reportProblems(problems[:min(len(problems), maxProblems)]); err != nil {
		return decodeStatus(k, root, err)
	}
	if st := checkVersion(root, k); st != nil { // a custom resource is decoded first, in its own version
		return st.warning(t.warnings)
	}
	if t.body, err = t.fill(k, value); err != nil {
		return plainError(err)
	}
	if t.basis.kind == k {
		t.basis.fill(value, t.body)
	}
	t.receivedBody(root, value)
	return nil
}

// typedBody checks that a body is an object with the type of the endpoint, and sets a type that is
// missing. The version of a custom resource is checked only when it has been decoded.
func (t *task) typedBody(k *schema.Kind, root document.Value) (document.Value, *Status) {
	if root.Kind() != document.Object && !root.IsNull() {
		return root, t.unrecognizedStatus(k, "expected an object, got "+article(root.Kind())+" "+nonObjectText(t.text()), nil)
	}
	for _, key := range [...]string{"apiVersion", "kind"} {
		if m := root.Get(key); m.Exists() && !m.IsNull() && m.Kind() != document.String {
			return root, t.unrecognizedStatus(k, "apiVersion and kind must be strings, got "+m.String(), nil)
		}
	}
	if t.ep.sub == subEviction && root.Get("apiVersion").StringOr("") == "policy/v1beta1" { // still accepted (EvictionREST.AcceptsGroupVersion)
		root = root.With("apiVersion", document.NewString(k.APIVersion()))
	}
	t.unversioned = root.Get("apiVersion").StringOr("") == ""
	root, st := checkType(root, k, t.kinds.Catalog(), t.text, t.strictness() == validateIgnore)
	if st == nil && k.Builtin {
		st = checkVersion(root, k)
	}
	return root, st
}

// reportProblems makes the problems of a body warnings or, under strict field validation, an error.
// Those of protobuf, whose decoder drops unknown fields, are not reported.
func (t *task) reportProblems(problems []Problem) error {
	if len(problems) == 0 || t.Format == Protobuf {
		return nil
	}
	switch t.strictness() {
	case validateStrict:
		return &StrictError{problems}
	case validateWarn:
		t.warnings = append(t.warnings, messages(problems)...)
		t.problems = problems
	}
	return nil
}

// text returns the body for use in error messages.
func (t *task) text() []byte {
	if t.Document != nil {
		return t.Document.Root.JSON()
	}
	return t.Body
}

func article(k document.Kind) string {
	if k == document.Object {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// nonObjectText returns the beginning of a body for the message that it is not an object.
func nonObjectText(body []byte) string {
	body = bytes.ToValidUTF8(bytes.TrimSpace(body), []byte("?"))
	if len(body) > 30 {
		return string(body[:30]) + " ..."
	}
	return string(body)
}

// checkType checks the kind in a body and the form of its apiVersion. For a built-in kind,
// missing ones are set.
//
// lenient is true if unknown fields are ignored, which kube-apiserver's decoder of custom resources words
// differently.
func checkType(v document.Value, k *schema.Kind, catalog *schema.Catalog, body func() []byte, lenient bool) (document.Value, *Status) {
	version, kind := v.Get("apiVersion"), v.Get("kind")
	unrecognized := func(why string) (document.Value, *Status) {
		return v, badRequest("the object provided is unrecognized (must be of type " + k.Kind + "): " + why + " (" + gotext.Summary(body()) + ")")
	}
	if kind.StringOr("") == "" {
		if !k.Builtin {
			text := string(body())
			if lenient && !strings.HasPrefix(text, "{") { // which converts YAML first
				text = v.String()
			}
			missing := "Object 'Kind' is missing in '" + text + "'"
			if lenient {
				return v, decodeStatus(k, v, errors.New(missing))
			}
			return unrecognized(missing)
		}
		v = v.With("kind", document.NewString(k.Kind))
	}
	sent := version.StringOr("")
	group, number, ok := schema.SplitAPIVersion(sent)
	switch {
	case !ok:
		return unrecognized("unexpected GroupVersion string: " + sent)
	case k.Builtin && number == "" && group != "" && group != k.Group:
		return v, badRequest(v.Get("kind").StringOr("") + " in version \"\" cannot be handled as a " + k.Kind + ": " + missingVersion(body()))
	}
	canonical := schema.CanonicalAPIVersion(sent)
	if k.Builtin && (canonical == "" || canonical == k.Group+"/") { // without a version, and without another group
		canonical = k.APIVersion()
	}
	if canonical != sent {
		v = v.With("apiVersion", document.NewString(canonical))
	}
	return v, inconvertible(v, k, catalog)
}

// missingVersion returns the message for a body whose apiVersion has no version.
func missingVersion(body []byte) string {
	return "Object 'apiVersion' is missing in '" + string(body) + "'"
}

// checkVersion refuses a body with another apiVersion than that of the endpoint.
func checkVersion(v document.Value, k *schema.Kind) *Status {
	if got := v.Get("apiVersion").StringOr(""); got != k.APIVersion() {
		return badRequest("the API version in the data (" + got + ") does not match the expected API version (" + k.APIVersion() + ")")
	}
	return nil
}

// inconvertible returns the status for an object that is not one of the built-in kind k; nil if at most its version
// differs.
func inconvertible(v document.Value, k *schema.Kind, catalog *schema.Catalog) *Status {
	why := otherKind(v, k, catalog)
	if why == "" {
		return nil
	}
	_, version, _ := schema.SplitAPIVersion(v.Get("apiVersion").StringOr(""))
	return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", v.Get("kind").StringOr(""), version, k.Kind, why))
}

// otherKind returns why an object is not one of the built-in kind k, in the words of apimachinery's scheme; "" if the
// kind may have the same name in the object's version: then the object can be converted, as Events and Ingresses
// between their groups. The scheme has alpha and beta versions that are no longer served, but all stable ones are.
// A Status has no version of its own.
func otherKind(v document.Value, k *schema.Kind, catalog *schema.Catalog) string {
	kind, apiVersion := v.Get("kind").StringOr(""), v.Get("apiVersion").StringOr("")
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !k.Builtin || !ok || apiVersion == k.APIVersion() && kind == k.Kind {
		return ""
	}
	known := registered(catalog, schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
	internal := version == internalVersion && (group == k.Group || catalog != nil && slices.Contains(catalog.Groups(), group))
	if kind == k.Kind && (catalog == nil || known || internal) {
		return ""
	}
	if known && (schemeOf(group) == schemeOf(k.Group) || kind == "Status") {
		if kind == "Status" {
			version = "v1"
		}
		return "converting (" + version + "." + kind + ") to (" + internalPackage(k.Group) + "." + k.Kind + "): unknown conversion"
	}
	return Unregistered(kind, schema.CanonicalAPIVersion(apiVersion))
}

// internalVersion is the version of the types in the memory of kube-apiserver, which its scheme has for each group.
const internalVersion = "__internal"

// Unregistered returns the message of apimachinery's scheme about a kind that a version does not have.
func Unregistered(kind, apiVersion string) string {
	if group, version, _ := schema.SplitAPIVersion(apiVersion); version == internalVersion {
		return fmt.Sprintf("no kind %q is registered for the internal version of group %q in scheme %q", kind, group, "pkg/runtime/scheme.go:111")
	}
	return fmt.Sprintf("no kind %q is registered for version %q in scheme %q", kind, apiVersion, "pkg/runtime/scheme.go:111")
}

// registered reports whether the scheme of kube-apiserver has a kind: one of the catalog, a list of these, or
// one that all versions have.
func registered(catalog *schema.Catalog, gvk schema.GroupVersionKind) bool {
	if catalog == nil {
		return false
	}
	switch gvk.Kind {
	case "Status":
		return true
	case "List":
		return gvk.Group == "" && gvk.Version == "v1"
	case "DeleteOptions", "WatchEvent":
		return slices.Contains(catalog.Groups(), gvk.Group)
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	_, ok := catalog.Kind(gvk)
	return ok || kinds.Decodes(gvk.Kind, gvk.APIVersion())
}

// schemeOf returns the name of the program whose scheme has the kinds of a group.
func schemeOf(group string) string {
	switch group {
	case "apiextensions.k8s.io", "apiregistration.k8s.io":
		return group
	}
	return ""
}

// internalPackage returns the Go package of the internal types of a group (k8s.io/kubernetes/pkg/apis).
func internalPackage(group string) string {
	switch group {
	case "", "events.k8s.io":
		return "core"
	case "internal.apiserver.k8s.io":
		return "apiserverinternal"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

func decodeStatus(k *schema.Kind, v document.Value, err error) *Status {
	version := k.Version
	if _, given, ok := schema.SplitAPIVersion(v.Get("apiVersion").StringOr("")); ok && !k.Builtin && given != "" {
		version = given
	}
	st := badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", v.Get("kind").StringOr(k.Kind), version, k.Kind, err))
	st.Err = err
	return st
}

// maxProblems is the maximum number of unknown fields and duplicate keys that are reported for
// a body, as in the API server's decoder (sigs.k8s.io/json).
const maxProblems = 100

// mergeProblems joins duplicate keys and unknown fields in the order in which the API server
// reports them. When it decodes JSON into a Go type (inText), such as the operations of a JSON
// patch, it reports both in document order, each field once, and does not descend into unknown
// fields, nor into values of the type whose Go type decodes itself; typed is nil if there are none. Otherwise it
// finds unknown fields only after parsing, so that they follow all duplicate keys. The order is not computed beyond maxProblems, because each position requires a scan of the
// text.
func mergeProblems(doc *document.Document, duplicates, unknown []Problem, inText bool, typed *schema.Type) []Problem {
	type at struct {
		Problem
		where document.Position
	}
	var all []at
	fields := map[string]bool{}
	if inText {
		for _, u := range unknown {
			fields[schema.FieldText(u.Path)] = true
		}
	}
	reported := map[string]bool{}
	for i, d := range doc.Duplicates {
		message := duplicates[i].Message
		if !reported[message] && !within(fields, schema.FieldText(d.Path)) && !(inText && defaults.InOpaque(typed, d.Path)) {
			all = append(all, at{duplicates[i], d.Position})
		}
		reported[message] = inText
	}
	sorted := inText && len(all)+len(unknown) <= maxProblems
	for _, u := range unknown {
		next := at{Problem: u}
		if sorted {
			next.where = doc.PositionOf(u.Path)
		}
		all = append(all, next)
	}
	if sorted {
		sort.SliceStable(all, func(a, b int) bool {
			x, y := all[a].where, all[b].where
			return x.Line < y.Line || x.Line == y.Line && x.Column < y.Column
		})
	}
	out := make([]Problem, len(all))
	for i := range all {
		out[i] = all[i].Problem
	}
	return out
}

// within reports whether the field called name is one of fields or lies within one.
func within(fields map[string]bool, name string) bool {
	for i := range len(name) {
		if (name[i] == '.' || name[i] == '[') && fields[name[:i]] {
			return true
		}
	}
	return fields[name]
}

// decode returns the part of an object that its kind keeps: the fields of the Go type for a
// built-in kind, and the fields that survive pruning for a custom one. The problems are the
// unknown fields.
func (p *pipeline) decode(k *schema.Kind, v document.Value, from defaults.Source) (document.Value, []Problem, error) {
	if !k.Builtin {
		return p.decodeCustom(k, v, document.Value{}, from)
	}
	out, found, err := defaults.Decode(k, v, from|defaults.InMemory)
	if err != nil {
		return v, nil, &decodeError{err}
	}
	return keepReset(v, out), problemsOf(found), nil
}

// decodeNext is decode for the next state of a live object that decoding leaves unchanged;
// live is absent if there is none.
func (t *task) decodeNext(k *schema.Kind, next, live document.Value, from defaults.Source) (document.Value, []Problem, error) {
	if !k.Builtin {
		return t.decodeCustom(k, next, live, from)
	}
	t.empties = writesEmpty(t.ep.strategy, k, next) || writesDropped(t.ep.strategy, k, next)
	if from == defaults.FromJSON && (t.Format == JSON || t.Format == JSONPatch) {
		from |= defaults.AsWritten // YAML is converted to JSON with sorted keys, as a merge patch is
	}
	out, err := defaults.DecodeUpdate(k, next, live, from|defaults.InMemory)
	if err != nil {
		return next, nil, &decodeError{err}
	}
	if t.written = (document.Value{}); out.Emptied {
		t.written = next
	}
	if out.Stored && t.basis.kind == k {
		t.basis.next = out.Value
	}
	return keepReset(next, out.Value), problemsOf(out.Problems), nil
}

// fillNext sets the defaults in the next state of the live object.
func (t *task) fillNext(k *schema.Kind, next document.Value) (document.Value, error) {
	filled, err := t.fillUpdate(k, next, t.basis)
	if err != nil {
		return next, err
	}
	if t.basis.kind == k {
		t.basis.fill(next, filled)
	}
	t.passedBody(StageDefaulted, filled)
	return filled, nil
}

// keepReset restores an empty managedFields list that decoding a built-in kind dropped: the
// client sends it to remove all managers.
func keepReset(v, out document.Value) document.Value {
	if sent := v.Lookup("metadata", "managedFields"); sent.Kind() == document.List && sent.Len() == 0 {
		return withMeta(out, "managedFields", sent)
	}
	return out
}

func problemsOf(found []defaults.Problem) []Problem {
	var problems []Problem
	for _, f := range found {
		problems = append(problems, Problem{Path: f.Path, Message: f.Message})
	}
	return problems
}

// decodeCustom decodes the metadata into its Go type, prunes all other fields by the schema
// and drops nulls that the schema does not allow (apiextensions-apiserver,
// unstructuredSchemaCoercer). An object with the apiVersion or kind of another kind is not
// pruned; only its metadata is decoded.
//
// live is the object that v was made from, if decodeCustom would leave it unchanged.
func (p *pipeline) decodeCustom(k *schema.Kind, v, live document.Value, from defaults.Source) (document.Value, []Problem, error) {
	var problems []Problem
	if metadata := v.Get("metadata"); metadata.Exists() && p.metadata != nil {
		// The API server encodes the metadata again before it decodes it into its Go type.
		// Numbers are integers or floats by then: 1e2 becomes the integer 100.
		before := live.Get("metadata")
		decoded, err := p.decodeMetadata(reread(metadata, before), before, from)
		if err != nil {
			return v, nil, &decodeError{err}
		}
		problems = problemsOf(decoded.Problems)
		if out := decoded.Value.Get("metadata"); !document.SameNode(out, metadata) {
			v = v.With("metadata", out)
		}
	}
	group, version, _ := schema.SplitAPIVersion(v.Get("apiVersion").StringOr(""))
	if group != k.Group || v.Get("kind").StringOr("") != k.Kind {
		return v, problems, nil
	}
	t := p.typeIn(k, version)
	if t != k.Type() {
		live = document.Value{}
	}
	v, more, err := p.coerce(k, t, v, live, from)
	return v, append(problems, more...), err
}

// coerce makes the fields of a custom resource below its metadata those of type t, which is the kind's
// in this or another version, and reports the fields that it prunes.
func (p *pipeline) coerce(k *schema.Kind, t *schema.Type, v, live document.Value, from defaults.Source) (document.Value, []Problem, error) {
	var problems []Problem
	v, unknown := structural.PruneUpdate(t, v, live)
	for _, path := range unknown {
		problems = append(problems, Problem{Path: path, Message: fmt.Sprintf("unknown field %q", schema.FieldText(path))})
	}
	v = structural.DropNullsUpdate(t, v, live)
	if !p.strategy(k).Embedded {
		return v, problems, nil
	}
	e := &embeddedDecoder{pipeline: p, from: from}
	v = e.value(t, v, live)
	return v, append(problems, e.problems...), e.err
}

// inMetadata returns an object with nothing but the given metadata.
func inMetadata(metadata document.Value) document.Value {
	return document.Value{}.With("metadata", metadata)
}

// typeIn returns the type of a custom kind in another version of its group. For a version that
// is not served it is a type without declared fields.
func (p *pipeline) typeIn(k *schema.Kind, version string) *schema.Type {
	if version == k.Version {
		return k.Type()
	}
	other, ok := p.kinds.Kind(schema.GroupVersionKind{Group: k.Group, Version: version, Kind: k.Kind})
	if !ok {
		return &schema.Type{Map: &schema.MapType{Object: true}}
	}
	return other.Type()
}

// fill sets the defaults of the kind. Those of a custom resource may be too long.
func (p *pipeline) fill(k *schema.Kind, v document.Value) (document.Value, error) {
	return p.fillUpdate(k, v, basis{})
}

// fillUpdate is fill for an object that was made from the live object of a basis.
func (p *pipeline) fillUpdate(k *schema.Kind, v document.Value, b basis) (document.Value, error) {
	if !k.Builtin {
		return structural.DefaultUpdate(k.Type(), v, b.filledFor(k))
	}
	if p.rules == nil {
		return v, nil
	}
	return p.rules.ApplyUpdate(k, v, b.filledFor(k), defaults.Options{Now: p.config.Now()}), nil
}
