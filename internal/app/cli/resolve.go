package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// resolveOptions are the flags of resolve.
type resolveOptions struct {
	schemas     inputs.SchemaFlags
	inputs      inputs.Flags
	apply       patchlab.ApplyOptions
	ways        wayFlags
	output      string
	details     bool
	showSecrets bool
	quiet       bool
}

func resolveCommand(a *program.App) *cobra.Command {
	var o resolveOptions
	c := &cobra.Command{
		Use:   "resolve [LIVE] [CONFIG]",
		Short: "Show how to resolve the conflicts of a server-side apply, and print the resolved manifest",
		Long: `Show the conflicts of a server-side apply of CONFIG and three resolutions for each, with
the resulting value and owners of the field:

  force  apply with --force-conflicts: the field gets the applied value, and the other
         manager loses it
  drop   remove the field from the manifest: the other manager keeps it
  adopt  set the field to the live value: both managers own it

The results are those of 'kubectl apply --server-side', which then transfers the fields of an
object that client-side apply has written: if client-side apply owns a dropped field, the
field is removed. With --server-side=false, they are those of a client without transfer.

With --take (force), --drop or --adopt, print the resolved manifest with its comments, and
on standard error the command that applies it. PATH is the path of a conflict, the path of
a field that contains several conflicts, or "all". If two paths match a conflict, the
longer one takes precedence. With --adopt all, a field without a live value is removed.
A manifest that is refused is reported and left out.

If several manifests conflict, the conflicts at the same field with the same owner are
printed together, with examples of their values. --details prints the conflicts of each
manifest, and how each resolution changes it.

LIVE and CONFIG accept the same inputs as LIVE and PATCH of apply. As there, the program
` + program.Admission + ` evaluates the CEL rules of custom resources.

Exit codes:
  0  no conflicts, or all of them are resolved
  1  the manifest could not be applied, an input could not be read, or there is no
     conflict at a PATH
  2  wrong usage
  3  there are conflicts without a selected resolution`,
		Example: `  # Show the conflicts and their resolutions
  patchlab resolve deployment/web web.yaml -n shop --field-manager gitops

  # Leave the replicas to the autoscaler
  patchlab resolve live.yaml web.yaml --drop .spec.replicas > resolved.yaml

  # Take ownership of the image, and adopt all other live values
  patchlab resolve live.yaml web.yaml --adopt all --take '.spec.template.spec.containers[name="web"].image'

  # Print the changes to the manifest
  patchlab resolve live.yaml web.yaml --adopt all -o diff`,
		Args:              cobra.ArbitraryArgs, // checked together with -f and -k
		ValidArgsFunction: inputs.CompleteObject,
		RunE:              func(c *cobra.Command, args []string) error { return resolve(c.Context(), a, args, &o) },
	}
	o.schemas.Add(c)
	o.inputs.Add(c)
	o.schemas.AddCluster(c, &o.inputs.Kubectl)
	o.ways.add(c, func(c *cobra.Command, args []string) []string { return conflictPaths(c.Context(), a, args, &o) })
	f := c.Flags()
	f.StringVar(&o.apply.FieldManager, "field-manager", "kubectl", "name of the field manager of the server-side apply")
	addNamespace(c, &o.apply.Namespace, &o.apply.DefaultNamespace)
	f.BoolVar(&o.apply.TransferClientSide, "server-side", true, "show the results of 'kubectl apply --server-side', which transfers the fields of client-side apply; --server-side=false: of a client that does not, such as a controller")
	f.StringVar(&o.apply.Subresource, "subresource", "", "subresource to apply to, such as status")
	program.OneOf(c, &o.output, "output", "o", "", "output format: text or json (the resolutions), yaml or diff (the resolved manifest) (default text, or yaml if a resolution is selected)", "text", "json", "yaml", "diff")
	f.BoolVar(&o.details, "details", false, "print the conflicts of each manifest, even if several conflict")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "do not print notes, such as the command that applies the resolved manifest")
	f.BoolVar(&o.showSecrets, "show-secrets", false, "show the values of Secrets, which are masked by default")
	inputs.CompleteInputs(a, c, &o.inputs.Kubectl)
	_ = c.RegisterFlagCompletionFunc("subresource", cobra.FixedCompletions([]string{"status", "scale"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func resolve(ctx context.Context, a *program.App, args []string, o *resolveOptions) error {
	for _, err := range [...]error{o.complete(), checkNamespace(o.apply.Namespace, o.apply.DefaultNamespace), o.inputs.Complete(args)} {
		if err != nil {
			return err
		}
	}
	a.Quiet = o.quiet
	held := inputs.HoldForRules(a)
	defer held.Release()
	r, err := newResolving(ctx, a, o)
	if err != nil {
		return err
	}
	if done, err := held.HandOverFor(ctx, r.lab.Kinds(), r.live.All, r.changes); done {
		return err
	}
	held.Release()
	changes := r.changes.Objects()
	r.notes = results.Notes{App: a, Total: len(changes)}
	if o.output == "json" && len(o.ways.choices) == 0 {
		r.printer = &results.ObjectPrinter{Format: "json", Print: a.Print}
	}
	defer a.Waiting("resolving the conflicts…")()
	for _, object := range changes {
		if err := r.object(object); err != nil {
			return err
		}
	}
	return r.finish()
}

func (o *resolveOptions) complete() error {
	if err := o.ways.complete(); err != nil {
		return err
	}
	if o.output == "" {
		o.output = "text"
		if len(o.ways.choices) > 0 {
			o.output = "yaml"
		}
	}
	return nil
}

// resolving is one run of resolve.
type resolving struct {
	app      *program.App
	o        *resolveOptions
	lab      *patchlab.Lab
	live     *inputs.LiveIndex
	changes  inputs.Documents
	sources  map[string]*sourceFile
	resolved []resolved
	notes    results.Notes
	refused  []manifest.Object
	// printer prints the documents of -o json as they are found, because those of a whole cluster, with the results
	// of each resolution, need much memory. It is nil if a resolution is selected, as then all may be left out.
	printer *results.ObjectPrinter
	open    int // conflicts without a selected resolution
}

// resolved is a manifest with the resolutions of its conflicts.
type resolved struct {
	manifest.Object
	*patchlab.Resolution
	// all holds, for each of wayNames, the result of resolving all conflicts in that way, nil
	// if that is not possible for the reason in why.
	all [len(wayNames)]*patchlab.Resolution
	why [len(wayNames)]error
}

// newResolving reads the inputs of resolve.
func newResolving(ctx context.Context, a *program.App, o *resolveOptions) (*resolving, error) {
	r := &resolving{app: a, o: o, sources: map[string]*sourceFile{}}
	live, changes, err := o.inputs.Read(ctx, a, cmp.Or(o.apply.Namespace, o.apply.DefaultNamespace))
	if err != nil {
		return nil, err
	}
	r.live, r.changes = inputs.IndexLive(live), changes
	r.lab, err = o.schemas.Lab(ctx, a, live, changes)
	return r, err
}

// object resolves the conflicts of one manifest. An error ends the command.
func (r *resolving) object(object manifest.Object) error {
	if err := inputs.NotAnObject(object); err != nil {
		return r.fail(object, err)
	}
	var in patchlab.Input = inputs.Documents{object.Document}
	if len(object.At) > 0 {
		in = object.Value
	}
	live := r.live.Candidates(object)
	found, err := r.lab.Resolve(live, in, r.o.apply, nil)
	if err != nil {
		return r.fail(object, err)
	}
	m, err := fieldmanager.For(r.lab.Kinds(), found.Kind, r.o.apply.Subresource)
	if err != nil {
		return err
	}
	one := resolved{Object: object, Resolution: found}
	if choose := r.o.ways.among(m, object.Value); choose != nil && len(found.Conflicts) > 0 {
		if one.Resolution, err = r.lab.Resolve(live, in, r.o.apply, choose); err != nil {
			return r.fail(object, err)
		}
	}
	if len(r.o.ways.choices) == 0 && len(found.Conflicts) > 0 {
		for i, way := range wayNames {
			one.all[i], one.why[i] = r.lab.Resolve(live, in, r.o.apply, func(c patchlab.Conflict) string {
				if way == explain.AdoptValue && !c.Live.Exists() {
					return explain.DropField
				}
				return way
			})
		}
	}
	r.open += len(one.Open)
	r.note(&one)
	if r.printer == nil {
		r.resolved = append(r.resolved, one)
		return nil
	}
	v, err := results.AsDocument(r.document(&one))
	if err == nil {
		r.printer.Add(v)
	}
	return err
}

// note adds the notes about a manifest and about the results of resolving its conflicts.
func (r *resolving) note(one *resolved) {
	about := slices.Clone(one.Notes)
	for _, w := range r.ways(one) {
		if w.result == nil || w.result.Result == nil {
			continue
		}
		for _, note := range w.result.Result.Notes {
			if !slices.Contains(about, note) {
				about = append(about, note)
			}
		}
	}
	r.notes.Add(one.Target, about...)
}

// fail prints why a manifest cannot be applied or resolved as selected.
func (r *resolving) fail(object manifest.Object, err error) error {
	var e *patchlab.Error
	if errors.As(err, &e) {
		if len(e.Options) > 0 {
			return changeError(e)
		}
		if !r.o.showSecrets {
			err = results.MaskConflicts(e)
		}
	}
	r.app.Fail(err.Error())
	r.refused = append(r.refused, object)
	return nil
}

// finish prints the results and returns the exit code.
func (r *resolving) finish() error {
	r.notes.Print()
	if r.printer != nil {
		r.printer.End()
	}
	var found []string
	for _, one := range r.resolved {
		for _, c := range one.Conflicts {
			path := c.Path.String()
			if len(r.resolved) > 1 {
				path += " of " + one.Target.String()
			}
			found = append(found, path)
		}
	}
	partly := len(r.refused) > 0 || len(r.app.Unread) > 0
	if !partly {
		if err := r.o.ways.unused(found); err != nil {
			return err
		}
	}
	if r.open > 0 && (len(r.o.ways.choices) > 0 || r.o.output == "yaml" || r.o.output == "diff") {
		return r.undecided(r.open)
	}
	if err := r.print(); err != nil {
		return err
	}
	switch {
	case partly:
		return &program.Exit{Code: program.ExitRefused}
	case r.open > 0:
		return &program.Exit{Code: program.ExitConflict}
	}
	return nil
}

// undecided reports the conflicts without a selected resolution. It then prints nothing else,
// because kubectl's --force-conflicts would take over those fields, too.
func (r *resolving) undecided(open int) error {
	text := terminal.Count(open, "conflict is", "conflicts are") + " not resolved; use --take, --drop or --adopt for each of them, or for all"
	if len(r.resolved) == 1 {
		for _, c := range r.resolved[0].Open {
			text += "\n  " + c.Path.String() + ", owned by " + results.OwnerText(c)
		}
		return &program.Exit{Code: program.ExitConflict, Err: errors.New(text)}
	}
	var fields results.Remarks
	for _, one := range r.resolved {
		var of []string
		for _, c := range one.Open {
			of = append(of, results.PatternOf(c.Path)+", owned by "+results.OwnerName(c.Owner))
		}
		fields.AddEach(of, one.Target)
	}
	for i := range fields.All {
		text += "\n  " + fields.All[i].Grouped(0)
	}
	return &program.Exit{Code: program.ExitConflict, Err: errors.New(text)}
}

// conflictPaths returns the paths of the conflicts, for completion.
func conflictPaths(ctx context.Context, a *program.App, args []string, o *resolveOptions) []string {
	if o.inputs.Complete(args) != nil || slices.Contains(append(o.inputs.Files, o.inputs.Live), "-") {
		return nil
	}
	quiet := *a
	quiet.Quiet, quiet.Err = true, io.Discard
	r, err := newResolving(ctx, &quiet, o)
	if err != nil {
		return nil
	}
	var paths []string
	for _, object := range r.changes.Objects() {
		found, err := r.lab.Resolve(r.live.Candidates(object), object.Value, o.apply, nil)
		if err != nil {
			continue
		}
		for _, c := range found.Conflicts {
			if p := c.Path.String(); !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// text returns the text of an input file.
func (r *resolving) text(name string) (string, bool) {
	if name == manifest.StdinName {
		name = "-"
	}
	data, err := r.app.Read(name)
	return string(data), err == nil
}
