package cluster

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// decodeError says that an object cannot be what its kind asks for. A body is
// then answered with 400, the result of a patch with 422.
type decodeError struct{ err error }

func (e *decodeError) Error() string { return e.err.Error() }
func (e *decodeError) Unwrap() error { return e.err }

// parseBody parses the object of a create or update, by the format of the request.
// Duplicate keys are returned as problems; they are not errors.
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
		return nil, nil, syntaxStatus("the object provided is unrecognized (must be of type "+k.Kind+")", err)
	}
	return doc, duplicateProblems(doc, t.Format == YAML), nil
}

// syntaxStatus answers a text that could not be read.
func syntaxStatus(what string, err error) *Status {
	message := what + ": " + err.Error()
	if errors.Is(err, document.ErrTooLarge) {
		return tooLarge(message)
	}
	st := badRequest(message)
	st.Err = err
	return st
}

// duplicateProblems words the duplicate keys as the API server's decoders do.
func duplicateProblems(doc *document.Document, yaml bool) []Problem {
	var problems []Problem
	for _, d := range doc.Duplicates {
		message := fmt.Sprintf("duplicate field %q", schema.FieldText(d.Path))
		if yaml {
			message = fmt.Sprintf("line %d: key %q already set in map", d.Position.Line, lastKey(d.Path))
		}
		problems = append(problems, Problem{d.Path, message})
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

// decodeBody decodes the body of a create or update: its problems become
// warnings or, where the request is strict, an error.
func (t *task) decodeBody() *Status {
	k := t.ep.body
	doc, problems, st := t.parseBody(k)
	if st != nil {
		return st
	}
	root := doc.Root
	if root.Kind() != document.Object && !(k.Builtin && root.IsNull()) {
		return badRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): it is %s %s, not an object",
			k.Kind, article(root.Kind()), brief(t.text())))
	}
	if root, st = checkType(root, k, t.text); st != nil {
		return st
	}
	value, unknown, err := t.decode(k, root, defaults.FromJSON)
	if err != nil {
		return decodeStatus(k, root, err)
	}
	if problems = mergeProblems(doc, problems, unknown, k.Builtin && t.Format == JSON); len(problems) > maxProblems {
		problems = problems[:maxProblems]
	}
	if len(problems) > 0 {
		switch t.strictness() {
		case validateStrict:
			return decodeStatus(k, root, &StrictError{problems})
		case validateWarn:
			t.warnings = append(t.warnings, messages(problems)...)
		}
	}
	t.body = t.fill(k, value)
	t.receivedBody(root, value)
	return nil
}

// text returns the body for messages.
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

// brief shows the beginning of a body.
func brief(body []byte) string {
	body = bytes.ToValidUTF8(bytes.TrimSpace(body), []byte("?"))
	if len(body) > 30 {
		return string(body[:30]) + " ..."
	}
	return string(body)
}

// checkType compares the body's apiVersion and kind with the endpoint's and
// fills them in where a built-in kind may leave them out.
func checkType(v document.Value, k *schema.Kind, body func() []byte) (document.Value, *Status) {
	version, kind := v.Get("apiVersion"), v.Get("kind")
	unrecognized := func(why string) (document.Value, *Status) {
		return v, badRequest("the object provided is unrecognized (must be of type " + k.Kind + "): " + why + " (" + brief(body()) + ")")
	}
	for _, m := range [...]document.Value{version, kind} {
		if m.Exists() && !m.IsNull() && m.Kind() != document.String {
			return unrecognized("apiVersion and kind must be strings, found " + m.String())
		}
	}
	if kind.StringOr("") == "" {
		if !k.Builtin {
			return unrecognized("its kind is missing")
		}
		v = v.With("kind", document.NewString(k.Kind))
	}
	if version.StringOr("") == "" && k.Builtin {
		v = v.With("apiVersion", document.NewString(k.APIVersion()))
	}
	if k.Group == "" && v.Get("apiVersion").StringOr("") == "/"+k.Version { // read as the empty group
		v = v.With("apiVersion", document.NewString(k.APIVersion()))
	}
	if got := v.Get("apiVersion").StringOr(""); got != k.APIVersion() {
		return v, badRequest("the API version in the data (" + got + ") does not match the expected API version (" + k.APIVersion() + ")")
	}
	if got := v.Get("kind").StringOr(""); got != k.Kind && k.Builtin {
		return v, badRequest(got + " in version " + k.APIVersion() + " cannot be handled as a " + k.Kind)
	}
	return v, nil
}

func decodeStatus(k *schema.Kind, v document.Value, err error) *Status {
	st := badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", v.Get("kind").StringOr(k.Kind), k.Version, k.Kind, err))
	st.Err = err
	return st
}

// maxProblems is how many unknown fields and duplicate keys of a body are told, as
// by the API server's decoder (sigs.k8s.io/json).
const maxProblems = 100

