package patchlab

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Run applies each document of changes to the live object that it matches, in order, and
// yields a Result or an error for each. The error is an *Error unless the input cannot be
// read at all: then it is the only result, such as a *document.SyntaxError for one file of many. A
// program that should report each such file calls Run for each file. A failed document does not stop
// the following ones. An object that several documents change is changed by each in turn.
//
// A document matches the live object with its group, kind, namespace and name; if live has
// that object twice, the first is used. A document without a namespace matches the object
// in Change.Namespace or, if that is "", the only live object with its kind and name. A
// document without a kind, such as a JSON patch, matches the only live object, or the only one with
// its metadata.name in Change.Namespace. If nothing matches, an apply or a create creates the object
// and any other change is refused.
func (l *Lab) Run(live, changes Input, c Change) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		objects, docs, err := l.read(live, changes, c)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, o := range docs {
			result, err := l.runOne(objects, o, c)
			if !yield(result, err) {
				return
			}
		}
	}
}

func (l *Lab) read(live, changes Input, c Change) (*liveObjects, []manifest.Object, error) {
	if err := l.usable(); err != nil {
		return nil, nil, err
	}
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	found, err := readLive(live)
	if err != nil {
		return nil, nil, err
	}
	docs, err := objects(changes)
	return found, docs, err
}

// single performs a change that must be exactly one document.
func (l *Lab) single(live, change Input, c Change) (*Result, error) {
	found, docs, err := l.read(live, change, c)
	if err != nil {
		return nil, err
	}
	switch len(docs) {
	case 1:
		return l.runOne(found, docs[0], c)
	case 0:
		return nil, fmt.Errorf("%w: the change has no document", ErrInput)
	}
	return nil, fmt.Errorf("%w: expected one object or patch, found %d; Run accepts several", ErrInput, len(docs))
}

// runOne performs the change of one document and stores the resulting object among the live
// ones.
func (l *Lab) runOne(live *liveObjects, o manifest.Object, c Change) (*Result, error) {
	m, err := l.match(live, o, c)
	if err != nil {
		return nil, located(err, o).about(m.target, c.Action)
	}
	w, err := l.prepare(live, m, c)
	if err != nil {
		return nil, located(err, o).about(m.target, c.Action)
	}
	if m.at < 0 && live.terminating(m.target.Namespace) {
		return nil, w.refused(cluster.NamespaceTerminating(m.kind, m.Value, m.target.Namespace))
	}
	result, err := w.do()
	if err != nil {
		return nil, w.refused(err)
	}
	if m.at >= 0 {
		live.all[m.at].opened = result.After
	} else {
		live.add(liveObject{Object: manifest.Object{Value: result.After.Value, Document: &document.Document{Root: result.After.Value}}, opened: result.After})
	}
	return result, nil
}

// write is the state of one change while it is performed.
type write struct {
	lab *Lab
	*matched
	change Change
	// live is the object before the change; nil if it does not exist.
	live  *Object
	notes []Note
	// kept holds the result of keptItems for the last list, because a refusal may have a cause for each of its items.
	kept  map[string]string
	noted *explain.Notes // nil unless Change.Explain is set
}

// prepare completes the options of the change and decodes the live object.
func (l *Lab) prepare(live *liveObjects, m *matched, c Change) (*write, error) {
	w := &write{lab: l, matched: m, change: c, notes: m.notes}
	if c.Explain {
		w.noted = &explain.Notes{}
	}
	if err := checkSubresource(m.kind, c.Subresource); err != nil {
		return nil, err
	}
	why := ""
	if c.Action == "" {
		if w.change.Action, why = c.detect(m.Value, m.kind); c.patchOnly {
			why = "" // the caller knows that it is a patch
		}
	}
	if c.FieldManager == "" {
		w.change.FieldManager = w.change.Action.manager()
	}
	if c.FieldValidation == "" {
		w.change.FieldValidation = w.change.Action.fieldValidation()
	}
	if c.Force && w.change.Action != ActionApply {
		return nil, &OptionError{"force", "only server-side apply can be forced; this is a " + w.change.Action.Title()}
	}
	if why != "" {
		w.notes = append(w.notes, NoteText(fmt.Sprintf("%s: %s as field manager %q", why, w.change.Action.Title(), w.change.FieldManager)))
	}
	if n := m.kind.Rules; n > 0 && !l.rules {
		w.notes = append(w.notes, RulesNotRun{Kind: m.kind.Kind, Rules: n})
	}
	if w.change.Action == ActionJSONPatch {
		w.notes = append(w.notes, withoutSlash(m.Value)...)
	}
	if m.at < 0 {
		return w, nil
	}
	if err := w.open(&live.all[m.at]); err != nil {
		return nil, err
	}
	if w.live.Value.Lookup("metadata", "deletionTimestamp").Exists() {
		w.notes = append(w.notes, NoteText("the live object is being deleted"))
	}
	if from := w.live.Managed.ClientAppliers(); len(from) > 0 && w.change.Action == ActionApply && w.change.Subresource == "" && !w.transfers() {
		w.notes = append(w.notes, keptByClientApply(strings.Join(from, ", "), w.change.FieldManager))
	}
	if m.at < live.given && w.withoutOwners(live, m.at) {
		w.notes = append(w.notes, NoteText("a live object has no managedFields, so its fields are owned by \"before-first-apply\"; "+
			"'kubectl get --show-managed-fields' exports them, if there are any"))
	}
	return w, nil
}

