package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// patchBody is a parsed patch.
type patchBody struct {
	value document.Value
	// problems are its duplicate keys and, for a JSON patch, the unknown members of
	// operations.
	problems []Problem
	// duplicates are the paths of its duplicate keys.
	duplicates []document.Path
}

// checkSyntax refuses a patch that is not JSON, or not YAML for an apply, before the live object
// is read. Kubernetes does so from 1.37 on, because the audit log needs a valid patch.
func (t *task) checkSyntax() *Status {
	if !t.kinds.Catalog().Since("1.37") {
		return nil
	}
	_, st := t.parsePatch()
	return st
}

// parsePatch parses the patch, once per task. Before Kubernetes 1.37 the API server does so only
// after it has found the live object.
func (t *task) parsePatch() (*patchBody, *Status) {
	if t.patch != nil {
		return t.patch, nil
	}
	var err error
	doc := t.Document
	switch {
	case doc != nil:
	case t.Format == ApplyPatch:
		doc, err = document.ParseYAML(t.Body, document.Options{Duplicates: document.DuplicatesLast})
	default:
		doc, err = document.Parse(t.Body, document.Options{Duplicates: document.DuplicatesLast})
	}
	if err != nil {
		what := "error decoding patch"
		switch {
		case t.Format == ApplyPatch:
			what = "error decoding " + t.configurationText()
		case t.kinds.Catalog().Since("1.37"):
			what = "invalid JSON patch"
		}
		return nil, syntaxStatus("", t.bodyError(what+": "+err.Error(), err))
	}
	root := doc.Root
	if t.Document != nil && t.Format == ApplyPatch && root.Exists() {
		root = reread(root, document.Value{}) // convert numbers as a YAML decoder does, for which 1.0 is the integer 1
	}
	body := &patchBody{value: root, problems: duplicateProblems(doc, t.Format == ApplyPatch)}
	for _, d := range doc.Duplicates {
		body.duplicates = append(body.duplicates, d.Path)
	}
	if t.Format == JSONPatch {
		for i, p := range body.problems {
			body.problems[i].Message = "json patch " + p.Message
		}
		body.problems = mergeProblems(doc, body.problems, unknownOperationMembers(doc.Root), true, nil)
	}
	t.patch = body
	return body, nil
}

// unknownOperationMembers reports the members of JSON patch operations that RFC 6902 does not
// define.
func unknownOperationMembers(ops document.Value) []Problem {
	var problems []Problem
	for i, op := range ops.Items() {
		for key := range op.Members() {
			switch key {
			case "op", "path", "from", "value":
			default:
				problems = append(problems, Problem{Path: document.Path{}.Item(i).Child(key), Message: fmt.Sprintf("json patch unknown field %q", fmt.Sprintf("[%d].%s", i, key))})
			}
		}
	}
	return problems
}

// patched applies a JSON, merge or strategic merge patch to the live object and decodes the
// result.
func (t *task) patched(live fieldmanager.Object) (document.Value, *Status) {
	body, st := t.parsePatch()
	if st != nil {
		return document.Value{}, st
	}
	k := t.ep.body
	from := defaults.FromJSON
	object := live.Join()
	var next document.Value
	var err error
	o := patch.Options{Engine: t.config.PatchEngine, IgnoreFieldTypes: t.strictness() == validateIgnore, Observer: t.patchObserver()}
	switch t.Format {
	case JSONPatch:
		next, err = patch.JSON(object, body.value, o)
	case MergePatch:
		next, err = patch.Merge(object, body.value, o)
	default:
		from = defaults.FromTree
		next, err = patch.Strategic(object, body.value, k.Type(), o)
	}
	if err != nil && t.Format == MergePatch && body.value.Kind() == document.List && t.strictness() == validateIgnore {
		// The result of a merge patch that is a list is that list (RFC 7396). The API server
		// refuses the patch only to look for unknown fields, and otherwise its result.
		return document.Value{}, resultStatus(body.value.String(), err.Error(), t.bodyError(err.Error(), err))
	}
	if err != nil {
		return document.Value{}, t.patchStatus(err)
	}
	t.passedBody(StageSent, next)
	result, problems := next, body.problems
	if t.Format == JSONPatch {
		problems = append(problems[:len(problems):len(problems)], carriedDuplicates(k, body, next)...)
	}
	next, st = t.decodePatched(k, next, object, from, problems)
	if st != nil && t.Format != StrategicPatch && st.Code == 422 {
		st.Err = &ResultError{Live: object, Kind: k, Patch: t.text(), Format: t.Format, Result: result.String(), Err: st.Err}
	}
	return next, st
}

