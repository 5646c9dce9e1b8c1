package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
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
that clients cannot change keep their values. Each patch is applied to FROM, and the
result is compared with the intended object. FROM and TO accept the same inputs as LIVE
and PATCH of apply; objects are matched by kind, namespace and name, and those that only
one side has are named. An object that only FROM has is no difference for --exit-code,
because FROM may be a dump of a cluster.

The configuration for server-side apply contains the fields that --field-manager has
applied before and that TO still has, and the changed fields.

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
	from, err := o.inputs.readLive(ctx, a, cmp.Or(o.apply.Namespace, o.apply.DefaultNamespace))
	if err != nil {
		return err
	}
	to, err := a.wanted(ctx, o)
	if err != nil {
		return err
	}
	registry, err := o.schemas.registry(ctx, a, from, to)
	if err != nil {
		return err
	}
	lab, err := patchlab.New(patchlab.Options{Kinds: registry, Strict: o.schemas.strict, Now: a.Now, UID: a.UID})
	if err != nil {
		return err
	}
	wanted := to.objects()
	d := differing{app: a, o: o, lab: lab, from: indexLive(from), notes: notes{app: a, total: len(wanted)}, matched: map[patchlab.Target]bool{}}
	for _, object := range wanted {
		if err := d.one(object); err != nil {
			return err
		}
	}
	if len(wanted) > 1 && !d.refused { // one object is usually compared with a dump
		if err := d.onlyInFrom(from); err != nil {
			return err
		}
	}
	return d.finish()
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
	notes     notes
	matched   map[patchlab.Target]bool // objects of both sides, without their versions
	documents []document.Value         // for json
	printed   int
	differ    bool
	refused   bool
}

