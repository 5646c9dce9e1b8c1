package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	schemas     inputs.SchemaFlags
	inputs      inputs.Flags
	apply       patchlab.ApplyOptions
	types       []string
	output      string
	showSecrets bool
	color       program.ColorFlag
	exitCode    bool
	quiet       bool
	summary     results.SummaryFlag
}

type diffType struct {
	name   string
	action patchlab.Action
}

// diffTypes are the patch types with their names in the flag.
var diffTypes = [...]diffType{
	{"json", patchlab.ActionJSONPatch},
	{"merge", patchlab.ActionMergePatch},
	{"strategic", patchlab.ActionStrategicPatch},
	{"apply", patchlab.ActionApply},
}

func diffCommand(a *program.App) *cobra.Command {
	var o diffOptions
	c := &cobra.Command{
		Use:   "diff [FROM] [TO]",
		Short: "Show the patch of each type that converts one object to another",
		Long: `Show the changes that convert the objects of FROM to those of TO as a JSON patch, a merge
patch, a strategic merge patch and a configuration for server-side apply, with the result
of each and the parts of the change that it cannot express.

The intended object is the result of an update (PUT) with TO: it has defaults, and fields
that clients cannot change keep their values, as does the annotation of client-side apply
unless TO has it. If TO is a manifest with which an update would be refused, it is the
result of 'kubectl apply', which also keeps the fields that the manifest omits, as in
'kubectl diff'. Each patch is applied to FROM, and the result is compared with the intended
object. What 'kubectl apply' changes is shown by 'patchlab apply -o diff', with
--client-side or --server-side.

FROM and TO accept the same inputs as LIVE and PATCH of apply; objects are matched by kind,
namespace and name, and those that only one side has are named, with --namespace without
those of FROM in other namespaces. An object that only FROM has is no difference for
--exit-code, because FROM may be a dump of a cluster. Of several objects, those without
differences are only counted.

Two folders are two versions of the same manifests: an object that only one of them has is
added or removed, which is a difference for --exit-code, and either folder may be empty, or
not exist. If several objects of a folder have the same name, such as one in each overlay,
those in files of the same name are compared. With -k, FROM can be another version of the
kustomization. Added objects are validated, and what both versions have in the same way is
not refused, as the check of a pull request requires (doc/pullrequest.md).

The configuration for server-side apply contains the fields that --field-manager has
applied before and that TO still has, and the changed fields. As in apply, the program
` + program.Admission + ` evaluates the CEL rules of custom resources.

` + program.ExitHelpOf(map[int]string{
			program.ExitRefused: "the API server would refuse the intended object, or an input could not be read",
			program.ExitChanged: "objects differ (only with --exit-code)",
		}),
		Example: `  # Compare the four types of patch
  patchlab diff live.yaml wanted.yaml --field-manager gitops

  # Print the strategic merge patch and send it
  patchlab diff live.yaml wanted.yaml --type strategic -o patch > patch.json
  kubectl patch deployment web -n shop --type strategic --patch-file patch.json

  # Compare the manifests of a folder with a cluster
  kubectl get -f manifests/ --ignore-not-found -o yaml --show-managed-fields | patchlab diff - manifests/ --summary text

  # List the objects that differ between two versions of a folder, or write a comment for a pull request
  patchlab diff before/ after/ -R --summary text
  patchlab diff before/ after/ -R --summary markdown > comment.md

  # Show two versions of a folder as a diff of its objects
  patchlab diff before/ after/ -R -o diff

  # The same for two versions of a kustomization
  patchlab diff before/overlays/prod -k overlays/prod -o diff

  # Print the changes since an earlier export
  patchlab diff yesterday.yaml deployment/web -n shop --type merge`,
		Args:              cobra.ArbitraryArgs, // checked together with -f and -k
		ValidArgsFunction: inputs.CompleteObject,
		RunE:              func(c *cobra.Command, args []string) error { return diff(c.Context(), a, args, &o) },
	}
	o.schemas.Add(c)
	o.inputs.Add(c)
	o.schemas.AddCluster(c, &o.inputs.Kubectl)
	f := c.Flags()
	f.StringSliceVar(&o.types, "type", nil, "types of patch: json, merge, strategic or apply (repeatable; default all)")
	f.StringVar(&o.apply.FieldManager, "field-manager", "kubectl", "name of the field manager of the server-side apply")
	addNamespace(c, &o.apply.Namespace, &o.apply.DefaultNamespace)
	program.OneOf(c, &o.output, "output", "o", "text", "output format: text, json, yaml, diff (of the objects), or patch (requires exactly one --type)", "text", "json", "yaml", "diff", "patch")
	f.BoolVar(&o.showSecrets, "show-secrets", false, "show the values of Secrets, which are masked by default")
	o.color.Add(c, "diffs")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with code 4 if objects differ")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "do not print notes, nor the summary on standard error")
	o.summary.Add(c, "patches")
	var names []string
	for _, t := range diffTypes {
		names = append(names, t.name)
	}
	inputs.CompleteInputs(a, c, &o.inputs.Kubectl)
	_ = c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o *diffOptions) check() error {
	for _, name := range o.types {
		if !slices.ContainsFunc(diffTypes[:], func(t diffType) bool { return t.name == name }) {
			return program.Usage("--type " + name + ": expected json, merge, strategic or apply")
		}
	}
	if o.output == "patch" && len(o.types) != 1 {
		return program.Usage("-o patch requires exactly one --type")
	}
	if o.output == "diff" && len(o.types) > 0 {
		return program.Usage("-o diff shows objects instead of patches; omit --type, or use -o patch")
	}
	return nil
}

