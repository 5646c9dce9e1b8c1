package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// lintOptions are the flags of lint.
type lintOptions struct {
	schemas   inputs.SchemaFlags
	inputs    inputs.Flags
	policies  inputs.PolicyFlag
	namespace string
	ignore    []string
	output    string
	quiet     bool
}

func lintCommand(a *program.App) *cobra.Command {
	var o lintOptions
	c := &cobra.Command{
		Use:   "lint FILE…",
		Short: "Find what the API server would refuse, and problems with server-side apply",
		Long: `Check manifests and live objects. Of a manifest, find what the API server would refuse or
warn about if it created the object, by the rules of the built-in kinds, by the schemas
and CEL rules of custom resources, and by the admission policies of --policy. Of both, find
problems with server-side apply: list items with missing or duplicate keys; fields that are
null, empty, reset, or set by autoscalers and injectors; owners that prevent the removal of
fields; sizes close to a limit. An object with managedFields is treated as a live object,
and so is any other object of a dump with managedFields; an object of another input is
treated as a manifest to apply. The rules are listed in doc/lint.md.

CEL rules are evaluated by the program patchlab-admission, which this command executes if
it is installed. Otherwise a note reports their number.

FILE is a file, a folder, a glob, "-" for standard input, or KIND/NAME, which is read
from the cluster with kubectl unless a file or folder has this name. With -o sarif, the
findings are printed in SARIF 2.1.0, the format of GitHub code scanning.

Exit codes:
  0  no errors; warnings and notes are possible
  1  errors were found, or an input could not be read
  2  wrong usage`,
		Example: `  # Check the manifests of a repository, including custom resources
  patchlab lint manifests/ -R --crd crds/

  # Check what a kustomization builds
  patchlab lint -k overlays/prod --crd crds/

  # Find what admission policies would refuse or warn about
  patchlab lint manifests/ -R --policy policies/

  # Check a live object and its owners
  patchlab lint deployment/web -n shop

  # Write a report for GitHub code scanning
  patchlab lint manifests/ -R -o sarif > patchlab.sarif`,
		Args: func(c *cobra.Command, args []string) error {
			if o.inputs.Kustomize != "" {
				return nil
			}
			return program.AtLeastOneFile(c, args, o.inputs.Files)
		},
		RunE: func(c *cobra.Command, args []string) error { return lint(c.Context(), a, args, &o) },
	}
	o.schemas.Add(c)
	o.schemas.AddCluster(c, &o.inputs.Kubectl)
	o.inputs.Command = c
	o.inputs.Kubectl.Add(c)
	f := c.Flags()
	f.StringSliceVarP(&o.inputs.Files, "filename", "f", nil, "file, folder, glob or - to check, as FILE (repeatable)")
	f.StringVarP(&o.inputs.Kustomize, "kustomize", "k", "", "kustomization directory to check; it is built with kustomize or kubectl")
	f.BoolVarP(&o.inputs.Recursive, "recursive", "R", false, "process folders recursively")
	o.inputs.Exclude.Add(c)
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of KIND/NAME")
	f.StringArrayVar(&o.policies.Files, "policy", nil, "file, folder or glob of admission policies and bindings to evaluate for each manifest, with their parameters and Namespaces (repeatable; run by "+program.Admission+")")
	f.StringSliceVar(&o.ignore, "ignore", nil, "do not report findings of `RULE` (repeatable)")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only findings and errors, and no summary")
	program.OneOf(c, &o.output, "output", "o", "text", "output format: text, json or sarif", "text", "json", "sarif")
	var ids []string
	for _, r := range explain.LintRules() {
		ids = append(ids, r.ID+"\t"+r.Title)
	}
	_ = c.RegisterFlagCompletionFunc("ignore", cobra.FixedCompletions(ids, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o *lintOptions) check() error {
	for _, id := range o.ignore {
		if !slices.ContainsFunc(explain.LintRules(), func(r explain.LintRule) bool { return r.ID == id }) {
			return program.Usage("--ignore " + id + ": no such rule; see doc/lint.md for the list of rules")
		}
	}
	return nil
}

// locatedFinding is a finding with its position.
type locatedFinding struct {
	explain.Finding
	Target   patchlab.Target   `json:"target"`
	Position document.Position `json:"position,omitzero"`
	// among names the object where its input has others, "" if it does not.
	among string
}

func lint(ctx context.Context, a *program.App, args []string, o *lintOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.policies.Elsewhere(a) {
		return inputs.HandOverPolicies(ctx, a)
	}
	a.Quiet = o.quiet
	held := inputs.HoldForRules(a)
	defer held.Release()
	l, err := newLinting(ctx, a, append(args, o.inputs.Files...), o)
	if err != nil {
		return err
	}
	if done, err := held.HandOverFor(ctx, l.lab.Kinds(), nil, l.docs); done {
		return err
	}
	held.Release()
	findings := l.findings()
	counts := map[explain.Severity]int{}
	for _, f := range findings {
		counts[f.Severity]++
	}
	switch o.output {
	case "json":
		text, err := json.MarshalIndent(struct {
			APIVersion string           `json:"apiVersion"`
			Kind       string           `json:"kind"`
			Findings   []locatedFinding `json:"findings"`
		}{results.OwnVersion, "Findings", append([]locatedFinding{}, findings...)}, "", "    ")
		if err != nil {
			return err
		}
		a.Print(string(text) + "\n")
	case "sarif":
		text, err := json.MarshalIndent(sarifOf(findings), "", "  ")
		if err != nil {
			return err
		}
		a.Print(string(text) + "\n")
	default:
		a.Show(lintText(findings))
	}
	a.Note(fmt.Sprintf("%s: %s, %s, %s", terminal.Count(len(l.objects), "object", "objects"), terminal.Count(counts[explain.LevelError], "error", "errors"),
		terminal.Count(counts[explain.LevelWarning], "warning", "warnings"), terminal.Count(counts[explain.LevelNote], "note", "notes")))
	if counts[explain.LevelError] > 0 || len(a.Unread) > 0 {
		return &program.Exit{Code: program.ExitRefused}
	}
	return nil
}

// linting is one run of lint.
type linting struct {
	app     *program.App
	o       *lintOptions
	docs    inputs.Documents
	objects []manifest.Object // of docs, without those that are no objects of the API server
	lab     *patchlab.Lab
}

// newLinting reads the inputs of lint.
func newLinting(ctx context.Context, a *program.App, names []string, o *lintOptions) (*linting, error) {
	docs, err := lintInputs(ctx, a, names, o)
	if err != nil {
		return nil, err
	}
	all := checkable(a, &o.inputs, docs.Objects())
	if len(all) == 0 && len(a.Unread) == 0 {
		return nil, errors.New(inputs.Names(names) + o.inputs.Kustomize + ": no objects to check")
	}
	if err := inputs.TooNested(all); err != nil {
		return nil, err
	}
	inputs.NoteTwice(a, slices.DeleteFunc(docs.Objects(), func(o manifest.Object) bool { return !o.IsCRD() }), "; the last one is used")
	lab, err := o.lab(ctx, a, docs)
	if err != nil {
		return nil, err
	}
	return &linting{app: a, o: o, docs: docs, objects: all, lab: lab}, nil
}

// lab returns a Lab with the kinds and policies that the flags select.
func (o *lintOptions) lab(ctx context.Context, a *program.App, docs inputs.Documents) (*patchlab.Lab, error) {
	if err := o.policies.Read(a, "", nil, docs); err != nil {
		return nil, err
	}
	registry, err := o.schemas.Registry(ctx, a, docs, o.policies.Found)
	if err != nil {
		return nil, err
	}
	options := patchlab.Options{Kinds: registry, Strict: o.schemas.Strict}
	if err := o.policies.Options(a, &options); err != nil {
		return nil, err
	}
	return inputs.NewLab(a, options)
}

// findings checks the objects and returns the findings in the order of files and lines.
func (l *linting) findings() (found []locatedFinding) {
	defer l.app.Waiting("checking the objects…")()
	unknown := unknownKinds(l.app, l.lab, l.objects)
	values, objectsIn := make([]document.Value, len(l.objects)), map[string]int{}
	for i, object := range l.objects {
		values[i] = object.Value
		objectsIn[object.Position().Name]++
	}
	noteExported(l.app, values)
	created := creation{lab: l.lab, notes: results.Notes{App: l.app, Total: len(l.objects)}}
	converted := map[*document.Document][]document.ConvertedKey{} // of documents, which may be Lists of many objects
	for i, list := range explain.Lint(l.lab.Kinds(), values...) {
		object := l.objects[i]
		target, among := results.TargetOf(object.Value), ""
		if objectsIn[object.Position().Name] > 1 {
			among = target.String()
		}
		list = slices.Concat(unknown[i], list)
		for _, f := range append(list, created.findings(object, list)...) {
			found = append(found, locatedFinding{f, target, object.PositionOf(f.Path), among})
		}
		for _, d := range inputs.DuplicatesIn(object) { // of several duplicates of one key, each has its own position
			found = append(found, locatedFinding{finding(explain.LintDuplicateKey, d.Path, d.Path.String()+" is specified twice"), target, d.Position, among})
		}
		doc := object.Document
		if _, ok := converted[doc]; !ok {
			converted[doc] = doc.ConvertedKeys()
		}
		for f, at := range convertedKeys(object, converted[doc]) {
			found = append(found, locatedFinding{f, target, at, among})
		}
	}
	created.notes.Print()
	found = slices.DeleteFunc(found, func(f locatedFinding) bool { return slices.Contains(l.o.ignore, f.Rule) })
	return sorted(found)
}

// lintInputs reads the files, the objects of a cluster and the kustomization.
func lintInputs(ctx context.Context, a *program.App, names []string, o *lintOptions) (docs inputs.Documents, err error) {
	for _, name := range names {
		var read inputs.Documents
		if inputs.IsResource(name) {
			read, err = o.inputs.Kubectl.Get(ctx, name, o.namespace)
		} else {
			read, err = inputs.ReadDocuments(a, &o.inputs, document.DuplicatesLast, a.LeaveOutFile, name)
			err = inputs.WithResourceAdvice(name, err)
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, read...)
	}
	o.inputs.Exclude.NoteUnused(a)
	if o.inputs.Kustomize == "" {
		return docs, nil
	}
	built, err := inputs.BuildKustomization(ctx, o.inputs.Kustomize)
	return append(docs, built...), err
}

// unknownKinds returns, for each object, the finding that its kind is unknown, if it is, and notes the
// kinds that have no schema.
func unknownKinds(a *program.App, lab *patchlab.Lab, objects []manifest.Object) [][]explain.Finding {
	notes := results.Notes{App: a, Total: len(objects)}
	unknown := make([][]explain.Finding, len(objects))
	for i, object := range objects {
		switch _, note, err := lab.Kind(object.Value); {
		case err != nil:
			unknown[i] = []explain.Finding{finding(explain.LintUnknownKind, document.Keys("kind"), err.Error())}
		case note != nil:
			notes.Add(results.TargetOf(object.Value), patchlab.NoSchema{APIVersion: object.Value.Get("apiVersion").StringOr(""), Kind: object.Kind(),
				Consequence: "outside metadata, fields and the keys of lists are not checked"})
		}
	}
	notes.Print()
	return unknown
}

// noteExported reports objects of a cluster that are checked as manifests because they have no managedFields, which kubectl
// leaves out by default.
func noteExported(a *program.App, objects []document.Value) {
	exported := 0
	for _, o := range objects {
		metadata := o.Get("metadata")
		if metadata.Get("managedFields").Len() > 0 {
			return // a dump
		}
		if metadata.Get("uid").Exists() && metadata.Get("resourceVersion").Exists() {
			exported++
		}
	}
	if exported > 0 {
		a.Note(terminal.Count(exported, "exported object without managedFields is checked as a manifest", "exported objects without managedFields are checked as manifests") +
			"; 'kubectl get --show-managed-fields' includes them")
	}
}

// checkable returns the documents that have apiVersion and kind. The lack of one is probably a
// typing error, so the command fails; a document with neither, such as the values of a chart, and a
// kustomization are skipped with a note.
func checkable(a *program.App, f *inputs.Flags, all []manifest.Object) (objects []manifest.Object) {
	var skipped []manifest.Skipped
	for _, m := range all {
		version, kind := m.Value.Get("apiVersion").StringOr(""), m.Kind()
		switch err := inputs.NotAnObject(m); {
		case err != nil:
			a.LeaveOut(err)
		case manifest.IsKustomization(m.Document):
			skipped = append(skipped, manifest.Skipped{Position: m.Position(), Reason: manifest.Kustomization})
		case version != "" && kind != "":
			objects = append(objects, m)
		case version != "":
			a.LeaveOut(fmt.Errorf("%s: kind is required", m.Position()))
		case kind != "":
			a.LeaveOut(fmt.Errorf("%s: apiVersion is required", m.Position()))
		default:
			skipped = append(skipped, manifest.Skipped{Position: m.Position(), Reason: manifest.NoObject})
		}
	}
	inputs.NoteSkipped(a, f, skipped)
	return objects
}

// sorted sorts the findings of each file by line and keeps the order of files.
func sorted(found []locatedFinding) []locatedFinding {
	first := map[string]int{}
	for i, f := range found {
		if _, ok := first[f.Position.Name]; !ok {
			first[f.Position.Name] = i
		}
	}
	slices.SortStableFunc(found, func(a, b locatedFinding) int {
		return cmp.Or(first[a.Position.Name]-first[b.Position.Name], a.Position.Line-b.Position.Line, a.Position.Column-b.Position.Column)
	})
	return found
}

// convertedKeys returns a finding, with its position, for each key of an object that YAML reads as another text, given
// those of its document.
func convertedKeys(o manifest.Object, keys []document.ConvertedKey) iter.Seq2[explain.Finding, document.Position] {
	return func(yield func(explain.Finding, document.Position) bool) {
		for _, k := range keys {
			if !k.Path.HasPrefix(o.At) {
				continue
			}
			path := k.Path[len(o.At):]
			name, _ := path[len(path)-1].Name()
			message := fmt.Sprintf("YAML reads the key %s as %q", k.Written, name)
			if in := path[:len(path)-1].String(); in != "" {
				message = in + ": " + message
			}
			if !yield(finding(explain.LintConvertedKey, path, message), k.Position) {
				return
			}
		}
	}
}

// finding returns a finding of a rule that the command applies itself.
func finding(rule string, path document.Path, message string) explain.Finding {
	rules := explain.LintRules()
	r := rules[slices.IndexFunc(rules, func(r explain.LintRule) bool { return r.ID == rule })]
	return explain.Finding{Rule: r.ID, Severity: r.Severity, Path: path, Message: message, Remedy: r.Remedy}
}

// lintText formats findings as compilers do: file:line:column: severity: message [rule]. The first finding with
// a remedy has it.
func lintText(findings []locatedFinding) string {
	var b strings.Builder
	remedied := map[string]bool{}
	for _, f := range findings {
		at, object := f.Position.String(), f.among
		if at != "" {
			at += ": "
		}
		if object != "" {
			object += ": "
		}
		fmt.Fprintf(&b, "%s%s: %s%s [%s]\n", at, f.Severity, terminal.OneLine(object), terminal.OneLine(f.Message), f.Rule)
		if !remedied[f.Remedy] {
			b.WriteString("    " + f.Remedy + "\n")
			remedied[f.Remedy] = true
		}
	}
	return b.String()
}
