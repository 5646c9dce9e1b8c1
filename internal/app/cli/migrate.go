package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// migrateOptions are the flags of migrate.
type migrateOptions struct {
	schemas         inputs.SchemaFlags
	inputs          inputs.Flags
	from            []string
	to              string
	namespace       string
	resourceVersion string
	output          string
	quiet           bool
}

func migrateCommand(a *program.App) *cobra.Command {
	var o migrateOptions
	c := &cobra.Command{
		Use:   "migrate OBJECT [KIND/NAME...]",
		Short: "Simulate the migration from client-side to server-side apply, and its reversal",
		Long: `Show how field ownership of a live object changes when the fields set by client-side apply
are transferred to a manager that uses server-side apply: the managers to fold, the fields
that the new manager could not remove without the migration, the patch that transfers
them, and the patch that reverts the transfer. Nothing in a cluster is changed.

OBJECT is a live object with its managedFields: a file, a folder, "-" for standard input, or
KIND/NAME, which is read from the cluster with kubectl. The managers to fold are those of
--from, otherwise those that kubectl folds: the managers whose updates own the
last-applied annotation. With -f, the manifest to be applied next is tested with and
without the migration.

` + inputs.SelectionHelp + `

The patch replaces the managedFields and contains the resourceVersion, so that the API
server refuses it with a conflict (409) if the object has changed in the meantime. Keep a
copy of the object before the migration: the patch that reverts it is computed from this
copy, and the previous owners are recorded nowhere else.

Of several objects, those that cannot be migrated are errors, and the others are printed.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "the API server would refuse the migration, or an input could not be read"}),
		Example: `  # List the fields that server-side apply cannot remove
  patchlab migrate deployment/web -n shop --to gitops

  # Migrate, and keep a copy of the object to revert the migration
  kubectl get deployment web -n shop -o yaml --show-managed-fields > before.yaml
  patchlab migrate before.yaml --to gitops -o patch |
    kubectl patch deployment web -n shop --type=json --patch-file=/dev/stdin

  # Migrate from the updates of Helm 3 to the server-side apply of Helm 4
  patchlab migrate before.yaml --from helm --to helm -f rendered.yaml

  # Revert the migration if the object has not changed since
  patchlab migrate before.yaml --to gitops -o back --resource-version 4712`,
		Args:              program.ObjectAndSelection,
		ValidArgsFunction: inputs.CompleteSelection(a, &o.inputs.Kubectl),
		RunE:              func(c *cobra.Command, args []string) error { return migrate(c.Context(), a, args, &o) },
	}
	o.schemas.Add(c)
	f := c.Flags()
	o.inputs.Command = c
	f.StringSliceVarP(&o.inputs.Files, "filename", "f", nil, "manifest to be applied next: file, folder, glob or - (repeatable)")
	f.BoolVarP(&o.inputs.Recursive, "recursive", "R", false, "process the folders of OBJECT and -f recursively")
	o.inputs.Kubectl.Add(c)
	o.schemas.AddCluster(c, &o.inputs.Kubectl)
	f.StringArrayVar(&o.from, "from", nil, "manager to fold (repeatable; default the managers whose updates own the last-applied annotation)")
	f.StringVar(&o.to, "to", "kubectl", "manager that uses server-side apply after the migration")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object in the cluster, or of the selected objects")
	f.StringVar(&o.resourceVersion, "resource-version", "", "resourceVersion of the migrated object, for -o back")
	program.OneOf(c, &o.output, "output", "o", "text", "output format: text, json, patch (the JSON patch, for each of several objects with its target), back (the JSON patch that reverts it) or yaml (the resulting objects)", "text", "json", "patch", "back", "yaml")
	program.AddQuiet(c, &o.quiet)
	inputs.CompleteInputs(a, c, &o.inputs.Kubectl)
	managers := inputs.CompleteLive(a, &o.inputs.Kubectl, inputs.LiveSelected, inputs.ManagersIn)
	_ = c.RegisterFlagCompletionFunc("from", managers)
	_ = c.RegisterFlagCompletionFunc("to", managers)
	return c
}

func migrate(ctx context.Context, a *program.App, args []string, o *migrateOptions) error {
	name := args[0]
	switch {
	case o.output == "back" && o.resourceVersion == "":
		return program.Usage("-o back requires --resource-version, the resourceVersion of the migrated object; it prevents the patch from overwriting later changes")
	case o.output != "back" && o.resourceVersion != "":
		return program.Usage("--resource-version requires -o back")
	case o.to == "":
		return program.Usage("--to must not be empty")
	case name == "-" && slices.Contains(o.inputs.Files, "-"):
		return program.Usage("only one of OBJECT and -f can be standard input")
	}
	a.Quiet = o.quiet
	held := inputs.HoldForRules(a)
	defer held.Release()
	m, err := newMigrating(ctx, a, args, o)
	if err != nil {
		return err
	}
	if done, err := held.HandOverFor(ctx, m.lab.Kinds(), nil, m.manifests); done {
		return err
	}
	held.Release()
	if len(m.objects) > 1 && o.output == "back" {
		return program.Usage(fmt.Sprintf("-o back supports one object, because each has its own resourceVersion, but %s contains %d; select one with KIND/NAME", name, len(m.objects)))
	}
	refused := false
	defer a.Waiting("rehearsing the migration…")()
	for _, object := range m.objects {
		err := m.one(object)
		switch {
		case err != nil && len(m.objects) == 1:
			return err
		case err != nil:
			a.Fail(m.title(object) + ": " + err.Error())
			refused = true
		}
	}
	if o.output == "json" || o.output == "yaml" {
		a.Print(string(results.Encode(o.output, m.documents)))
	}
	a.Show(m.commands())
	for _, r := range m.unneeded.All {
		if text := r.Grouped(0); o.output == "text" {
			a.Print(text + "\n")
		} else {
			a.Note(text)
		}
	}
	if refused || len(a.Unread) > 0 {
		return &program.Exit{Code: program.ExitRefused}
	}
	return nil
}

// migrating is one run of migrate.
type migrating struct {
	app       *program.App
	o         *migrateOptions
	lab       *patchlab.Lab
	name      string // name of OBJECT
	selected  bool   // only some of its objects are migrated
	objects   []*patchlab.Object
	owned     bool // whether one of the objects has managedFields
	manifests inputs.Documents
	named     *inputs.LiveIndex // of manifests
	documents []document.Value  // for json and yaml
	migrated  []migrated        // that were printed as text
	unneeded  results.Remarks   // why several objects need no migration
}

func newMigrating(ctx context.Context, a *program.App, args []string, o *migrateOptions) (*migrating, error) {
	name := args[0]
	if i := slices.IndexFunc(args[1:], inputs.IsFile); i >= 0 {
		file := args[1+i]
		return nil, program.Usage(file + " is a file; to test it as the manifest to be applied next, use -f " + program.ShellQuote(file))
	}
	chosen, err := o.inputs.Choose(args)
	if err != nil {
		return nil, err
	}
	live, err := o.inputs.ReadLive(ctx, a, o.namespace)
	if err != nil {
		return nil, err
	}
	m := &migrating{app: a, o: o, name: name, selected: len(chosen) > 0}
	if len(o.inputs.Files) > 0 {
		if m.manifests, err = inputs.ReadDocuments(a, &o.inputs, document.DuplicatesLast, a.LeaveOutFile, o.inputs.Files...); err != nil {
			return nil, err
		}
		inputs.NoteDuplicates(a, m.manifests, nil)
	}
	m.named = inputs.IndexLive(m.manifests)
	if m.lab, err = o.schemas.Lab(ctx, a, live, m.manifests); err != nil {
		return nil, err
	}
	found, err := chosen.Of(live.Objects(), m.lab, o.namespace, name)
	if err != nil {
		return nil, err
	}
	if err := m.open(found); err != nil {
		return nil, err
	}
	if len(m.objects) == 0 && len(a.Unread) == 0 {
		return nil, errors.New(inputs.Names(args[:1]) + ": no object found")
	}
	return m, nil
}

// open reads the selected objects.
func (m *migrating) open(found []manifest.Object) error {
	notes := results.Notes{App: m.app, Total: len(found)}
	for _, object := range found {
		if err := inputs.NotAnObject(object); err != nil {
			m.app.LeaveOut(err)
			continue
		}
		_, note, err := m.lab.Kind(object.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", object.Position(), err)
		}
		if note != nil {
			notes.Add(results.TargetOf(object.Value), note)
		}
		opened, err := openOne(m.lab, object)
		if err != nil {
			return err
		}
		m.objects, m.owned = append(m.objects, opened), m.owned || opened.Managed.Len() > 0
	}
	notes.Print()
	return nil
}

// one migrates an object and prints the result.
func (m *migrating) one(object *patchlab.Object) error {
	migration := explain.Migrate(fieldmanager.Object{Value: object.Value, Managed: object.Managed}, m.o.from, m.o.to)
	if migration.Needed() {
		if err := m.rehearse(object, migration); err != nil {
			return err
		}
		rules, err := defaults.For(m.lab.Kinds().Catalog().Version())
		if err != nil {
			return err
		}
		if minimal, err := rules.Minimize(object.Kind, object.Value); err == nil { // otherwise all fields count
			migration.MarkDefaults(minimal)
		}
	}
	switch {
	case m.o.output == "patch" && len(m.objects) > 1:
		return m.printTargeted(object, migration)
	case m.o.output == "patch":
		m.printPatch(object, migration, migration.Patch())
		return nil
	case m.o.output == "back":
		m.printPatch(object, migration, migration.Back(m.o.resourceVersion))
		return nil
	case m.o.output == "yaml":
		m.documents = append(m.documents, migration.After.Join())
		return nil
	}
	next, err := m.next(object, migration)
	if err != nil {
		return err
	}
	if m.o.output == "json" {
		return m.json(object, migration, next)
	}
	if !migration.Needed() && len(m.objects) > 1 {
		m.unneeded.Add(m.nothing(object, migration), results.TargetOf(object.Value), document.Position{})
		return nil
	}
	if len(m.migrated) > 0 {
		m.app.Print("\n")
	}
	m.app.Show(m.text(object, migration, next))
	return nil
}

// rehearse processes the patch like a request.
func (m *migrating) rehearse(object *patchlab.Object, migration *explain.Migration) error {
	result, err := m.lab.Patch(object, migration.Patch(), patchlab.PatchOptions{Type: patch.TypeJSON, FieldManager: "kubectl-patch", FieldValidation: "Ignore"})
	if err != nil {
		return fmt.Errorf("the API server would refuse the migration: %w", err)
	}
	if !document.Identical(result.After.Managed.Value(), migration.After.Managed.Value()) {
		return errors.New("the managedFields after the migration differ from the expected ones: " + result.After.Managed.String())
	}
	return nil
}

// nextApply is the effect of the next apply of the manifest, with and without the migration.
type nextApply struct {
	// Found reports whether there is a manifest for the object.
	Found bool `json:"-"`
	// Removed are the fields that the apply removes only after the migration.
	Removed []document.Path `json:"removed"`
	// Conflicts are the conflicts that the apply has only without the migration, and Left
	// those that it has in either case.
	Conflicts []document.Path         `json:"conflicts"`
	Left      []fieldmanager.Conflict `json:"left"`
}

// next applies the object's manifest, if there is one.
func (m *migrating) next(object *patchlab.Object, migration *explain.Migration) (nextApply, error) {
	var n nextApply
	target := results.TargetOf(object.Value)
	for _, config := range m.named.ByName[[2]string{target.Kind, target.Name}] {
		if !isManifestOf(config.Root, target) {
			continue
		}
		n.Found = true
		o := patchlab.ApplyOptions{FieldManager: m.o.to, Namespace: object.Value.Lookup("metadata", "namespace").StringOr("")}
		migrated := object.Migrate(migration.From, migration.To)
		n.Left = m.conflicts(migrated, config.Root, o)
		for _, c := range m.conflicts(object, config.Root, o) {
			if !slices.ContainsFunc(n.Left, func(left fieldmanager.Conflict) bool { return slices.Equal(left.Path, c.Path) }) {
				n.Conflicts = append(n.Conflicts, c.Path)
			}
		}
		o.Force = true
		without, err := m.lab.Apply(object, config.Root, o)
		if err != nil {
			return n, err
		}
		with, err := m.lab.Apply(migrated, config.Root, o)
		if err != nil {
			return n, err
		}
		stay := map[string]bool{}
		for _, c := range without.Changes() {
			if c.Effect == explain.Removed {
				stay[c.Path.String()] = true
			}
		}
		for _, c := range with.Changes() {
			if c.Effect == explain.Removed && !stay[c.Path.String()] {
				n.Removed = append(n.Removed, c.Path)
			}
		}
	}
	return n, nil
}

// isManifestOf reports whether a manifest with the kind and the name of an object is that of the object.
// Either may omit the namespace.
func isManifestOf(config document.Value, object patchlab.Target) bool {
	own := results.TargetOf(config)
	return own.Group() == object.Group() && (own.Namespace == "" || object.Namespace == "" || own.Namespace == object.Namespace)
}

// conflicts returns the conflicts of an apply, none if it fails for another reason.
func (m *migrating) conflicts(object *patchlab.Object, config document.Value, o patchlab.ApplyOptions) []fieldmanager.Conflict {
	var refused *patchlab.Error
	if _, err := m.lab.Apply(object, config, o); errors.As(err, &refused) && refused.Conflicts != nil {
		return refused.Conflicts.List
	}
	return nil
}