// carriedDuplicates reports the duplicate keys within values of a JSON patch that became part
// of the object. The API server inserts such a value as raw text and finds its duplicate keys
// when it decodes the patched object, except in values whose Go type decodes itself.
func carriedDuplicates(k *schema.Kind, body *patchBody, object document.Value) []Problem {
	var problems []Problem
	for _, path := range body.duplicates {
		if len(path) < 3 || path[1] != document.FieldStep("value") {
			continue
		}
		op := body.value.Follow(path[:1])
		switch op.Get("op").StringOr("") {
		case "add", "replace":
		default:
			continue
		}
		at, ok := follow(object, op.Get("path").StringOr(""))
		if at = append(at, path[2:]...); ok && object.Follow(at).Exists() && !(k.Builtin && defaults.InOpaque(k.Type(), at)) {
			problems = append(problems, Problem{Path: at, Message: fmt.Sprintf("duplicate field %q", schema.FieldText(at)), Duplicate: true})
		}
	}
	return problems
}

// follow converts a JSON pointer (RFC 6901) to a path in an object; "-" is the last item of a
// list.
func follow(object document.Value, pointer string) (document.Path, bool) {
	var path document.Path
	here := object
	for token := range jsonpointer.Tokens(pointer) {
		if here.Kind() != document.List {
			path = append(path, document.Keys(token)...)
			here = here.Get(token)
			continue
		}
		i := here.Len() - 1
		if token != "-" {
			var err error
			if i, err = strconv.Atoi(token); err != nil || i < 0 {
				return nil, false
			}
		}
		path = append(path, document.IndexStep(i))
		here = here.Follow(path[len(path)-1:])
	}
	return path, true
}

// patchStatus converts the error of a patch to a Status.
func (t *task) patchStatus(err error) *Status {
	var e *patch.Error
	if !errors.As(err, &e) {
		return plainError(err)
	}
	switch e.Code() {
	case 400:
		return syntaxStatus("", t.bodyError(err.Error(), err))
	case 413:
		st := tooLarge("Request entity too large: " + err.Error()) // apimachinery's NewRequestEntityTooLargeError
		st.Err = err
		return st
	case 422:
		return unprocessable(err.Error(), err)
	}
	return plainError(err)
}

// decodePatched decodes the result of a patch. Errors in it are attributed to the patch, with
// code 422. live is the live object with its managedFields, which are decoded in their serialized form.
func (t *task) decodePatched(k *schema.Kind, next, live document.Value, from defaults.Source, problems []Problem) (document.Value, *Status) {
	result := next
	refused := func(err error) (document.Value, *Status) {
		value := result.String()
		if t.Format == StrategicPatch {
			value = gotext.Of(t.patch.value)
		}
		return document.Value{}, resultStatus(value, err.Error(), err)
	}
	next, lost, early := t.patchedType(k, next, from)
	if early != nil {
		if early.Code == 422 {
			return refused(cmp.Or[error](early.Err, errors.New(early.Message)))
		}
		return document.Value{}, early
	}
	if other := t.otherVersion(k, next); other != nil {
		decoded, unknown, err := t.decode(other, next, from)
		if err != nil {
			return refused(err)
		}
		filled, err := t.fill(other, decoded)
		if err != nil {
			return document.Value{}, plainError(err)
		}
		next, from = defaults.Convert(filled, k), defaults.FromTree
		lost = append(lost, unknown...)
	}
	if !t.basis.decodedFor(k).Exists() {
		live = document.Value{}
	}
	value, unknown, err := t.decodeNext(k, next, live, from)
	if err != nil {
		return refused(err)
	}
	all := slices.Concat(problems, lost, unknown)
	if len(all) > 0 && t.strictness() == validateStrict {
		return refused(&StrictError{all})
	}
	if t.strictness() != validateWarn {
		all = nil
	}
	t.problems = all
	t.passedBody(StageDecoded, value)
	filled, err := t.fillNext(k, value)
	if err != nil {
		return document.Value{}, plainError(err)
	}
	t.warnings = append(t.warnings, messages(all)...)
	return filled, nil
}