// mergeProblems joins duplicate keys and unknown fields as the API server tells
// them. Reading JSON into a Go type (inText) it meets both in the order of the
// text, tells each field once, and does not look into an unknown one; in any other
// way it learns of unknown fields after the text was read. Of more than it tells the
// order is not looked for: each position costs a look through the text.
func mergeProblems(doc *document.Document, duplicates, unknown []Problem, inText bool) []Problem {
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
	told := map[string]bool{}
	for i, d := range doc.Duplicates {
		message := duplicates[i].Message
		if !told[message] && !within(fields, schema.FieldText(d.Path)) {
			all = append(all, at{duplicates[i], d.Position})
		}
		told[message] = inText
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
		slices.SortStableFunc(all, func(a, b at) int {
			return cmp.Or(a.where.Line-b.where.Line, a.where.Column-b.where.Column)
		})
	}
	out := make([]Problem, len(all))
	for i := range all {
		out[i] = all[i].Problem
	}
	return out
}

// within reports whether a field is one of those given or stands in one.
func within(fields map[string]bool, name string) bool {
	for i := range len(name) {
		if (name[i] == '.' || name[i] == '[') && fields[name[:i]] {
			return true
		}
	}
	return fields[name]
}

// decode returns what remains of an object of a kind: of a built-in one what its
// Go type holds, of a custom one what its schema does not prune.
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

// decodeNext is decode for the next state of a live object, which decoding does not
// change; live is absent where none is known.
func (t *task) decodeNext(k *schema.Kind, next, live document.Value, from defaults.Source) (document.Value, []Problem, error) {
	if !k.Builtin {
		return t.decodeCustom(k, next, live, from)
	}
	out, err := defaults.DecodeUpdate(k, next, live, from|defaults.InMemory)
	if err != nil {
		return next, nil, &decodeError{err}
	}
	if out.Stored && t.basis.kind == k {
		t.basis.next = out.Value
	}
	return keepReset(next, out.Value), problemsOf(out.Problems), nil
}

// fillNext fills in the defaults of the next state of the live object.
func (t *task) fillNext(k *schema.Kind, next document.Value) document.Value {
	next = t.fillUpdate(k, next, t.basis)
	if t.basis.kind == k {
		t.basis.filled = next
	}
	t.passedBody(StageDefaulted, next)
	return next
}

// keepReset puts an empty list of managedFields back that decoding a built-in
// kind left out: it asks to forget all managers.
func keepReset(v, out document.Value) document.Value {
	if sent := v.Lookup("metadata", "managedFields"); sent.Kind() == document.List && sent.Len() == 0 {
		return withMeta(out, "managedFields", sent)
	}
	return out
}

func problemsOf(found []defaults.Problem) []Problem {
	var problems []Problem
	for _, f := range found {
		problems = append(problems, Problem{f.Path, f.Message})
	}
	return problems
}

// decodeCustom reads the metadata into its type, prunes the rest by the schema
// and drops nulls that the schema does not allow
// (apiextensions-apiserver, unstructuredSchemaCoercer). An object that names
// another kind keeps everything but wrong metadata.
//
// live is an object that v was made from and that this does not change.
func (p *pipeline) decodeCustom(k *schema.Kind, v, live document.Value, from defaults.Source) (document.Value, []Problem, error) {
	var problems []Problem
	if metadata := v.Get("metadata"); metadata.Exists() && p.metadata != nil {
		// The body's numbers have become floats or integers and are printed again
		// before they are read into the metadata's type: 1e2 is the integer 100.
		before := live.Get("metadata")
		decoded, err := defaults.DecodeUpdate(p.metadata, inMetadata(reread(metadata, before)), inMetadata(before), from)
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
	v, unknown := structural.PruneUpdate(t, v, live)
	for _, path := range unknown {
		problems = append(problems, Problem{path, fmt.Sprintf("unknown field %q", schema.FieldText(path))})
	}
	v = structural.DropNullsUpdate(t, v, live)
	if p.strategy(k).Embedded {
		e := &embeddedDecoder{pipeline: p, from: from}
		v = e.value(t, v, live)
		return v, append(problems, e.problems...), e.err
	}
	return v, problems, nil
}

// inMetadata returns an object that holds nothing but metadata.
func inMetadata(metadata document.Value) document.Value {
	return document.Value{}.With("metadata", metadata)
}

// typeIn returns a custom kind's type in a version of its group; of a version
// that is not served nothing is known.
func (p *pipeline) typeIn(k *schema.Kind, version string) *schema.Type {
	if version == k.Version {
		return k.Type()
	}
	other, ok := p.kinds.Kind(schema.GroupVersionKind{Group: k.Group, Version: version, Kind: k.Kind})
	if !ok {
		return &schema.Type{Map: &schema.MapType{}}
	}
	return other.Type()
}

// pruned returns a custom resource without what its kind does not know.
func pruned(k *schema.Kind, v document.Value) document.Value {
	v, _ = structural.Prune(k.Type(), v)
	return v
}

// fill puts defaults in.
func (p *pipeline) fill(k *schema.Kind, v document.Value) document.Value {
	return p.fillUpdate(k, v, basis{})
}

// fillUpdate is fill for an object that was made from that of a basis.
func (p *pipeline) fillUpdate(k *schema.Kind, v document.Value, b basis) document.Value {
	if !k.Builtin {
		return structural.DefaultUpdate(k.Type(), v, b.filledFor(k))
	}
	if p.rules == nil {
		return v
	}
	return p.rules.ApplyUpdate(k, v, b.filledFor(k), defaults.Options{Now: p.config.Now()})
}