// withoutOwners reports whether the live object at an index comes from an API server but without
// managedFields, which an apply needs. If another live object has them, they were not omitted.
func (w *write) withoutOwners(live *liveObjects, at int) bool {
	return w.change.Action == ActionApply && w.live.Managed.Len() == 0 && live.all[at].Value.Lookup("metadata", "uid").Exists() &&
		!live.owned
}

// open decodes the live object, in the namespace of the target.
func (w *write) open(o *liveObject) error {
	if o.opened == nil {
		opened, err := w.lab.open(w.kind, o.Value)
		if err != nil {
			return &Error{Position: o.Position(), Err: err, message: "the live object: " + err.Error()}
		}
		stored := opened.Value.Lookup("metadata", "uid").Exists() // an API server returned it
		normal, unknown := w.lab.pipeline.Normalize(w.kind, opened.split())
		opened.Value = normal.Value
		if len(unknown) > 0 {
			w.notes = append(w.notes, omittedFields(unknown))
		}
		opened.Value = opened.Value.Remove("metadata", "selfLink")                    // which API servers before 1.20 set
		if !stored && opened.Value.Lookup("metadata", "creationTimestamp").IsNull() { // generators print null
			opened.Value = opened.Value.Remove("metadata", "creationTimestamp")
		}
		if !stored && !w.kind.Namespaced { // projects ship ClusterRoles with a namespace, which the API server drops
			opened.Value = opened.Value.Remove("metadata", "namespace")
		}
		o.opened = opened
	}
	w.live = o.opened
	if w.kind != w.live.Kind || w.target.Namespace != o.namespace && w.kind.Namespaced {
		moved := *w.live
		moved.Kind = w.kind
		if w.kind.Namespaced && o.namespace == "" {
			moved.Value = moved.Value.Set(document.NewString(w.target.Namespace), "metadata", "namespace")
		}
		w.live = &moved
	}
	return nil
}

// checkSubresource refuses a subresource that the kind does not have.
func checkSubresource(kind *schema.Kind, name string) error {
	if name == "" && kind.Kind == "Scale" && kind.Builtin {
		return &OptionError{"subresource", "a Scale is sent to the subresource scale of the object that it scales"}
	}
	if _, ok := kind.Subresource(name); ok || name == "" {
		return nil
	}
	var has []string
	for _, s := range kind.Subresources {
		has = append(has, s.Name)
	}
	if len(has) == 0 {
		return &OptionError{"subresource", fmt.Sprintf("%s has no subresource %q", kind.Kind, name)}
	}
	return &OptionError{"subresource", fmt.Sprintf("%s has no subresource %q; it has %s", kind.Kind, name, strings.Join(has, ", "))}
}

// do performs the change.
func (w *write) do() (*Result, error) {
	if w.change.Action == ActionClientApply {
		return w.clientApply()
	}
	verb, format := w.change.Action.format()
	r, err := w.send(verb, format, w.document())
	if err == nil && w.transfers() && w.live != nil {
		r = w.transfer(r)
	}
	return r, err
}

// transfers reports whether an apply transfers the fields of client-side apply.
func (w *write) transfers() bool {
	return w.change.TransferClientSide && w.change.Action == ActionApply && w.change.Subresource == ""
}

// document returns the change's document; an item of a List has no text of its own. Like
// kubectl, it adds the namespace to a configuration that has none: kube-apiserver copies the
// configuration into the last-applied annotation of an object that has one.
func (w *write) document() *document.Document {
	d := &document.Document{Root: w.Value}
	if w.change.Action == ActionApply {
		d.Root = manifest.WithNamespace(w.Value, w.target.Namespace)
	}
	if len(w.At) == 0 && document.SameNode(d.Root, w.Value) {
		return w.Document
	}
	for _, duplicate := range w.Document.Duplicates {
		if duplicate.Path.HasPrefix(w.At) {
			duplicate.Path = duplicate.Path[len(w.At):]
			d.Duplicates = append(d.Duplicates, duplicate)
		}
	}
	return d
}