// resultStatus returns the error for a patch whose result cannot be decoded.
func resultStatus(value, why string, err error) *Status {
	st := invalid(groupResource{}, "", []Cause{invalidValue("patch", strconv.Quote(value), why)})
	st.Err = err
	return st
}

// ownType sets apiVersion and kind in the result of a strategic merge patch to those of the
// endpoint. The patch may contain other ones, provided they are strings: the API server
// decodes the result into the Go type of the endpoint.
func (t *task) ownType(k *schema.Kind, v document.Value) (document.Value, *Status) {
	if st := t.typeIsText(v); st != nil {
		return v, st
	}
	return v.With("apiVersion", document.NewString(k.APIVersion())).With("kind", document.NewString(k.Kind)), nil
}

// typeIsText refuses the result of a patch whose apiVersion or kind is neither a string nor null.
func (t *task) typeIsText(v document.Value) *Status {
	for _, key := range [...]string{"apiVersion", "kind"} {
		if m := v.Get(key); m.Exists() && !m.IsNull() && m.Kind() != document.String {
			e := t.bodyError("the patched object has "+article(m.Kind())+" as its "+key+", expected a string", nil)
			e.Member, e.Value = key, m
			return unprocessable(e.Message, e)
		}
	}
	return nil
}

// customType checks apiVersion and kind of the result of a patch of a custom resource
// (apimachinery, UnstructuredJSONScheme, and the decoder for custom resources of
// apiextensions-apiserver).
func customType(v document.Value) *Status {
	version := v.Get("apiVersion")
	text, _ := version.Text()
	_, _, parsed := schema.SplitAPIVersion(text)
	switch {
	case v.Get("kind").StringOr("") == "":
		return unprocessable("Object 'Kind' is missing in '"+v.String()+"'", nil)
	case version.IsNull():
		return unprocessable(accessorError(".apiVersion", version, "string"), nil)
	case text == "":
		return internalError(errors.New("Object 'apiVersion' is missing in 'object has no apiVersion field'"))
	case !parsed:
		return unprocessable("unexpected GroupVersion string: "+text, nil)
	}
	return nil
}

// patchedType checks apiVersion and kind of the result of a patch.
func (t *task) patchedType(k *schema.Kind, v document.Value, from defaults.Source) (document.Value, []Problem, *Status) {
	if v.Kind() != document.Object {
		why := "the result of the patch is " + article(v.Kind()) + ", expected an object"
		return v, nil, unprocessable(why, &BodyError{Body: v.JSON(), Format: JSON, Message: why})
	}
	if k.Builtin && from == defaults.FromTree {
		v, st := t.ownType(k, v)
		return v, nil, st
	}
	if st := t.typeIsText(v); st != nil {
		return v, nil, st
	}
	if !k.Builtin {
		return v, nil, customType(v)
	}
	return t.builtinType(k, v)
}

