package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// applyOptions are the flags of apply.
type applyOptions struct {
	schemas      schemaFlags
	patchType    string
	fieldManager string
	force        bool
	namespace    string
	subresource  string
	validate     string
	defaults     bool
	engine       engineFlag
	output       outputFlags
}

func (a *App) applyCommand() *cobra.Command {
	var o applyOptions
	c := &cobra.Command{
		Use:   "apply LIVE PATCH",
		Short: "Print the object that the API server would make of LIVE and PATCH",
		Long: `Apply a change to an object as kube-apiserver would, and print the object after it.

LIVE holds the object as it is, with its managedFields if owners matter
(kubectl get -o yaml --show-managed-fields). PATCH holds the change: a manifest
for server-side apply, a JSON patch, a merge patch or a strategic merge patch.
Either may be "-" for standard input, and may hold several documents, which are
matched by group, kind, namespace and name; what has no live object is created.
Nothing is ever sent anywhere.

With --type auto, a list is a JSON patch, a document with apiVersion and kind is
applied server-side, and anything else is a strategic merge patch for built-in
kinds and a merge patch for custom ones.

` + exitHelp,
		Example: `  # What would kubectl apply --server-side do?
  kubectl get deployment web -o yaml --show-managed-fields | patchlab apply - web.yaml

  # The same, as a diff, for a custom resource
  patchlab apply live.yaml wanted.yaml --crd crds/ -o diff

  # A JSON patch, and who owns what afterwards
  patchlab apply live.yaml patch.json --type json --show-managed-fields`,
		Args: arguments("LIVE", "PATCH"),
		RunE: func(c *cobra.Command, args []string) error { return a.apply(c.Context(), args[0], args[1], &o) },
	}
	o.add(c)
	o.engine.add(c)
	o.output.add(c)
	return c
}