func diff(ctx context.Context, a *program.App, args []string, o *diffOptions) error {
	for _, err := range [...]error{o.check(), checkNamespace(o.apply.Namespace, o.apply.DefaultNamespace), o.inputs.Complete(args)} {
		if err != nil {
			return err
		}
	}
	a.Quiet = o.quiet
	if o.summary.HasNotes() {
		defer a.KeepNotes()()
	}
	o.inputs.Folders = inputs.FoldersOf(&o.inputs)
	d, err := newDiffering(ctx, a, o)
	if d == nil {
		return err
	}
	if o.inputs.Live == "" {
		a.Note("FROM is omitted, so every object is only in TO; '" + a.CalledAs() + " diff --help' shows how to compare with a cluster")
	}
	wanted := d.to.Objects()
	d.notes = results.Notes{App: a, Total: len(wanted)}
	defer a.Waiting("comparing the objects…")()
	for _, object := range wanted {
		if err := d.one(object); err != nil {
			return err
		}
	}
	if len(wanted) > 1 || d.folders != nil { // one object is usually compared with a dump
		if err := d.onlyInFrom(); err != nil {
			return err
		}
	}
	return d.finish()
}

// newDiffering reads the inputs of diff. It returns nil if it has executed the program that evaluates
// CEL rules.
func newDiffering(ctx context.Context, a *program.App, o *diffOptions) (*differing, error) {
	held := inputs.HoldForRules(a)
	defer held.Release()
	from, to, err := bothSides(ctx, a, o)
	if err != nil {
		return nil, err
	}
	if o.inputs.Folders != nil {
		inputs.NoteSkippedVersions(a, &o.inputs)
	}
	lab, err := o.schemas.Lab(ctx, a, from, to)
	if err != nil {
		return nil, err
	}
	if done, err := held.HandOverFor(ctx, lab.Kinds(), from, to); done {
		return nil, err
	}
	d := &differing{app: a, o: o, lab: lab, from: inputs.IndexLive(from), to: to, folders: o.inputs.Folders, matched: map[patchlab.Target]bool{},
		summary: results.Summary{App: a, Format: o.summary.Format, Details: o.inputs.Again(a, "")}}
	if d.folders != nil {
		d.folders.Pair(from, to)
	}
	return d, nil
}

// bothSides reads FROM and TO.
func bothSides(ctx context.Context, a *program.App, o *diffOptions) (from, to inputs.Documents, err error) {
	namespace := cmp.Or(o.apply.Namespace, o.apply.DefaultNamespace)
	return o.inputs.ReadBeside(ctx, a, namespace, func() (inputs.Documents, error) { return wanted(ctx, a, o, namespace) })
}

// wanted reads TO, which may also be an object of a cluster.
func wanted(ctx context.Context, a *program.App, o *diffOptions, namespace string) (inputs.Documents, error) {
	if len(o.inputs.Files) == 1 && o.inputs.IsResource(o.inputs.Files[0]) {
		to, err := o.inputs.Kubectl.Get(ctx, o.inputs.Files[0], namespace)
		if err == nil && len(to.Objects()) == 0 {
			err = errors.New(inputs.NotFound(o.inputs.Files[0], namespace))
		}
		return to, err
	}
	return o.inputs.ReadChanges(ctx, a)
}

// differing is one run of diff.
type differing struct {
	app       *program.App
	o         *diffOptions
	lab       *patchlab.Lab
	from      *inputs.LiveIndex
	to        inputs.Documents
	folders   *inputs.VersionsOfFolder // nil unless FROM and TO are two folders
	notes     results.Notes
	matched   map[patchlab.Target]bool // objects of both sides, without their versions
	documents []document.Value         // for -o json and yaml
	printed   int                      // number of texts, or of configurations for server-side apply
	refused   bool                     // at least one object or patch
	summary   results.Summary
	// refusedBefore are the refusals of manifests that are the same in both folders.
	refusedBefore []*patchlab.Error
}