// clientApply does what 'kubectl apply' does without --server-side.
func (w *write) clientApply() (*Result, error) {
	if w.live != nil && !w.kind.Builtin { // kubectl reads the object in the version of the manifest, in which only apiVersion differs
		read := *w.live
		read.Value = read.Value.With("apiVersion", w.Value.Get("apiVersion"))
		w.live = &read
	}
	if w.live != nil && !w.live.Value.Lookup("metadata", "annotations", patch.LastApplied).Exists() {
		w.notes = append(w.notes, NoteText("the live object lacks the annotation "+patch.LastApplied+
			": fields that the manifest no longer has are not removed; kubectl writes the annotation and warns"))
	}
	r, err := cluster.ClientApply(w.kind, w.live.Join(), manifest.WithNamespace(w.Value, w.target.Namespace), w.lab.patches)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return &Result{noted: w.noted, Target: w.target, Action: w.change.Action, FieldManager: w.change.FieldManager,
			Notes: slices.Concat(w.notes, w.resetFields(w.live.Value), w.unmerged(w.live.Value)), Position: w.Position(), Before: w.live, After: w.live}, nil
	}
	result, err := w.send(r.Verb, r.Format, r.Document)
	if err == nil {
		result.Notes = append(result.Notes, w.unmerged(result.After.Value)...)
	}
	return result, err
}

// send passes a request through the pipeline.
func (w *write) send(verb cluster.Verb, format cluster.Format, body *document.Document) (*Result, error) {
	r := &cluster.Request{Verb: verb, Format: format, Document: body,
		Namespace: w.target.Namespace, Name: w.target.Name, Subresource: w.change.Subresource,
		Options: cluster.Options{FieldManager: w.change.FieldManager, FieldValidation: w.change.FieldValidation}}
	if verb == cluster.Create {
		r.Name = ""
	}
	if w.noted != nil {
		r.Notes = w.noted
	}
	if format == cluster.ApplyPatch {
		r.Force = &w.change.Force
	}
	response, err := w.lab.pipeline.Step(w.kind, w.live.split(), r)
	if err != nil {
		return nil, err
	}
	return w.result(response), nil
}

func (w *write) result(response *cluster.Response) *Result {
	r := &Result{noted: w.noted, Target: w.target, Action: w.change.Action, FieldManager: w.change.FieldManager, Warnings: response.Warnings, Notes: w.notes,
		Position: w.Position(),
		After:    &Object{Kind: w.kind, Value: response.After.Value, Managed: response.After.Managed, lab: w.lab}}
	r.Target.Name = response.After.Value.Lookup("metadata", "name").StringOr(r.Target.Name)
	r.Notes = append(r.Notes, w.dropped(response.Problems)...)
	r.Notes = append(r.Notes, w.resetFields(response.After.Value)...)
	if w.live != nil {
		r.Before = &Object{Kind: w.kind, Value: response.Before.Value, Managed: response.Before.Managed, lab: w.lab}
		if ofRelease(response.Before.Value) && !ofRelease(response.After.Value) && w.change.Action.creates() {
			r.Notes = append(r.Notes, NoteText("the manifest lacks what Helm adds to each object of a release, so that this change removes it, unlike 'helm upgrade': "+
				"the annotations "+helmRelease+" and meta.helm.sh/release-namespace, and the label app.kubernetes.io/managed-by"))
		}
	}
	if r.Before != nil && r.Before.Value.Lookup("metadata", "finalizers").Len() > 0 && w.lab.pipeline.Finalizes(w.kind, r.Before.Value, r.After.Value) {
		r.Notes = append(r.Notes, NoteText("the change removes the last finalizer of an object that is being deleted: the API server then deletes it"))
	}
	if w.change.Subresource == "scale" {
		r.Scale = response.Object
	}
	return r
}

// refused converts the error of a change to an *Error.
func (w *write) refused(err error) *Error {
	e := located(err, w.Object).about(w.target, w.change.Action)
	e.FieldManager, e.write = w.change.FieldManager, w
	e.Notes = w.notes
	var status *cluster.Status
	if errors.As(err, &status) {
		e.explain(status, w)
	}
	if e.Conflicts != nil && w.live.Managed.Len() == 0 && !w.live.Value.Lookup("metadata", "uid").Exists() {
		e.Notes = append(e.Notes, NoteText("the live object is a manifest, so nobody has applied it and \"before-first-apply\" owns its fields; "+
			"to see what another version of a manifest changes, apply the earlier one first, see 'patchlab apply --help'"))
	}
	return e
}