// builtinType checks apiVersion and kind of the result of a JSON or merge patch of a built-in kind.
// One without an apiVersion cannot be decoded and loses its fields. One of another version that the
// API server can decode is converted; see otherVersion for the versions that are served.
func (t *task) builtinType(k *schema.Kind, v document.Value) (document.Value, []Problem, *Status) {
	version, kind := v.Get("apiVersion").StringOr(""), v.Get("kind").StringOr("")
	if _, _, parsed := schema.SplitAPIVersion(version); !parsed {
		return v, nil, unprocessable("unexpected GroupVersion string: "+version, nil)
	}
	if kind != "" && kind != k.Kind {
		if version == "" {
			v = v.With("apiVersion", document.NewString(k.APIVersion()))
		}
		return v, nil, unprocessable(otherKind(v, k, t.kinds.Catalog()), nil)
	}
	if version == "" {
		var lost []Problem
		for key := range v.Members() {
			if key != "apiVersion" && key != "kind" {
				lost = append(lost, Problem{Path: document.Keys(key), Message: fmt.Sprintf("unknown field %q", key)})
			}
		}
		return empty(k), lost, nil
	}
	if kind == "" {
		v = v.With("kind", document.NewString(k.Kind))
	}
	if version == k.APIVersion() || t.otherVersion(k, v) != nil {
		return v, nil, nil
	}
	if kinds.FormerVersion(k, version) {
		return v.With("apiVersion", document.NewString(k.APIVersion())), nil, nil
	}
	if why := otherKind(v, k, t.kinds.Catalog()); why != "" {
		return v, nil, unprocessable(why, nil)
	}
	return v, nil, unprocessable("no kind "+strconv.Quote(k.Kind)+" is registered for version "+strconv.Quote(version)+", or its objects have another form than those of "+k.APIVersion(), nil)
}

// otherVersion returns the kind in the version of a patched object, if this is another one that
// is served, and nil otherwise.
func (t *task) otherVersion(k *schema.Kind, v document.Value) *schema.Kind {
	version := v.Get("apiVersion").StringOr("")
	if !k.Builtin || version == k.APIVersion() {
		return nil
	}
	group, name, _ := schema.SplitAPIVersion(version)
	if group != k.Group {
		return nil
	}
	other, _ := t.kinds.Catalog().Kind(schema.GroupVersionKind{Group: group, Version: name, Kind: k.Kind})
	return other
}

// checkName refuses an object whose name or namespace differs from the request's.
func (t *task) checkName(object document.Value) *Status {
	name, namespace := meta(object, "name"), meta(object, "namespace")
	switch {
	case name == "":
		return badRequest("the name of the object (" + t.Name + " based on URL) was undeterminable: name must be provided")
	case name != t.Name:
		return badRequest("the name of the object (" + name + ") does not match the name on the URL (" + t.Name + ")")
	case t.Namespace != "" && namespace != "" && namespace != t.Namespace:
		return badRequest("the namespace of the object (" + namespace + ") does not match the namespace on the request (" + t.Namespace + ")")
	}
	return nil
}

// inNamespace sets the object's namespace to the request's.
func (t *task) inNamespace(object document.Value) (document.Value, *Status) {
	wanted := t.Namespace
	if !t.ep.kind.Namespaced {
		wanted = ""
	}
	got := meta(object, "namespace")
	switch {
	case got == wanted && got != "":
		return object, nil
	case got == "" || wanted == "":
		return withMetaText(object, "namespace", wanted), nil
	}
	return object, badRequest("the namespace of the provided object does not match the namespace sent on the request")
}

// afterMutation is the suffix of the API server's warning about duplicate owner references in
// a patch. It is there whether or not admission changed the object.
const afterMutation = " after mutating admission happens"

// withoutDuplicateOwners removes duplicate owner references and warns about them. when is a suffix of the
// warning, for the point at which they were found; it may be empty.
func (t *task) withoutDuplicateOwners(object document.Value, when string) document.Value {
	refs := object.Get("metadata").Get("ownerReferences")
	if refs.Kind() != document.List || refs.Len() < 2 {
		return object
	}
	var kept document.ListBuilder
	var twice []string
	seen := map[string]bool{}
	for _, ref := range refs.Items() {
		text := ref.String()
		if seen[text] {
			twice = append(twice, ref.Get("uid").StringOr(""))
			continue
		}
		seen[text] = true
		kept.Append(ref)
	}
	if len(twice) == 0 {
		return object
	}
	t.warn(".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(twice, ", "))
	return withMeta(object, "ownerReferences", kept.List())
}
