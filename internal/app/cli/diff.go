package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	schemas     schemaFlags
	inputs      inputFlags
	apply       patchlab.ApplyOptions
	types       []string
	output      string
	showSecrets bool
	color       colorFlag
	exitCode    bool
	quiet       bool
	summary     summaryFlag
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

func (a *App) diffCommand() *cobra.Command {
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
` + admissionProgram + ` evaluates the CEL rules of custom resources.

` + exitHelpOf(map[int]string{
			exitRefused: "the API server would refuse the intended object, or an input could not be read",
			exitChanged: "objects differ (only with --exit-code)",
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
		ValidArgsFunction: completeObject,
		RunE:              func(c *cobra.Command, args []string) error { return a.diff(c.Context(), args, &o) },
	}
	o.schemas.add(c)
	o.inputs.add(c)
	o.schemas.addCluster(c, &o.inputs.kubectl)
	f := c.Flags()
	f.StringSliceVar(&o.types, "type", nil, "types of patch: json, merge, strategic or apply (repeatable; default all)")
	f.StringVar(&o.apply.FieldManager, "field-manager", "kubectl", "name of the field manager of the server-side apply")
	addNamespace(c, &o.apply.Namespace, &o.apply.DefaultNamespace)
	oneOf(c, &o.output, "output", "o", "text", "output format: text, json, yaml, diff (of the objects), or patch (requires exactly one --type)", "text", "json", "yaml", "diff", "patch")
	f.BoolVar(&o.showSecrets, "show-secrets", false, "show the values of Secrets, which are masked by default")
	o.color.add(c, "diffs")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with code 4 if objects differ")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "do not print notes, nor the summary on standard error")
	o.summary.add(c, "patches")
	var names []string
	for _, t := range diffTypes {
		names = append(names, t.name)
	}
	a.completeInputs(c, &o.inputs.kubectl)
	_ = c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o *diffOptions) check() error {
	for _, name := range o.types {
		if !slices.ContainsFunc(diffTypes[:], func(t diffType) bool { return t.name == name }) {
			return usage("--type " + name + ": expected json, merge, strategic or apply")
		}
	}
	if o.output == "patch" && len(o.types) != 1 {
		return usage("-o patch requires exactly one --type")
	}
	if o.output == "diff" && len(o.types) > 0 {
		return usage("-o diff shows objects instead of patches; omit --type, or use -o patch")
	}
	return nil
}

func (a *App) diff(ctx context.Context, args []string, o *diffOptions) error {
	for _, err := range [...]error{o.check(), checkNamespace(o.apply.Namespace, o.apply.DefaultNamespace), o.inputs.complete(args)} {
		if err != nil {
			return err
		}
	}
	a.quiet = o.quiet
	if o.summary.hasNotes() {
		defer a.keepNotes()()
	}
	o.inputs.folders = foldersOf(&o.inputs)
	d, err := a.differing(ctx, o)
	if d == nil {
		return err
	}
	if o.inputs.live == "" {
		a.note("FROM is omitted, so every object is only in TO; '" + a.program() + " diff --help' shows how to compare with a cluster")
	}
	wanted := d.to.objects()
	d.notes = notes{app: a, total: len(wanted)}
	defer a.waiting("comparing the objects…")()
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

// differing reads the inputs of diff. It returns nil if it has executed the program that evaluates
// CEL rules.
func (a *App) differing(ctx context.Context, o *diffOptions) (*differing, error) {
	held := a.holdForRules()
	defer held.release()
	from, to, err := a.bothSides(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.inputs.folders != nil {
		a.noteSkippedVersions(&o.inputs)
	}
	lab, err := o.schemas.lab(ctx, a, from, to)
	if err != nil {
		return nil, err
	}
	if done, err := held.handOverFor(ctx, lab.Kinds(), from, to); done {
		return nil, err
	}
	d := &differing{app: a, o: o, lab: lab, from: indexLive(from), to: to, folders: o.inputs.folders, matched: map[patchlab.Target]bool{},
		summary: summary{app: a, format: o.summary.format, details: o.inputs.again(a, "")}}
	if d.folders != nil {
		d.folders.pair(from, to)
	}
	return d, nil
}

// bothSides reads FROM and TO.
func (a *App) bothSides(ctx context.Context, o *diffOptions) (from, to documents, err error) {
	namespace := cmp.Or(o.apply.Namespace, o.apply.DefaultNamespace)
	return o.inputs.readBeside(ctx, a, namespace, func() (documents, error) { return a.wanted(ctx, o, namespace) })
}

// wanted reads TO, which may also be an object of a cluster.
func (a *App) wanted(ctx context.Context, o *diffOptions, namespace string) (documents, error) {
	if len(o.inputs.files) == 1 && o.inputs.isResource(o.inputs.files[0]) {
		to, err := o.inputs.kubectl.get(ctx, o.inputs.files[0], namespace)
		if err == nil && len(to.objects()) == 0 {
			err = errors.New(notFound(o.inputs.files[0], namespace))
		}
		return to, err
	}
	return o.inputs.readChanges(ctx, a)
}

// differing is one run of diff.
type differing struct {
	app       *App
	o         *diffOptions
	lab       *patchlab.Lab
	from      *liveIndex
	to        documents
	folders   *versionsOfFolder // nil unless FROM and TO are two folders
	notes     notes
	matched   map[patchlab.Target]bool // objects of both sides, without their versions
	documents []document.Value         // for -o json and yaml
	printed   int                      // number of texts, or of configurations for server-side apply
	refused   bool                     // at least one object or patch
	summary   summary
	// refusedBefore are the refusals of manifests that are the same in both folders.
	refusedBefore []*patchlab.Error
}

// one prints the patches for an object.
func (d *differing) one(object manifest.Object) error {
	if err := notAnObject(object); err != nil {
		d.app.leaveOut(err)
		d.matched[withoutVersion(refusedTarget(object))] = true
		return nil
	}
	if done, err := d.asWritten(object); done {
		return err
	}
	if from, several := d.folders.counterpart(object); several && len(from) == 0 {
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
		d.notes.add(found.Target, found.Notes...)
	}
	if len(found.Changes) > 0 {
		d.warn(found.Warnings, found.Target, object)
	}
	d.matched[withoutVersion(found.Target)] = true
	result := row{target: found.Target, file: d.fileInTo(object), outcome: unchanged, fields: len(found.Changes)}
	if len(found.Changes) > 0 {
		result.outcome, result.metadataOnly = changed, inMetadata(found.Changes)
	}
	if d.add(result, func() string { return fieldsDiff(d.fields(found)) }) {
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
	if result.outcome == changed || d.notes.total == 1 {
		d.text(d.compared(found, result.name()))
	}
	return nil
}

// warn keeps the warnings of the API server about an object that changes, until all objects are compared.
func (d *differing) warn(texts []string, target patchlab.Target, object manifest.Object) {
	for _, text := range texts {
		d.summary.warnings.add(text, target, object.Position())
	}
}

// add counts the result of an object. listed reports whether the summary is all that is printed of it.
// detail returns the text for a summary in Markdown.
func (d *differing) add(result row, detail func() string) (listed bool) {
	d.summary.counts[result.outcome]++
	if !d.o.summary.replacesOutput() {
		return false
	}
	if d.o.summary.format == "markdown" && result.outcome == changed {
		result.detail = detail()
	}
	d.summary.rows = append(d.summary.rows, result)
	return true
}

// asDocuments reports whether the output consists of documents.
func (d *differing) asDocuments() bool { return d.o.output == "json" || d.o.output == "yaml" }

// refuse reports an object of TO that the API server would refuse.
func (d *differing) refuse(e *patchlab.Error, object manifest.Object) error {
	if !d.o.showSecrets {
		e = maskConflicts(e)
	}
	t := e.Target
	if t.Kind == "" { // it does not exist
		t = targetOf(object.Value)
	}
	d.matched[withoutVersion(t)] = true
	if d.folders.unchanged(object) {
		d.refusedBefore = append(d.refusedBefore, e)
		return d.written(object, object.Value, row{target: d.targetOf(object), file: d.fileInTo(object), outcome: unchanged}, nil)
	}
	d.app.fail(e.Error())
	d.refused = true
	if d.add(row{target: t, file: d.fileInTo(object), position: e.Position, outcome: refused, detail: e.Error()}, nil) || !d.asDocuments() {
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
	case d.o.summary.replacesOutput():
		text, err := d.summary.report(&d.notes)
		if err != nil {
			return err
		}
		d.app.print(text)
	case d.asDocuments():
		d.app.print(string(encode(d.o.output, d.documents)))
	}
	d.notes.print()
	d.summary.noteWarnings()
	d.summary.note(d.notes.total > 1)
	switch counts := d.summary.counts; {
	case d.refused || len(d.app.unread) > 0:
		return &exit{code: exitRefused}
	case d.o.exitCode && counts[changed]+counts[onlyInTo]+counts[added]+counts[removed] > 0:
		return &exit{code: exitChanged}
	}
	return nil
}