// one prints the patches for an object.
func (d *differing) one(object manifest.Object) error {
	var to patchlab.Input = documents{object.Document}
	if len(object.At) > 0 {
		to = object.Value
	}
	found, err := d.lab.Alternatives(d.from.candidates(object), to, d.o.apply)
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

// text prints the text for an object, after an empty line if it is not the first.
func (d *differing) text(text string) {
	if d.printed > 0 {
		d.app.print("\n")
	}
	d.printed++
	d.app.print(text)
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

// onlyIn returns the document for an object that only one side has.
func onlyIn(side string, t patchlab.Target) alternativesDocument {
	return alternativesDocument{APIVersion: "patchlab.dev/v1", Kind: "Alternatives", Target: t, OnlyIn: side, Changes: []explain.Change{}, Patches: []alternativeDocument{}}
}

// onlyInFrom reports the objects of FROM that TO does not have. They are no difference, because FROM may
// be a dump of a cluster.
func (d *differing) onlyInFrom(from documents) error {
	const most = 20 // in text
	n := 0
	for _, object := range from.objects() {
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

// patch prints the requested patch.
func (d *differing) patch(found *patchlab.Alternatives) error {
	p := found.Patches[0]
	if !p.Patch.Exists() {
		d.app.fail(found.Target.String() + ": " + p.Err.Error())
		d.refused = true
		return nil
	}
	if p.Err != nil {
		d.app.note(found.Target.String() + ": the patch would be refused: " + p.Err.Error())
	} else if !p.Exact {
		d.app.note(found.Target.String() + ": the patch does not express the complete change; use 'diff -o text' to see what is missing")
	}
	if why := d.migrates(found, &p); why != "" {
		d.app.note("Warning: " + found.Target.String() + ": " + why)
	}
	if p.Action == patchlab.ActionApply {
		if len(d.documents) > 0 {
			d.app.print("---\n")
		}
		d.documents = append(d.documents, p.Patch)
		d.app.print(string(p.Patch.YAML()))
		return nil
	}
	if d.notes.total == 1 {
		d.app.print(p.Patch.String() + "\n")
		return nil
	}
	text, err := targetedPatch(found.Target, typeName(p.Action), p.Patch)
	d.app.print(string(text))
	return err
}

// notEmpty stands for an object or list whose contents are listed below it.
const notEmpty = "(not empty)"

// compared returns the patches as text.
func (d *differing) compared(found *patchlab.Alternatives) string {
	var b strings.Builder
	if len(found.Changes) == 0 {
		return found.Target.String() + ": no differences\n"
	}
	fmt.Fprintf(&b, "%s: %s\n", found.Target, count(len(found.Changes), "field differs", "fields differ"))
	for _, c := range found.Changes {
		was, is := shortPair(d.shown(found, c))
		switch { // an object or list that becomes empty is a field, one with contents is not
		case !c.Before.Exists() && found.Before.Value.Follow(c.Path).Exists():
			was = notEmpty
		case !c.After.Exists() && found.Wanted.Value.Follow(c.Path).Exists():
			is = notEmpty
		}
		fmt.Fprintf(&b, "  %s: %s → %s\n", c.Path, was, is)
	}
	fmt.Fprintf(&b, "\n  %-22s %6s  %s\n", "patch", "bytes", "result")
	for _, p := range found.Patches {
		size := "-"
		if p.Patch.Exists() {
			size = fmt.Sprint(p.Patch.JSONLen())
		}
		fmt.Fprintf(&b, "  %-22s %6s  %s\n", p.Action.Title(), size, makes(&p))
	}
	for i := range found.Patches {
		d.alternative(&b, found, &found.Patches[i])
	}
	return b.String()
}

// makes describes the result of a patch in a few words.
func makes(p *patchlab.Alternative) string {
	text := "as intended"
	switch {
	case !p.Patch.Exists():
		return "none: the change cannot be expressed"
	case p.Err != nil:
		return "none: refused"
	case !p.Exact:
		text = "differs"
	}
	if p.Force {
		text += ", with force"
	}
	return text
}

// alternative prints a patch, the command that sends it, and its limits.
func (d *differing) alternative(b *strings.Builder, found *patchlab.Alternatives, p *patchlab.Alternative) {
	fmt.Fprintf(b, "\n%s\n", p.Action.Title())
	if p.Patch.Exists() {
		d.body(b, found, p)
		if why := d.migrates(found, p); why != "" {
			fmt.Fprintf(b, "  ! %s\n", why)
		} else {
			fmt.Fprintf(b, "  %s\n", d.command(found, p))
		}
	}
	if p.Err != nil {
		fmt.Fprintf(b, "  refused: %s\n", p.Err)
	}
	for _, l := range p.Limits {
		at := ""
		if len(l.Path) > 0 {
			at = " " + l.Path.String()
		}
		message := l.Message
		if d.masks(found) && l.Rule == explain.LimitOther {
			message = "the resulting value differs from the intended one"
		}
		fmt.Fprintf(b, "  ! %s%s: %s\n", l.Rule, at, message)
	}
}

// body prints a patch: a JSON patch with an operation per line, others as YAML.
func (d *differing) body(b *strings.Builder, found *patchlab.Alternatives, p *patchlab.Alternative) {
	switch {
	case d.masks(found):
		b.WriteString("    (hidden because it contains values of a Secret; use --show-secrets to show it)\n")
	case p.Action == patchlab.ActionJSONPatch:
		for _, op := range p.Patch.Items() {
			fmt.Fprintf(b, "    %s\n", op)
		}
	default:
		for line := range strings.Lines(string(p.Patch.YAML())) {
			b.WriteString("    " + line)
		}
	}
}

func (d *differing) masks(found *patchlab.Alternatives) bool {
	return (isSecret(found.Before.Value) || isSecret(found.Wanted.Value)) && !d.o.showSecrets
}

// shown returns the values of a change as they are printed.
func (d *differing) shown(found *patchlab.Alternatives, c explain.Change) (before, after document.Value) {
	if d.masks(found) {
		return maskPair(c.Path, c.Before, c.After)
	}
	return c.Before, c.After
}

// migrates returns why 'kubectl apply' must not send the configuration of an apply: after an
// object that client-side apply has written, kubectl transfers all its fields to the applying
// manager and removes those that the configuration omits, which are all that do not differ.
func (d *differing) migrates(found *patchlab.Alternatives, p *patchlab.Alternative) string {
	from := found.Before.Managed.ClientAppliers()
	if p.Action != patchlab.ActionApply || len(from) == 0 {
		return ""
	}
	return "do not send this with 'kubectl apply', which would transfer the fields of " + strings.Join(from, ", ") + " to " + d.o.apply.FieldManager +
		" and then remove all that this configuration omits; 'patchlab migrate' shows how to transfer them first"
}

// command returns the kubectl command that sends a patch from standard input.
func (d *differing) command(found *patchlab.Alternatives, p *patchlab.Alternative) string {
	namespace := ""
	if found.Target.Namespace != "" {
		namespace = " -n " + shellQuote(found.Target.Namespace)
	}
	if p.Action != patchlab.ActionApply {
		return "kubectl patch " + resourceLine(found.Kind, found.Target.Name) + namespace + " --type=" + typeName(p.Action) + " --patch-file=/dev/stdin"
	}
	text := "kubectl apply --server-side"
	if d.o.apply.FieldManager != "kubectl" {
		text += " --field-manager=" + shellQuote(d.o.apply.FieldManager)
	}
	if p.Force {
		text += " --force-conflicts"
	}
	return text + namespace + " -f -"
}

// alternativesDocument is the output document for the patches of an object.
type alternativesDocument struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	Target     patchlab.Target       `json:"target"`
	OnlyIn     string                `json:"onlyIn,omitempty"` // FROM or TO if only that side has the object
	Changes    []explain.Change      `json:"changes"`
	Patches    []alternativeDocument `json:"patches"`
}

type alternativeDocument struct {
	Type    string          `json:"type"`
	Command string          `json:"command,omitempty"`
	Warning string          `json:"warning,omitempty"` // why there is no command
	Patch   document.Value  `json:"patch,omitzero"`
	Exact   bool            `json:"exact"`
	Force   bool            `json:"force,omitempty"`
	Error   string          `json:"error,omitempty"`
	Limits  []explain.Limit `json:"limits"`
}

// json adds the patches for an object to the output.
func (d *differing) json(found *patchlab.Alternatives) error {
	out := alternativesDocument{APIVersion: "patchlab.dev/v1", Kind: "Alternatives", Target: found.Target, Changes: []explain.Change{}, Patches: []alternativeDocument{}}
	for _, c := range found.Changes {
		c.Before, c.After = d.shown(found, c)
		out.Changes = append(out.Changes, c)
	}
	for _, p := range found.Patches {
		one := alternativeDocument{Type: typeName(p.Action), Patch: p.Patch, Exact: p.Exact, Force: p.Force, Limits: slices.Concat([]explain.Limit{}, p.Limits)}
		if why := d.migrates(found, &p); why != "" {
			one.Warning = why
		} else if p.Patch.Exists() {
			one.Command = d.command(found, &p)
		}
		if p.Err != nil {
			one.Error = p.Err.Error()
		}
		if d.masks(found) {
			one.Patch, one.Limits = document.Value{}, slices.DeleteFunc(one.Limits, func(l explain.Limit) bool { return l.Rule == explain.LimitOther })
		}
		out.Patches = append(out.Patches, one)
	}
	return d.document(out)
}

// document adds a document to the output.
func (d *differing) document(out alternativesDocument) error {
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	parsed, err := document.Parse(text, document.Options{MaxBytes: -1})
	if err != nil {
		return err
	}
	d.documents = append(d.documents, parsed.Root)
	return nil
}
