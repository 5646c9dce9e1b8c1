package cli

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/patch"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	schemas     schemaFlags
	inputs      inputFlags
	apply       patchlab.ApplyOptions
	types       []string
	output      string
	showSecrets bool
	exitCode    bool
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
that clients cannot change keep their values. If TO is a manifest with which an update
would be refused, it is the result of 'kubectl apply', which also keeps the fields that the
manifest omits, as in 'kubectl diff'. Each patch is applied to FROM, and the result is
compared with the intended object. What 'kubectl apply' changes is shown by 'patchlab apply
-o diff', with --client-side or --server-side.

FROM and TO accept the same inputs as LIVE and PATCH of apply; objects are matched by kind,
namespace and name, and those that only one side has are named. An object that only FROM
has is no difference for --exit-code, because FROM may be a dump of a cluster.

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
	f.StringVarP(&o.output, "output", "o", "text", "output format: text, json, or patch (requires exactly one --type)")
	f.BoolVar(&o.showSecrets, "show-secrets", false, "show the values of Secrets, which are masked by default")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with code 4 if objects differ")
	var names []string
	for _, t := range diffTypes {
		names = append(names, t.name)
	}
	_ = c.RegisterFlagCompletionFunc("field-manager", a.completeManagers(&o.inputs))
	_ = c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "patch"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o *diffOptions) check() error {
	for _, name := range o.types {
		if !slices.ContainsFunc(diffTypes[:], func(t diffType) bool { return t.name == name }) {
			return usage("--type " + name + ": expected json, merge, strategic or apply")
		}
	}
	switch o.output {
	case "text", "json":
	case "patch":
		if len(o.types) != 1 {
			return usage("-o patch requires exactly one --type")
		}
	default:
		return usage("--output " + o.output + ": expected text, json or patch")
	}
	return nil
}