// one prints the patches for an object.
func (d *differing) one(object manifest.Object) error {
	if err := inputs.NotAnObject(object); err != nil {
		d.app.LeaveOut(err)
		d.matched[results.WithoutVersion(inputs.RefusedTarget(object))] = true
		return nil
	}
	if done, err := d.asWritten(object); done {
		return err
	}
	if from, several := d.folders.Counterpart(object); several && len(from) == 0 {
		return d.addedTo(object, d.targetOf(object))
	}
	found, err := d.alternatives(object)
	var e *patchlab.Error
	switch {
	case errors.As(err, &e):
		if len(e.Options) > 0 {
			return changeError(e)
		}
		if d.added(object, e) {
			return d.addedTo(object, e.Target)
		}
		return d.refuse(e, object)
	case err != nil:
		return err
	}
	if d.folders == nil || len(found.Changes) > 0 { // a comment for a pull request is about what changes
		d.notes.Add(found.Target, found.Notes...)
	}
	if len(found.Changes) > 0 {
		d.warn(found.Warnings, found.Target, object)
	}
	d.matched[results.WithoutVersion(found.Target)] = true
	result := results.Row{Target: found.Target, File: d.fileInTo(object), Outcome: results.Unchanged, Fields: len(found.Changes)}
	if len(found.Changes) > 0 {
		result.Outcome, result.MetadataOnly = results.Changed, inMetadata(found.Changes)
	}
	if d.add(result, func() string { return results.FieldsDiff(d.fields(found)) }) {
		return nil
	}
	if len(d.o.types) > 0 {
		found.Patches = slices.DeleteFunc(found.Patches, func(p patchlab.Alternative) bool { return !slices.Contains(d.o.types, typeName(p.Action)) })
	}
	switch d.o.output {
	case "json", "yaml":
		return d.addDocument(found)
	case "patch":
		return d.patch(found)
	case "diff":
		d.unified(result, found.Before.Value, found.Wanted.Value)
		return nil
	}
	if result.Outcome == results.Changed || d.notes.Total == 1 {
		d.text(d.compared(found, result.Name()))
	}
	return nil
}

// warn keeps the warnings of the API server about an object that changes, until all objects are compared.
func (d *differing) warn(texts []string, target patchlab.Target, object manifest.Object) {
	for _, text := range texts {
		d.summary.Warnings.Add(text, target, object.Position())
	}
}

// add counts the result of an object. listed reports whether the summary is all that is printed of it.
// detail returns the text for a summary in Markdown.
func (d *differing) add(result results.Row, detail func() string) (listed bool) {
	d.summary.Counts[result.Outcome]++
	if !d.o.summary.ReplacesOutput() {
		return false
	}
	if d.o.summary.Format == "markdown" && result.Outcome == results.Changed {
		result.Detail = detail()
	}
	d.summary.Rows = append(d.summary.Rows, result)
	return true
}

// asDocuments reports whether the output consists of documents.
func (d *differing) asDocuments() bool { return d.o.output == "json" || d.o.output == "yaml" }

// refuse reports an object of TO that the API server would refuse.
func (d *differing) refuse(e *patchlab.Error, object manifest.Object) error {
	if !d.o.showSecrets {
		e = results.MaskConflicts(e)
	}
	t := e.Target
	if t.Kind == "" { // it does not exist
		t = results.TargetOf(object.Value)
	}
	d.matched[results.WithoutVersion(t)] = true
	if d.folders.Unchanged(object) {
		d.refusedBefore = append(d.refusedBefore, e)
		return d.written(object, object.Value, results.Row{Target: d.targetOf(object), File: d.fileInTo(object), Outcome: results.Unchanged}, nil)
	}
	d.app.Fail(e.Error())
	d.refused = true
	if d.add(results.Row{Target: t, File: d.fileInTo(object), Position: e.Position, Outcome: results.Refused, Detail: e.Error()}, nil) || !d.asDocuments() {
		return nil
	}
	refusal, err := refusalDocument(e)
	d.documents = append(d.documents, refusal)
	return err
}

func typeName(action patchlab.Action) string {
	for _, t := range diffTypes {
		if t.action == action {
			return t.name
		}
	}
	return string(action)
}

// finish prints the collected output and returns the exit code.
func (d *differing) finish() error {
	d.noteRefusedBefore()
	switch {
	case d.o.summary.ReplacesOutput():
		text, err := d.summary.Report(&d.notes)
		if err != nil {
			return err
		}
		d.app.Print(text)
	case d.asDocuments():
		d.app.Print(string(results.Encode(d.o.output, d.documents)))
	}
	d.notes.Print()
	d.summary.NoteWarnings()
	d.summary.Note(d.notes.Total > 1)
	switch counts := d.summary.Counts; {
	case d.refused || len(d.app.Unread) > 0:
		return &program.Exit{Code: program.ExitRefused}
	case d.o.exitCode && counts[results.Changed]+counts[results.OnlyInTo]+counts[results.Added]+counts[results.Removed] > 0:
		return &program.Exit{Code: program.ExitChanged}
	}
	return nil
}