// add adds the flags that say what is sent.
func (o *applyOptions) add(c *cobra.Command) {
	o.schemas.add(c)
	f := c.Flags()
	f.StringVar(&o.patchType, "type", "auto", "kind of PATCH: json, merge, strategic, apply or auto")
	f.StringVar(&o.fieldManager, "field-manager", "", "name of the field manager (default kubectl for apply, else kubectl-patch, as kubectl has it)")
	f.BoolVar(&o.force, "force-conflicts", false, "take over fields that others own (server-side apply only)")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of manifests and live objects that name none")
	f.StringVar(&o.subresource, "subresource", "", "change this subresource, such as status or scale")
	f.StringVar(&o.validate, "validate", "strict", "what to do with unknown and duplicate fields: strict, warn or ignore")
	f.BoolVar(&o.defaults, "defaults", true, "fill in the defaults of built-in kinds")
	_ = c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions([]string{"auto", "json", "merge", "strategic", "apply"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("subresource", cobra.FixedCompletions([]string{"status", "scale"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("validate", cobra.FixedCompletions([]string{"strict", "warn", "ignore"}, cobra.ShellCompDirectiveNoFileComp))
}

func (o *applyOptions) check(live, patch string) error {
	if !slices.Contains([]string{"auto", "json", "merge", "strategic", "apply"}, o.patchType) {
		return usage("--type " + o.patchType + ": expected json, merge, strategic, apply or auto")
	}
	if !slices.Contains([]string{"strict", "warn", "ignore"}, o.validate) {
		return usage("--validate " + o.validate + ": expected strict, warn or ignore")
	}
	if live == "-" && patch == "-" {
		return usage("only one of LIVE and PATCH can be standard input")
	}
	return nil
}

func (a *App) apply(ctx context.Context, liveName, patchName string, o *applyOptions) error {
	for _, err := range [...]error{o.check(liveName, patchName), o.output.check(), o.engine.check()} {
		if err != nil {
			return err
		}
	}
	if o.engine.elsewhere(a) {
		return a.handOver(ctx)
	}
	r, patches, err := a.readApply(liveName, patchName, o)
	if err != nil {
		return err
	}
	var changes []change
	for _, p := range patches {
		c, err := r.one(p)
		if err != nil {
			return err
		}
		changes = append(changes, c)
	}
	return o.output.print(a, changes)
}

// readApply reads the inputs of apply.
func (a *App) readApply(liveName, patchName string, o *applyOptions) (*applyRun, []manifest.Object, error) {
	registry, err := o.schemas.registry(a)
	if err != nil {
		return nil, nil, err
	}
	live, _, err := a.source().Objects(liveName)
	if err != nil {
		return nil, nil, err
	}
	patches, skipped, err := a.source().Objects(patchName)
	if err != nil {
		return nil, nil, err
	}
	if skipped > 0 {
		a.note(fmt.Sprintf("%s: %s skipped", patchName, count(skipped, "document that is no object", "documents that are no objects")))
	}
	if len(patches) == 0 {
		return nil, nil, fmt.Errorf("%s: no objects passed to apply", patchName)
	}
	r := &applyRun{app: a, o: o, registry: registry, live: live, byName: map[objectName]document.Value{}, told: map[string]bool{}}
	for i, l := range live { // before the patches, as they tell the scope of kinds without a schema
		kind, err := r.kind(l)
		if err != nil {
			return nil, nil, err
		}
		name := identity(kind, l.Value)
		if kind.Namespaced && !l.Value.Lookup("metadata", "namespace").Exists() {
			if o.namespace != "" {
				name.namespace = o.namespace
			}
			l.Value = l.Value.Set(document.NewString(name.namespace), "metadata", "namespace")
			live[i] = l
		}
		if !r.byName[name].Exists() {
			r.byName[name] = l.Value
		}
	}
	return r, patches, nil
}

// applyRun is one run of apply: what its documents are matched with.
type applyRun struct {
	app      *App
	o        *applyOptions
	registry *schema.Registry
	live     []manifest.Object
	byName   map[objectName]document.Value // of them
	told     map[string]bool               // notes, so that each is told once
}

// change is an object before and after.
type change struct {
	kind        *schema.Kind
	live, after document.Value
	patchType   string
}

// one applies one document of PATCH.
func (r *applyRun) one(p manifest.Object) (change, error) {
	live, kind, err := r.match(p)
	if err != nil {
		return change{}, err
	}
	request, patchType, err := r.request(p, live, kind)
	if err != nil {
		return change{}, err
	}
	response, err := r.step(live, request)
	if err != nil {
		return change{}, r.refused(err, kind, p, request)
	}
	for _, w := range response.Warnings {
		r.app.note("Warning: " + w)
	}
	return change{kind: kind, live: live, after: response.Object, patchType: patchType}, nil
}

// match finds the live object that a patch is for; absent where it is to be created.
func (r *applyRun) match(p manifest.Object) (document.Value, *schema.Kind, error) {
	named := p.Value.Get("apiVersion").Exists() && p.Value.Get("kind").Exists()
	if !named {
		if len(r.live) != 1 {
			return document.Value{}, nil, fmt.Errorf("%s: the patch names no object, and there are %d live ones; give one, or apiVersion, kind and metadata.name in the patch", p.Position(), len(r.live))
		}
		kind, err := r.kind(r.live[0])
		return r.live[0].Value, kind, err
	}
	kind, err := r.kind(p)
	if err != nil {
		return document.Value{}, nil, err
	}
	want, err := r.identify(kind, p)
	if err != nil {
		return document.Value{}, nil, err
	}
	if live := r.byName[want]; live.Exists() {
		return live, kind, nil
	}
	if len(r.live) == 1 && want.name == "" {
		only, err := r.kind(r.live[0])
		if err != nil || only.Group == kind.Group && only.Kind == kind.Kind {
			return r.live[0].Value, kind, err
		}
	}
	if r.o.patchType != "auto" && r.o.patchType != "apply" || r.o.subresource != "" {
		return document.Value{}, nil, fmt.Errorf("%s: there is no live %s to patch", p.Position(), want)
	}
	if len(r.live) > 0 {
		r.app.note(fmt.Sprintf("%s has no live object and is created", want))
	}
	return document.Value{}, kind, nil
}

// identify names the object that a manifest is for. A manifest without a
// namespace takes that of --namespace, else of the one live object of its kind and
// name, else "default".
func (r *applyRun) identify(kind *schema.Kind, p manifest.Object) (objectName, error) {
	name := identity(kind, p.Value)
	if !kind.Namespaced || p.Value.Lookup("metadata", "namespace").Exists() || name.name == "" {
		return name, nil
	}
	if r.o.namespace != "" {
		name.namespace = r.o.namespace
		return name, nil
	}
	var found []string
	for live := range r.byName {
		if live.group == name.group && live.kind == name.kind && live.name == name.name {
			found = append(found, live.namespace)
		}
	}
	switch len(found) {
	case 0:
	case 1:
		if name.namespace = found[0]; name.namespace == "default" {
			break
		}
		r.tell(fmt.Sprintf("%s %s names no namespace: taken for the live one in namespace %s", name.kind, name.name, name.namespace))
	default:
		slices.Sort(found)
		return name, fmt.Errorf("%s: %s %s names no namespace, and there are live ones in %s; choose one with --namespace", p.Position(), name.kind, name.name, strings.Join(found, ", "))
	}
	return name, nil
}

func (r *applyRun) kind(o manifest.Object) (*schema.Kind, error) {
	kind, note, err := kindOf(r.registry, o)
	r.tell(note)
	return kind, err
}

// tell prints a note, once however many documents it holds for.
func (r *applyRun) tell(note string) {
	if note != "" && !r.told[note] {
		r.told[note] = true
		r.app.note(note)
	}
}

// objectName tells one object from all others.
type objectName struct{ group, kind, namespace, name string }

func (n objectName) String() string {
	text := n.kind + " " + n.name
	if n.group != "" {
		text = n.kind + "." + n.group + " " + n.name
	}
	if n.namespace != "" {
		text += " in namespace " + n.namespace
	}
	return text
}

func identity(k *schema.Kind, v document.Value) objectName {
	n := objectName{group: k.Group, kind: k.Kind, name: v.Lookup("metadata", "name").StringOr("")}
	if k.Namespaced {
		n.namespace = v.Lookup("metadata", "namespace").StringOr("default")
	}
	return n
}

// request is what kubectl would send for the patch.
func (r *applyRun) request(p manifest.Object, live document.Value, kind *schema.Kind) (*cluster.Request, string, error) {
	patchType, why := r.o.patchType, ""
	if err := checkSubresource(kind, r.o.subresource); err != nil {
		return nil, "", err
	}
	if patchType == "auto" {
		patchType, why = detectType(p.Value, kind)
	}
	of := live
	if !of.Exists() {
		of = p.Value
	}
	name := identity(kind, of)
	if kind.Namespaced && !of.Lookup("metadata", "namespace").Exists() && r.o.namespace != "" {
		name.namespace = r.o.namespace
	}
	q := &cluster.Request{Verb: cluster.Patch, Group: kind.Group, Version: kind.Version, Resource: kind.Resource,
		Namespace: name.namespace, Name: name.name, Subresource: r.o.subresource, Document: &document.Document{Root: p.Value}}
	q.FieldManager, q.FieldValidation = r.o.fieldManager, map[string]string{"strict": "Strict", "warn": "Warn", "ignore": "Ignore"}[r.o.validate]
	if q.FieldManager == "" {
		q.FieldManager = "kubectl-patch"
	}
	switch patchType {
	case "json":
		q.Format = cluster.JSONPatch
	case "merge":
		q.Format = cluster.MergePatch
	case "strategic":
		q.Format = cluster.StrategicPatch
	case "apply":
		q.Format = cluster.ApplyPatch
		if r.o.fieldManager == "" {
			q.FieldManager = "kubectl"
		}
		q.Force = &r.o.force
	}
	if patchType != "apply" && r.o.force {
		return nil, "", usage("--force-conflicts is for server-side apply; this is a " + patchType + " patch")
	}
	if why != "" {
		r.tell(fmt.Sprintf("%s: %s as field manager %q", why, typeNames[patchType], q.FieldManager))
	}
	return q, patchType, nil
}

// checkSubresource refuses a subresource that a kind has not.
func checkSubresource(kind *schema.Kind, name string) error {
	if _, ok := kind.Subresource(name); ok || name == "" {
		return nil
	}
	var has []string
	for _, s := range kind.Subresources {
		has = append(has, s.Name)
	}
	if len(has) == 0 {
		return usage("--subresource " + name + ": " + kind.Kind + " has none that is known")
	}
	return usage("--subresource " + name + ": " + kind.Kind + " has " + strings.Join(has, ", "))
}

var typeNames = map[string]string{"json": "JSON patch", "merge": "merge patch", "strategic": "strategic merge patch", "apply": "server-side apply"}

// detectType chooses what a patch is, and says why.
func detectType(v document.Value, kind *schema.Kind) (patchType, why string) {
	switch {
	case v.Kind() == document.List:
		return "json", "the patch is a list"
	case v.Get("apiVersion").Exists() && v.Get("kind").Exists():
		return "apply", "the patch has apiVersion and kind"
	case kind.Builtin:
		return "strategic", "the patch is a part of a built-in kind"
	}
	return "merge", "the patch is a part of a custom resource"
}

// note says something on standard error that is no error.
func (a *App) note(text string) { _, _ = io.WriteString(a.Err, text+"\n") }