func (a *App) diff(ctx context.Context, args []string, o *diffOptions) error {
	for _, err := range [...]error{o.check(), checkNamespace(o.apply.Namespace, o.apply.DefaultNamespace), o.inputs.complete(args)} {
		if err != nil {
			return err
		}
	}
	d, err := a.differing(ctx, o)
	if d == nil {
		return err
	}
	wanted := d.to.objects()
	d.notes = notes{app: a, total: len(wanted)}
	for _, object := range wanted {
		if err := d.one(object); err != nil {
			return err
		}
	}
	if len(wanted) > 1 && !d.refused { // one object is usually compared with a dump
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
	from, err := o.inputs.readLive(ctx, a, cmp.Or(o.apply.Namespace, o.apply.DefaultNamespace))
	if err != nil {
		return nil, err
	}
	to, err := a.wanted(ctx, o)
	if err != nil {
		return nil, err
	}
	registry, err := o.schemas.registry(ctx, a, from, to)
	if err != nil {
		return nil, err
	}
	if done, err := held.handOverFor(ctx, registry, from, to); done {
		return nil, err
	}
	lab, err := a.newLab(patchlab.Options{Kinds: registry, Strict: o.schemas.strict})
	if err != nil {
		return nil, err
	}
	return &differing{app: a, o: o, lab: lab, from: indexLive(from), to: to, matched: map[patchlab.Target]bool{}}, nil
}

// wanted reads TO, which may also be an object of a cluster.
func (a *App) wanted(ctx context.Context, o *diffOptions) (documents, error) {
	namespace := cmp.Or(o.apply.Namespace, o.apply.DefaultNamespace)
	if len(o.inputs.files) == 1 && isResource(o.inputs.files[0]) {
		to, err := o.inputs.kubectl.get(ctx, o.inputs.files[0], namespace)
		if err == nil && len(to.objects()) == 0 {
			err = errors.New(notFound(o.inputs.files[0], namespace))
		}
		return to, err
	}
	f := o.inputs
	f.live = "" // it has been read
	_, to, err := f.read(ctx, a, namespace)
	return to, err
}

// differing is one run of diff.
type differing struct {
	app       *App
	o         *diffOptions
	lab       *patchlab.Lab
	from      *liveIndex
	to        documents
	notes     notes
	matched   map[patchlab.Target]bool // objects of both sides, without their versions
	documents []document.Value         // for json
	printed   int
	differ    bool
	refused   bool
}

// one prints the patches for an object.
func (d *differing) one(object manifest.Object) error {
	found, err := d.alternatives(object)
	var e *patchlab.Error
	switch {
	case errors.As(err, &e):
		if len(e.Options) > 0 {
			return changeError(e)
		}
		if d.added(object, e) {
			return d.onlyInTo(e.Target)
		}
		if !d.o.showSecrets {
			e = maskConflicts(e)
		}
		d.app.fail(e.Error())
		d.refused = true
		return nil
	case err != nil:
		return err
	}
	d.notes.add(found.Target, found.Notes)
	d.differ = d.differ || len(found.Changes) > 0
	d.matched[withoutVersion(found.Target)] = true
	if len(d.o.types) > 0 {
		found.Patches = slices.DeleteFunc(found.Patches, func(p patchlab.Alternative) bool { return !slices.Contains(d.o.types, typeName(p.Action)) })
	}
	switch d.o.output {
	case "json":
		return d.json(found)
	case "patch":
		return d.patch(found)
	}
	d.text(d.compared(found))
	return nil
}

// alternatives returns the patches for an object. A manifest lacks fields that the API server has set
// and that no update may remove, such as the labels in the template of a Job. If an update with it
// is refused, the intended object is what 'kubectl diff' compares with: the result of an apply, which
// keeps the fields that the manifest omits.
func (d *differing) alternatives(object manifest.Object) (*patchlab.Alternatives, error) {
	from := d.from.candidates(object)
	var to patchlab.Input = documents{object.Document}
	if len(object.At) > 0 {
		to = object.Value
	}
	found, err := d.lab.Alternatives(from, to, d.o.apply)
	var refused *patchlab.Error
	if !errors.As(err, &refused) || refused.Code != http.StatusUnprocessableEntity || object.Value.Lookup("metadata", "uid").Exists() {
		return found, err
	}
	o := d.o.apply
	o.FieldManager = "" // that of kubectl
	applied, applyErr := d.lab.ClientApply(from, to, o)
	if applyErr != nil { // it names only what is wrong in the manifest
		return nil, applyErr
	}
	kept, keptErr := d.lab.Alternatives(from, withLastApplied(applied.After.Value, applied.Before.Value), d.o.apply)
	if keptErr != nil {
		return nil, err
	}
	kept.Notes = append(kept.Notes, "fields that the manifest omits keep their values, as in 'kubectl diff', because an update without them would be refused")
	return kept, nil
}

// withLastApplied returns an object with the last-applied annotation of another.
func withLastApplied(object, other document.Value) document.Value {
	if annotation := other.Follow(lastApplied()); annotation.Exists() {
		return object.Set(annotation, "metadata", "annotations", patch.LastApplied)
	}
	object = object.Remove("metadata", "annotations", patch.LastApplied)
	if object.Lookup("metadata", "annotations").Len() == 0 && !other.Lookup("metadata", "annotations").Exists() {
		object = object.Remove("metadata", "annotations")
	}
	return object
}

// added reports whether an error means that FROM does not have an object of TO.
func (d *differing) added(object manifest.Object, e *patchlab.Error) bool {
	if !errors.Is(e, patchlab.ErrNoMatch) || !object.Typed() || e.Target.Name == "" {
		return false
	}
	// Without a namespace, several objects of FROM may be meant.
	return e.Target.Namespace != "" || len(d.from.byName[nameOfObject(object)]) == 0
}

// onlyInTo reports an object that FROM does not have.
func (d *differing) onlyInTo(t patchlab.Target) error {
	d.differ = true
	switch d.o.output {
	case "json":
		return d.document(onlyIn("TO", t))
	case "patch":
		d.app.note(t.String() + " is only in TO: there is no object to patch")
	default:
		d.text(t.String() + ": only in TO\n")
	}
	return nil
}

// onlyInFrom reports the objects of FROM that TO does not have. They are no difference, because FROM may
// be a dump of a cluster.
func (d *differing) onlyInFrom() error {
	const most = 20 // in text
	n := 0
	for _, object := range d.from.all.objects() {
		t := statedTarget(object)
		switch {
		case t.Name == "" || d.hasMatched(t):
		case d.o.output == "json":
			if err := d.document(onlyIn("FROM", t)); err != nil {
				return err
			}
		case n >= most:
			n++
		case d.o.output == "patch":
			d.app.note(t.String() + " is only in FROM: no patch deletes it")
			n++
		default:
			d.text(t.String() + ": only in FROM\n")
			n++
		}
	}
	if n > most {
		d.app.note(count(n-most, "other object is", "other objects are") + " only in FROM; -o json lists them")
	}
	return nil
}

// statedTarget returns the target with what an object states itself.
func statedTarget(object manifest.Object) patchlab.Target {
	text := func(path ...string) string { return object.Value.Lookup(path...).StringOr("") }
	return patchlab.Target{APIVersion: text("apiVersion"), Kind: object.Kind(), Namespace: text("metadata", "namespace"), Name: text("metadata", "name")}
}

// hasMatched reports whether an object of FROM has been compared with one of TO. The namespace that it
// states may be missing, or superfluous.
func (d *differing) hasMatched(t patchlab.Target) bool {
	t = withoutVersion(t)
	namespaces := []string{t.Namespace, ""}
	if t.Namespace == "" {
		namespaces = append(namespaces, cmp.Or(d.o.apply.Namespace, d.o.apply.DefaultNamespace, "default"))
	}
	return slices.ContainsFunc(namespaces, func(namespace string) bool {
		t.Namespace = namespace
		return d.matched[t]
	})
}

// withoutVersion returns a target with its group in place of the apiVersion.
func withoutVersion(t patchlab.Target) patchlab.Target {
	t.APIVersion = t.Group()
	return t
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
	if d.o.output == "json" {
		d.app.print(string(encode("json", d.documents)))
	}
	d.notes.print()
	switch {
	case d.refused || d.app.unread > 0:
		return &exit{code: exitRefused}
	case d.o.exitCode && d.differ:
		return &exit{code: exitChanged}
	}
	return nil
}
