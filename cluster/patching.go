package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// patchBody is a decoded patch.
type patchBody struct {
	value document.Value
	// problems are its duplicate keys and, in a JSON patch, unknown members.
	problems []Problem
	// duplicates are the keys that it holds twice.
	duplicates []document.Path
}

// parsePatch decodes the patch, once a task. A patch is looked at only when the
// object is known to exist, as the API server does it.
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
		return nil, syntaxStatus("error decoding patch", err)
	}
	root := doc.Root
	if t.Document != nil && t.Format == ApplyPatch && root.Exists() {
		root = reread(root, document.Value{}) // as YAML reads it, where 1.0 is the integer 1
	}
	body := &patchBody{value: root, problems: duplicateProblems(doc, t.Format == ApplyPatch)}
	for _, d := range doc.Duplicates {
		body.duplicates = append(body.duplicates, d.Path)
	}
	if t.Format == JSONPatch {
		for i, p := range body.problems {
			body.problems[i].Message = "json patch " + p.Message
		}
		body.problems = append(body.problems, unknownOperationMembers(doc.Root)...)
	}
	t.patch = body
	return body, nil
}

// unknownOperationMembers words the members of JSON patch operations that mean
// nothing.
func unknownOperationMembers(ops document.Value) []Problem {
	var problems []Problem
	if ops.Kind() != document.List {
		return nil
	}
	for i, op := range ops.Items() {
		if op.Kind() != document.Object {
			continue
		}
		for key := range op.Members() {
			switch key {
			case "op", "path", "from", "value":
			default:
				problems = append(problems, Problem{document.Path{}.Item(i).Child(key), fmt.Sprintf("json patch unknown field %q", fmt.Sprintf("[%d].%s", i, key))})
			}
		}
	}
	return problems
}

// patched applies a JSON, merge or strategic patch to the live object and
// decodes the result.
func (t *task) patched(live fieldmanager.Object) (document.Value, []string, *Status) {
	body, st := t.parsePatch()
	if st != nil {
		return document.Value{}, nil, st
	}
	k := t.ep.body
	from := defaults.FromJSON
	object := live.Join()
	t.joined = document.Value{}
	if t.basis.decodedFor(k).Exists() {
		t.joined = object // managers are decoded as they were printed
	}
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
	if err != nil {
		return document.Value{}, nil, patchStatus(err)
	}
	t.passedBody(StageSent, next)
	problems := body.problems
	if t.Format == JSONPatch {
		problems = append(problems[:len(problems):len(problems)], carriedDuplicates(body, next)...)
	}
	return t.decodePatched(k, next, from, problems)
}

// carriedDuplicates words the duplicate keys within the values of a JSON patch
// that ended up in the object: the API server puts a value there as it is
// written, and meets the keys again when it reads the object.
func carriedDuplicates(body *patchBody, object document.Value) []Problem {
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
		if at = append(at, path[2:]...); ok && object.Follow(at).Exists() {
			problems = append(problems, Problem{at, fmt.Sprintf("duplicate field %q", schema.FieldText(at))})
		}
	}
	return problems
}

