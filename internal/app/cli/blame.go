package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// blameOptions are the flags of blame.
type blameOptions struct {
	schemas     inputs.SchemaFlags
	inputs      inputs.Flags
	namespace   string
	managers    []string
	path        string
	output      string
	showSecrets bool
	color       program.ColorFlag
	quiet       bool
	summary     bool

	below document.Path // the parsed path, nil for all fields
}

func blameCommand(a *program.App) *cobra.Command {
	var o blameOptions
	c := &cobra.Command{
		Use:        "blame OBJECT [KIND/NAME...]",
		SuggestFor: []string{"owners", "managers"},
		Short:      "Print an object with the owners of each line",
		Long: `Print an object as YAML with the managers that own each line: the name, the operation
(Apply or Update), the subresource and the time. "-" means that no manager owns the
field: the API server set its default, or the owner released it. Lines without an
annotation only contain other fields.

OBJECT contains objects with their managedFields (kubectl get -o yaml
--show-managed-fields). It is a file, a folder, "-" for standard input, or KIND/NAME, which
is read from the cluster with kubectl unless a file or folder has this name.

` + inputs.SelectionHelp + `

With --summary, it counts the objects and fields of each manager instead, with their kinds and
the time of the last change.

Fields that are in managedFields but not in the object are listed at the end.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "an input could not be read, or does not have the object, manager or field"}),
		Example: `  # Show the owners of all fields
  patchlab blame deployment/web -n shop

  # Show the owners of two objects
  patchlab blame deployment/web service/web -n shop

  # Show only the fields that the autoscaler owns
  kubectl get deployment web -o yaml --show-managed-fields | patchlab blame - --manager kube-controller-manager

  # Show the owners of one object of a dump
  patchlab blame dump.yaml deployment/web -n shop

  # List the managers of a dump
  kubectl get deploy,svc,cm -A -o yaml --show-managed-fields | patchlab blame - --summary

  # Show one part of the object
  patchlab blame live.yaml --path '.spec.template.spec.containers[name="web"]'`,
		Args:              program.ObjectAndSelection,
		ValidArgsFunction: inputs.CompleteSelection(a, &o.inputs.Kubectl),
		RunE:              func(c *cobra.Command, args []string) error { return blame(c.Context(), a, args, &o) },
	}
	o.schemas.Add(c)
	o.inputs.Command = c
	o.inputs.Kubectl.Add(c)
	o.schemas.AddCluster(c, &o.inputs.Kubectl)
	f := c.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object in the cluster, or of the selected objects")
	f.StringArrayVar(&o.managers, "manager", nil, "show only the lines that manager `NAME` owns, and the fields that contain them (repeatable)")
	f.StringVar(&o.path, "path", "", "show only the field at `PATH` and its subfields")
	program.OneOf(c, &o.output, "output", "o", "text", "output format: text, json or yaml", "text", "json", "yaml")
	f.BoolVar(&o.summary, "summary", false, "count the objects and fields of each manager instead of printing lines")
	f.BoolVar(&o.showSecrets, "show-secrets", false, "show the values of Secrets, which are masked by default")
	o.color.Add(c, "the output")
	f.BoolVarP(&o.inputs.Recursive, "recursive", "R", false, "process the folders of OBJECT recursively")
	inputs.CompleteInputs(a, c, &o.inputs.Kubectl)
	program.AddQuiet(c, &o.quiet)
	complete := func(values func(*patchlab.Object) []string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return valuesOf(c.Context(), a, args, &o, values), cobra.ShellCompDirectiveNoFileComp
		}
	}
	_ = c.RegisterFlagCompletionFunc("manager", complete(managersOf))
	_ = c.RegisterFlagCompletionFunc("path", complete(pathsOf))
	return c
}

func (o *blameOptions) complete() error {
	if o.path == "" {
		return nil
	}
	var err error
	if o.below, err = program.ParsePath(o.path); err != nil {
		return program.Usage("--path " + o.path + ": " + err.Error())
	}
	return nil
}

func blame(ctx context.Context, a *program.App, args []string, o *blameOptions) error {
	if err := o.complete(); err != nil {
		return err
	}
	a.Quiet = o.quiet
	objects, err := openedBy(ctx, a, args, o)
	if err != nil {
		return err
	}
	if err := o.checkManagers(objects); err != nil {
		return err
	}
	several, printed := len(objects) > 1, 0
	// kubectl shows the managedFields of all objects or of none.
	if o.output == "text" && !slices.ContainsFunc(objects, func(o *patchlab.Object) bool { return o.Managed.Len() > 0 }) {
		without := results.TargetOf(objects[0].Value).String() + " has"
		if several {
			without = "the objects have"
		}
		a.Note(without + " no managedFields; use 'kubectl get -o yaml --show-managed-fields' to include them")
	}
	out := results.ObjectPrinter{Format: o.output, Print: a.Print}
	if o.summary {
		return summarizeOwners(a, objects, o, &out)
	}
	err = o.blameEach(objects, func(_ *patchlab.Object, b *blamed) error {
		if o.output != "text" {
			v, err := results.AsDocument(b)
			if err != nil {
				return err
			}
			out.Add(v)
			return nil
		}
		if printed++; printed > 1 {
			a.Print("\n")
		}
		w := blameWriter{blamed: b, color: o.color.On(a.Out), several: several}
		a.Print(w.text())
		return nil
	})
	if err != nil || o.output == "text" {
		return err
	}
	out.End()
	return nil
}

// summarizeOwners prints what each manager owns.
func summarizeOwners(a *program.App, objects []*patchlab.Object, o *blameOptions, out *results.ObjectPrinter) error {
	s := newBlameSummary()
	err := o.blameEach(objects, func(object *patchlab.Object, b *blamed) error {
		s.add(object, b.below, o.wanted(object))
		return nil
	})
	if err != nil {
		return err
	}
	s.sort()
	if o.output == "text" {
		a.Print(s.text())
		return nil
	}
	v, err := results.AsDocument(s)
	if err != nil {
		return err
	}
	out.Add(v)
	out.End()
	return nil
}

// blameEach calls yield with the owners of each object, one after the other, because the lines of all objects of a
// dump need much memory. Of several objects, those are left out of which no requested manager owns anything, and
// those without the requested field, unless all of them lack it.
func (o *blameOptions) blameEach(objects []*patchlab.Object, yield func(*patchlab.Object, *blamed) error) error {
	several, found := len(objects) > 1, 0
	var lacking error // of the first object without the field
	for _, object := range objects {
		if several && len(o.managers) > 0 && len(o.wanted(object)) == 0 {
			continue
		}
		b, err := o.blame(object)
		var missing *withoutField
		switch {
		case errors.As(err, &missing) && several:
			lacking = cmp.Or(lacking, err)
			continue
		case err != nil:
			return err
		}
		found++
		if err := yield(object, b); err != nil {
			return err
		}
	}
	if found == 0 {
		return lacking
	}
	return nil
}

// openedBy reads the objects that the arguments of a command name, which shows owners.
func openedBy(ctx context.Context, a *program.App, args []string, o *blameOptions) ([]*patchlab.Object, error) {
	name := args[0]
	chosen, err := o.inputs.Choose(args)
	if err != nil {
		return nil, err
	}
	docs, err := o.inputs.ReadLive(ctx, a, o.namespace)
	if err != nil {
		return nil, err
	}
	lab, err := o.schemas.Lab(ctx, a, docs)
	if err != nil {
		return nil, err
	}
	found, err := chosen.Of(docs.Objects(), lab, o.namespace, name)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New(inputs.Names(args[:1]) + ": no object found")
	}
	if err := inputs.TooNested(found); err != nil {
		return nil, err
	}
	objects := make([]*patchlab.Object, len(found))
	for i, f := range found {
		if err := inputs.NotAnObject(f); err != nil {
			return nil, err
		}
		if objects[i], err = openOne(lab, f); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// openOne reads an object of a file. An error includes its position.
func openOne(lab *patchlab.Lab, o manifest.Object) (*patchlab.Object, error) {
	object, err := lab.Open(o.Value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Position(), err)
	}
	return object, nil
}

// blamed is the output document for an object with its owners.
type blamed struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Target     patchlab.Target `json:"target"`
	// Owners are the entries of managedFields, to which lines and fields refer by index.
	Owners []blamedOwner `json:"owners"`
	Lines  []blamedLine  `json:"lines"`
	// Fields are the fields in managedFields, each with its line.
	Fields []explain.OwnedField `json:"fields"`

	below document.Path // the requested field
}

type blamedOwner struct {
	fieldmanager.Owner
	Time time.Time `json:"time,omitzero"`
}

// blamedLine is a line of the object. Line is its number in the whole object, and Item are the
// owners of the list item that begins on it.
type blamedLine struct {
	Line   int           `json:"line"`
	Text   string        `json:"text"`
	Path   document.Path `json:"path"`
	Owners []int         `json:"owners,omitempty"`
	Below  []int         `json:"below,omitempty"`
	Item   []int         `json:"item,omitempty"`
	Merges string        `json:"merges,omitempty"`
}

// blame returns the owners of the requested lines.
func (o *blameOptions) blame(object *patchlab.Object) (*blamed, error) {
	b := &blamed{APIVersion: results.OwnVersion, Kind: "Blame", Owners: []blamedOwner{}, Lines: []blamedLine{}, Fields: []explain.OwnedField{}}
	b.Target = results.TargetOf(object.Value)
	path := o.below
	if path != nil {
		var err error
		if path, err = fieldOf(object, path); err != nil {
			return nil, &withoutField{b.Target, o.path, err}
		}
	}
	b.below = path
	for _, e := range object.Managed.Entries() {
		b.Owners = append(b.Owners, blamedOwner{e.Owner, e.Time})
	}
	wanted := o.wanted(object)
	shown := *object
	if !o.showSecrets {
		_, shown.Value = results.MaskSecrets(document.Value{}, object.Value)
	}
	lines := shown.Lines()
	fields := explain.OwnedFields(fieldmanager.Object{Value: shown.Value, Managed: shown.Managed}, lines)
	items := map[int][]int{}
	for _, f := range fields {
		if f.Line >= 0 && len(f.Path) < len(lines[f.Line].Path) {
			items[f.Line] = f.Owners
		}
		if f.Path.HasPrefix(path) && (wanted == nil || slices.ContainsFunc(f.Owners, wanted.is)) {
			b.Fields = append(b.Fields, f)
		}
	}
	for i, l := range lines {
		line := blamedLine{Text: l.Text, Path: l.Path, Owners: l.Owners, Below: l.Below, Item: items[i], Merges: l.Merges, Line: i}
		if l.Path.HasPrefix(path) && (wanted == nil || slices.ContainsFunc(slices.Concat(l.Owners, l.Below, line.Item), wanted.is)) {
			b.Lines = append(b.Lines, line)
		}
	}
	return b, nil
}

// withoutField is the error for an object that does not have the requested field.
type withoutField struct {
	target patchlab.Target
	path   string
	err    error
}

func (e *withoutField) Error() string {
	return e.target.String() + ": --path " + e.path + ": " + e.err.Error()
}

func (e *withoutField) Unwrap() error { return e.err }

// fieldOf replaces the indexes of list items in a path by their keys.
func fieldOf(object *patchlab.Object, path document.Path) (document.Path, error) {
	for _, l := range object.Lines() {
		if l.Path.HasPrefix(path) {
			return path, nil
		}
	}
	return object.FieldPath(path)
}

// entries is a set of indexes of managedFields.
type entries map[int]bool

func (e entries) is(i int) bool { return e[i] }

// wanted returns the entries of the requested managers, nil for all.
func (o *blameOptions) wanted(object *patchlab.Object) entries {
	if len(o.managers) == 0 {
		return nil
	}
	found := entries{}
	for i, e := range object.Managed.Entries() {
		if slices.Contains(o.managers, e.Manager) {
			found[i] = true
		}
	}
	return found
}

// checkManagers refuses a requested manager that no object has.
func (o *blameOptions) checkManagers(objects []*patchlab.Object) error {
	var all []string
	for _, object := range objects {
		for _, name := range managersOf(object) {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	of := "the object"
	if len(objects) > 1 {
		of = "the objects"
	}
	for _, name := range o.managers {
		switch {
		case len(all) == 0:
			return fmt.Errorf("--manager %s: no such manager: the managedFields of %s are missing or empty", name, of)
		case !slices.Contains(all, name):
			return fmt.Errorf("--manager %s: no such manager in managedFields; the managers of %s are %s", name, of, terminal.OneLine(strings.Join(all, ", ")))
		}
	}
	return nil
}

// managersOf returns the names of an object's managers.
func managersOf(object *patchlab.Object) []string {
	var names []string
	for _, e := range object.Managed.Entries() {
		if !slices.Contains(names, e.Manager) {
			names = append(names, e.Manager)
		}
	}
	return names
}

// pathsOf returns the paths of an object's lines.
func pathsOf(object *patchlab.Object) []string {
	var paths []string
	for _, l := range object.Lines() {
		if text := l.Path.String(); len(paths) == 0 || paths[len(paths)-1] != text {
			paths = append(paths, text)
		}
	}
	return paths
}

// valuesOf returns values of the objects that the arguments name, for completion.
func valuesOf(ctx context.Context, a *program.App, args []string, o *blameOptions, values func(*patchlab.Object) []string) []string {
	if len(args) == 0 || args[0] == "-" {
		return nil
	}
	quiet := *a
	quiet.Quiet = true
	objects, err := openedBy(ctx, &quiet, args, o)
	if err != nil {
		return nil
	}
	var all []string
	for _, object := range objects {
		all = append(all, values(object)...)
	}
	return inputs.Completable(all)
}
