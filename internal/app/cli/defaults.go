package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// defaultsOptions are the flags of defaults.
type defaultsOptions struct {
	inputs   inputs.Flags
	schemas  inputs.SchemaFlags
	minimize bool
	output   string
	quiet    bool
}

func defaultsCommand(a *program.App) *cobra.Command {
	var o defaultsOptions
	c := &cobra.Command{
		Use:   "defaults FILE…",
		Short: "Set the default values that the API server would set, or remove them",
		Long: `Print the objects of FILE with the fields that the API server would fill in: decoded,
with the defaults of their kind and version, and with the fields that the kind's
strategy sets, as far as they do not depend on a cluster. The status of an exported
object and the metadata that the API server has set are kept. FILE is a file, "-" for
standard input, a folder or a glob, and can contain several documents and Lists. An
object that is invalid is reported and omitted; the others are printed.

With --minimize, print the smallest manifests that result in the same objects. Fields
that the API server owns are also removed: status, uid, resourceVersion, generation,
creationTimestamp, managedFields and the last-applied annotation. Use this to keep an
exported object in git. Values that cannot be distinguished from user-specified ones,
such as a clusterIP, are kept.

With -o rules, print the rule that sets each field.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "an object is invalid and omitted, or an input could not be read"}),
		Example: `  # Print the object with its defaults
  patchlab defaults web.yaml

  # Remove the fields of a live object that the API server has set
  kubectl get deployment web -o yaml | patchlab defaults --minimize -

  # Print what the API server adds to the manifests of a folder
  patchlab defaults -R manifests/ -o diff

  # Print the rule that sets each field
  patchlab defaults web.yaml -o rules`,
		Args: func(c *cobra.Command, args []string) error { return program.AtLeastOneFile(c, args, o.inputs.Files) },
		RunE: func(c *cobra.Command, args []string) error {
			return runDefaults(c.Context(), a, append(args, o.inputs.Files...), &o)
		},
	}
	o.schemas.Add(c)
	o.inputs.Command = c
	c.Flags().StringSliceVarP(&o.inputs.Files, "filename", "f", nil, "file, folder, glob or - to read, as FILE (repeatable)")
	c.Flags().BoolVarP(&o.inputs.Recursive, "recursive", "R", false, "process folders recursively")
	o.inputs.Exclude.Add(c)
	program.AddQuiet(c, &o.quiet)
	c.Flags().BoolVar(&o.minimize, "minimize", false, "remove the fields that the API server owns or would set again")
	program.OneOf(c, &o.output, "output", "o", "yaml", "output format: yaml, json, diff (against FILE) or rules", "yaml", "json", "diff", "rules")
	return c
}

func runDefaults(ctx context.Context, a *program.App, names []string, o *defaultsOptions) error {
	if o.output == "rules" && o.minimize {
		return program.Usage("-o rules cannot be used with --minimize")
	}
	if i := slices.IndexFunc(names, inputs.IsResource); i >= 0 {
		return errors.New(names[i] + ": no such file; for an object of a cluster, use: kubectl get " + names[i] + " -o yaml | " + a.CalledAs() + " defaults -")
	}
	a.Quiet = o.quiet
	docs, err := inputs.ReadDocuments(a, &o.inputs, document.DuplicatesLast, a.LeaveOutFile, names...)
	if err != nil {
		return err
	}
	o.inputs.Exclude.NoteUnused(a)
	inputs.NoteDuplicates(a, docs, nil)
	if len(docs.Objects()) == 0 && len(a.Unread) == 0 {
		return errors.New(inputs.Names(names) + ": no objects passed to defaults")
	}
	if err := inputs.TooNested(docs.Objects()); err != nil {
		return err
	}
	lab, err := o.schemas.Lab(ctx, a, docs)
	if err != nil {
		return err
	}
	rules, err := defaults.For(lab.Kinds().Catalog().Version())
	if err != nil {
		return err
	}
	f := filling{app: a, rules: rules, lab: lab, minimize: o.minimize, format: o.output, notes: results.Notes{App: a, Total: len(docs.Objects())}}
	refused := false
	for _, obj := range docs.Objects() {
		if err := f.one(obj); err != nil {
			a.Fail(err.Error())
			refused = true
		}
	}
	a.Print(f.text())
	f.notes.Print()
	if o.minimize {
		noteControlled(a, docs.Objects())
		noteAddresses(a, docs.Objects())
	}
	if refused || len(a.Unread) > 0 {
		return &program.Exit{Code: program.ExitRefused}
	}
	return nil
}

// noteControlled reports the objects that a controller writes for others, such as the ReplicaSets and Pods of Deployments,
// which only a dump has.
func noteControlled(a *program.App, objects []manifest.Object) {
	perKind := map[string]int{}
	total := 0
	for _, o := range objects {
		if kinds.ControllerOf(o.Value).Exists() {
			perKind[terminal.OneLine(o.Kind())]++
			total++
		}
	}
	if total == 0 {
		return
	}
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(perKind)) {
		counts = append(counts, fmt.Sprintf("%d of kind %s", perKind[kind], kind))
	}
	a.Note(terminal.Count(total, "object is", "objects are") + " written by a controller for another object, and not usually kept in Git: " + strings.Join(counts, ", ") +
		"; 'kubectl get' with the names of the other kinds leaves such kinds out")
}

// noteAddresses reports the exported Services whose addresses are kept, because these are usually those that the API server
// has chosen, and another cluster may have given them to other Services.
func noteAddresses(a *program.App, objects []manifest.Object) {
	total := 0
	for _, o := range objects {
		if t := results.TargetOf(o.Value); t.Kind != "Service" || t.Group() != "" || !o.Value.Lookup("metadata", "uid").Exists() {
			continue
		}
		ip := o.Value.Lookup("spec", "clusterIP").StringOr("")
		nodePort := false
		for _, port := range o.Value.Lookup("spec", "ports").Items() {
			nodePort = nodePort || port.Get("nodePort").Exists()
		}
		if ip != "" && ip != "None" || nodePort {
			total++
		}
	}
	if total > 0 {
		a.Note(terminal.Count(total, "Service keeps its cluster IP and node ports", "Services keep their cluster IPs and node ports") +
			", because an object does not show whether a client chose them; remove those that the API server chose from manifests for another cluster")
	}
}

// filling is one run of defaults.
type filling struct {
	app      *program.App
	rules    *defaults.Rules
	lab      *patchlab.Lab
	minimize bool
	format   string          // of --output
	filled   strings.Builder // the fields of an object that were filled in, with their rules
	report   strings.Builder
	diff     strings.Builder
	objects  []document.Value
	notes    results.Notes
}

// text returns the output of the command.
func (f *filling) text() string {
	switch f.format {
	case "rules":
		return f.report.String()
	case "diff":
		return results.ShownDiff(f.diff.String(), terminal.HasColors(f.app.Out))
	}
	return string(results.Encode(f.format, f.objects))
}

func (f *filling) one(obj manifest.Object) error {
	if err := inputs.NotAnObject(obj); err != nil {
		return err
	}
	kind, note, err := f.lab.Kind(obj.Value)
	if err != nil {
		return fmt.Errorf("%s: %w", obj.Position(), err)
	}
	if note != nil {
		f.notes.Add(results.TargetOf(obj.Value), note)
	}
	if err := f.decodes(kind, obj); err != nil {
		return err
	}
	target := patchlab.Target{APIVersion: kind.APIVersion(), Kind: kind.Kind, Name: obj.Value.Lookup("metadata", "name").StringOr("")}
	if kind.Namespaced {
		target.Namespace = obj.Value.Lookup("metadata", "namespace").StringOr("default")
	}
	f.filled.Reset()
	var after document.Value
	if f.minimize {
		after, err = f.rules.Minimize(kind, obj.Value)
	} else {
		after, err = f.rules.Fill(kind, obj.Value, defaults.Options{Observe: f.observe})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", obj.Position(), err)
	}
	if !kind.Builtin && !f.minimize {
		f.customRules(kind, obj.Value, after, nil)
	}
	switch f.format {
	case "rules":
		if f.filled.Len() > 0 || f.notes.Total == 1 {
			fmt.Fprintf(&f.report, "%s:\n%s", target, f.filled.String())
		}
	case "diff":
		name := results.FileName(target)
		f.diff.WriteString(terminal.Unified("before/"+name, "after/"+name, string(obj.Value.YAML()), string(after.YAML())))
	default:
		f.objects = append(f.objects, after)
	}
	return nil
}

// decodes returns an error with its position if an object does not match its kind.
func (f *filling) decodes(kind *schema.Kind, obj manifest.Object) error {
	_, problems, err := defaults.Decode(kind, obj.Value, defaults.FromJSON)
	var undecoded *defaults.DecodeError
	if errors.As(err, &undecoded) {
		hint := explain.ValueHint(kind.Type().At(undecoded.Path), undecoded.Value)
		if hint != "" {
			hint = "; " + hint
		}
		return fmt.Errorf("%s: %w%s", obj.PositionOf(undecoded.Path), err, hint)
	}
	if !kind.Builtin {
		_, unknown := structural.Prune(kind.Type(), obj.Value)
		for _, path := range unknown {
			problems = append(problems, defaults.Problem{Path: path, Message: fmt.Sprintf("unknown field %q", schema.FieldText(path))})
		}
	}
	for _, p := range problems {
		text := fmt.Sprintf("Warning: %s: %s", obj.PositionOf(p.Path), p.Message)
		if near := kind.Type().NearestField(p.Path); near != "" {
			text += "; did you mean " + near + "?"
		}
		f.app.Note(text)
	}
	return err
}

// customRules reports the fields of a custom resource that defaulting added, which have
// defaults in its CustomResourceDefinition.
func (f *filling) customRules(kind *schema.Kind, before, after document.Value, path document.Path) {
	switch {
	case !before.Exists():
		fmt.Fprintf(&f.filled, "  %s: %s\n    default in the schema of %s\n", path, after, kind.Kind)
	case after.Kind() == document.Object:
		for name, v := range after.Members() {
			f.customRules(kind, before.Get(name), v, path.Child(name))
		}
	case after.Kind() == document.List && before.Len() == after.Len():
		for i, v := range after.Items() {
			f.customRules(kind, before.At(i), v, path.Item(i))
		}
	}
}

func (f *filling) observe(x defaults.Filled) {
	value := "removed"
	if x.Value.Exists() {
		value = x.Value.String()
	}
	fmt.Fprintf(&f.filled, "  %s: %s\n    %s line %d, %s: %s\n", x.Path, value, x.Rule.File, x.Rule.Line, strings.TrimPrefix(x.Rule.Type, "io.k8s."), x.Rule)
}