// follow turns a JSON pointer (RFC 6901) into a path through an object; "-" is
// the last item of a list.
func follow(object document.Value, pointer string) (document.Path, bool) {
	var path document.Path
	tokens := strings.Split(pointer, "/")
	here := object
	for _, token := range tokens[1:] {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
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

// patchStatus answers a patch that could not be applied.
func patchStatus(err error) *Status {
	var e *patch.Error
	if !errors.As(err, &e) {
		return plainError(err)
	}
	switch e.Code() {
	case 400:
		st := badRequest(err.Error())
		st.Err = err
		return st
	case 413:
		st := tooLarge("Request entity too large: " + err.Error()) // apimachinery's NewRequestEntityTooLargeError
		st.Err = err
		return st
	case 422:
		return unprocessable(err.Error(), err)
	}
	return plainError(err)
}

// decodePatched reads the result of a patch as an object of the kind. Whatever
// is wrong with it is the patch's fault: 422.
func (t *task) decodePatched(k *schema.Kind, next document.Value, from defaults.Source, problems []Problem) (document.Value, []string, *Status) {
	sent := next
	refused := func(err error) (document.Value, []string, *Status) {
		value, why := next.String(), err.Error()
		if t.Format == StrategicPatch {
			value, why = goText(t.patch.value), unrestored(k, sent, err)
		}
		st := invalid(groupResource{}, "", []Cause{invalidValue("patch", strconv.Quote(value), why)})
		st.Err = err
		return document.Value{}, nil, st
	}
	next, lost, early := patchedType(k, next, from)
	if early != nil {
		if early.Code == 422 {
			return refused(errors.New(early.Message))
		}
		return document.Value{}, nil, early
	}
	value, unknown, err := t.decodeNext(k, next, t.joined, from)
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
	t.passedBody(StageDecoded, value)
	return t.fillNext(k, value), messages(all), nil
}

// ownType gives the result of a strategic merge patch the type of its endpoint,
// whatever the patch says it is, as long as it says so in strings: the API server
// fills the fields of a Go type that it has chosen before.
func ownType(k *schema.Kind, v document.Value) (document.Value, []Problem, *Status) {
	for _, own := range [][2]string{{"apiVersion", k.APIVersion()}, {"kind", k.Kind}} {
		if m := v.Get(own[0]); m.Exists() && !m.IsNull() && m.Kind() != document.String {
			return v, nil, unprocessable("the patch makes "+own[0]+" "+article(m.Kind())+", not a string", nil)
		}
		v = v.With(own[0], document.NewString(own[1]))
	}
	return v, nil, nil
}

// patchedType sees to apiVersion and kind of the result of a patch. Without an
// apiVersion a built-in object cannot be read: its fields are lost.
func patchedType(k *schema.Kind, v document.Value, from defaults.Source) (document.Value, []Problem, *Status) {
	if v.Kind() != document.Object {
		return v, nil, unprocessable("the result of the patch is "+article(v.Kind())+", not an object", nil)
	}
	if k.Builtin && from == defaults.FromTree {
		return ownType(k, v)
	}
	for _, key := range [...]string{"apiVersion", "kind"} {
		if m := v.Get(key); m.Exists() && !m.IsNull() && m.Kind() != document.String {
			return v, nil, unprocessable("the patch makes "+key+" "+article(m.Kind())+", not a string", nil)
		}
	}
	version, kind := v.Get("apiVersion").StringOr(""), v.Get("kind").StringOr("")
	if !k.Builtin {
		switch {
		case kind == "":
			return v, nil, unprocessable("the patch leaves no kind", nil)
		case version == "":
			return v, nil, internalError(errors.New("the patch leaves no apiVersion"))
		}
		return v, nil, nil
	}
	if kind != "" && kind != k.Kind {
		return v, nil, unprocessable("the patch makes the object a "+kind, nil)
	}
	if version == "" {
		var lost []Problem
		for key := range v.Members() {
			if key != "apiVersion" && key != "kind" {
				lost = append(lost, Problem{document.Keys(key), fmt.Sprintf("unknown field %q", key)})
			}
		}
		return empty(k), lost, nil
	}
	if kind == "" {
		v = v.With("kind", document.NewString(k.Kind))
	}
	if version != k.APIVersion() {
		return v, nil, unprocessable("the patch makes the apiVersion "+version+", the endpoint serves "+k.APIVersion(), nil)
	}
	return v, nil, nil
}

// checkName refuses an object whose name or namespace is not the request's.
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

// inNamespace gives an object the namespace of its request.
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

// afterMutation is what the API server adds to its warning about duplicate owner
// references for all patches, whether or not admission changed the object.
const afterMutation = " after mutating admission happens"

// oneOwnerEach removes duplicate owner references, and returns a warning about
// them. when is empty or says at which point they were found.
func oneOwnerEach(object document.Value, when string) (document.Value, []string) {
	refs := object.Get("metadata").Get("ownerReferences")
	if refs.Kind() != document.List || refs.Len() < 2 {
		return object, nil
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
		return object, nil
	}
	return withMeta(object, "ownerReferences", kept.List()),
		[]string{".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(twice, ", ")}
}
