package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/schema"
)

// applyOptions are the flags of apply.
type applyOptions struct {
	schemas  inputs.SchemaFlags
	inputs   inputs.Flags
	change   changeFlags
	defaults bool
	engine   program.EngineFlag
	output   results.Flags
	exitCode bool
	quiet    bool
	open     bool
	policies inputs.PolicyFlag
	prune    pruneFlags
}

func applyCommand(a *program.App) *cobra.Command {
	var o applyOptions
	c := &cobra.Command{
		Use:   "apply [LIVE] [PATCH]",
		Short: "Apply a change to an object locally and print the resulting object",
		Long: `Apply a change to an object as kube-apiserver does, and print the resulting object.
Nothing in a cluster is changed: the only requests to one are those of 'kubectl get' for
KIND/NAME and --crds-from-cluster.

LIVE contains the current objects. Include their managedFields if field ownership
matters (kubectl get -o yaml --show-managed-fields). LIVE is a file, a folder, a
glob, "-" for standard input, or KIND/NAME, which is read from the cluster
in the namespace of -n or else of the manifest; a file or folder that has this name takes
precedence, with a note. If LIVE is omitted, all objects are created. PATCH, or the input
of -f and -k, contains the change: manifests for server-side apply, a JSON patch, a merge
patch or a strategic merge patch.

LIVE and PATCH can contain several documents and Lists. They are matched by group,
kind, namespace and name; a manifest without a live object is created. The namespace
of a manifest that specifies none is that of --namespace or --default-namespace,
otherwise that of the only live object of its kind and name, otherwise "default". As with
kubectl, --namespace refuses manifests of other namespaces; --default-namespace takes
them, as Helm does. A custom resource has the schema of its CustomResourceDefinition in
LIVE, PATCH or --crd.

With --type auto, a list is a JSON patch, a document with apiVersion and kind is
applied server-side, and any other document is a strategic merge patch for built-in
kinds and a merge patch for custom resources. With --server-side, a manifest is applied
as by kubectl, which transfers the fields of an object that client-side apply has written.

CEL rules of custom resources are evaluated by the program ` + program.Admission + `,
which this command executes if it is installed. Otherwise a note reports their number.

With --prune, the live objects that the manifests no longer contain are shown as pruned:
those that the client deletes. As with kubectl, -l or --all selects them, of the
namespaces of the manifests and of those without a namespace. With --client-side, they are
those of the kinds of --prune-allowlist that client-side apply has written, as with
'kubectl apply --prune'. Without, they are those that --field-manager has applied, which
is what Flux, Argo CD and Helm delete if -l is their label of the application; it need
not be in the manifests. Without --prune, a note counts them.

A refused document does not stop the command: the remaining documents are processed.
With -o json and -o yaml, a refusal is printed as a document of kind Refusal in
version patchlab.dev/v1, with the status code, the fields and the conflicts. A command
that reads this output in a pipeline reports the refusal as an error.

` + applyExitHelp,
		Example: `  # Preview the server-side apply of a controller or a GitOps tool
  kubectl get deployment web -o yaml --show-managed-fields | patchlab apply - web.yaml --field-manager gitops

  # Preview kubectl apply --server-side, which also transfers fields from client-side apply
  patchlab apply deployment/web web.yaml -n shop --server-side -o diff

  # Read the live object from the cluster and print a diff
  patchlab apply deployment/web web.yaml -n shop -o diff

  # Apply all manifests of a folder to an export of the namespace, including custom resources
  patchlab apply live.yaml -f manifests/ -R --crd crds/ -o diff

  # Check a kustomization in a CI pipeline
  patchlab apply live.yaml -k overlays/prod -o diff --exit-code

  # Preview a release of a chart, of which some objects are in kube-system
  helm template web chart/ -n shop | patchlab apply live/ - --default-namespace shop -o diff

  # Show which objects a client deletes because the manifests no longer contain them
  patchlab apply live.yaml -f manifests/ --field-manager kustomize-controller --prune -l kustomize.toolkit.fluxcd.io/name=shop --summary text

  # Show what the upgrade of a chart changes, from the manifests before and after it
  patchlab apply -f before/ --field-manager ci --show-managed-fields -o yaml -q | patchlab apply - -f after/ --field-manager ci -o diff

  # Open the change in the playground
  patchlab apply live.yaml web.yaml --open

  # Apply a JSON patch and print the resulting managedFields
  patchlab apply live.yaml patch.json --type json --show-managed-fields`,
		Args:              cobra.ArbitraryArgs, // checked together with -f and -k
		ValidArgsFunction: inputs.CompleteObject,
		RunE: func(c *cobra.Command, args []string) error {
			o.output.Asked = c.Flags().Changed("output")
			return apply(c.Context(), a, args, &o)
		},
	}
	o.add(c)
	o.engine.Add(c)
	o.output.Add(c)
	inputs.CompleteInputs(a, c, &o.inputs.Kubectl)
	o.change.addServerSide(c)
	o.prune.add(c)
	f := c.Flags()
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with code 4 if an object would change")
	f.StringArrayVar(&o.policies.Files, "policy", nil, "file, folder or glob of admission policies and bindings to evaluate for each change, with their parameters and Namespaces (repeatable; run by "+program.Admission+")")
	f.BoolVar(&o.open, "open", false, "open the change in the playground in the browser, and serve the page until Ctrl-C")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "do not print notes, nor the summary on standard error")
	return c
}

const applyExitHelp = program.ExitHelp + `
  4  an object would change (only with --exit-code)`

// add adds the flags that define the change.
func (o *applyOptions) add(c *cobra.Command) {
	o.schemas.Add(c)
	o.inputs.Add(c)
	o.schemas.AddCluster(c, &o.inputs.Kubectl)
	o.change.add(c)
	c.Flags().BoolVar(&o.defaults, "defaults", true, "set the default values of built-in kinds")
}

// changeFlags are the flags that define a change.
type changeFlags struct {
	patchType  string
	clientSide bool
	validate   string
	patchlab.Change
}

func (f *changeFlags) add(c *cobra.Command) {
	flags := c.Flags()
	program.OneOf(c, &f.patchType, "type", "", "auto", "type of PATCH: json, merge, strategic, apply or auto", "json", "merge", "strategic", "apply", "auto")
	flags.BoolVar(&f.clientSide, "client-side", false, "apply client-side, as kubectl does without --server-side: compute a three-way patch from the last-applied configuration")
	flags.StringVar(&f.FieldManager, "field-manager", "", "name of the field manager (default as in kubectl: kubectl for server-side apply, kubectl-client-side-apply with --client-side, otherwise kubectl-patch)")
	flags.BoolVar(&f.Force, "force-conflicts", false, "take ownership of fields that other managers own (server-side apply only)")
	addNamespace(c, &f.Namespace, &f.DefaultNamespace)
	flags.StringVar(&f.Subresource, "subresource", "", "subresource to change, such as status or scale")
	program.OneOf(c, &f.validate, "validate", "", "", "handling of unknown and duplicate fields: strict, warn or ignore (default as in kubectl: warn for JSON, merge and strategic merge patches, otherwise strict)", "strict", "warn", "ignore")
	flags.BoolVar(&f.RequireLive, "require-live", false, "refuse to create objects: each manifest must match a live object")
	_ = c.RegisterFlagCompletionFunc("subresource", cobra.FixedCompletions([]string{"status", "scale"}, cobra.ShellCompDirectiveNoFileComp))
}

// addServerSide adds the flag for kubectl's own server-side apply.
func (f *changeFlags) addServerSide(c *cobra.Command) {
	c.Flags().BoolVar(&f.TransferClientSide, "server-side", false, "apply manifests as 'kubectl apply --server-side' does: if client-side apply has written the live object, transfer its fields to the field manager, and apply again")
}

// addNamespace adds the two flags for namespaces.
func addNamespace(c *cobra.Command, namespace, fallback *string) {
	c.Flags().StringVarP(namespace, "namespace", "n", "", "namespace of KIND/NAME, and of manifests and live objects that do not specify one; manifests of another namespace are refused, as by kubectl")
	c.Flags().StringVar(fallback, "default-namespace", "", "namespace of manifests and live objects that do not specify one, like that of kubectl's context or of a Helm release")
}

// checkNamespace refuses both flags of addNamespace at once.
func checkNamespace(namespace, fallback string) error {
	if namespace != "" && fallback != "" {
		return program.Usage("--namespace and --default-namespace cannot be used together")
	}
	return nil
}

// complete validates the flags and sets the change.
func (f *changeFlags) complete() error {
	actions := map[string]patchlab.Action{"json": patchlab.ActionJSONPatch, "merge": patchlab.ActionMergePatch,
		"strategic": patchlab.ActionStrategicPatch, "apply": patchlab.ActionApply, "auto": ""}
	validation := map[string]string{"": "", "strict": "Strict", "warn": "Warn", "ignore": "Ignore"}
	switch {
	case f.clientSide && f.patchType == "apply":
		return program.Usage("--type apply is a server-side apply; leave it out to apply client-side")
	case f.clientSide && f.patchType != "auto":
		return program.Usage("--client-side requires manifests; it cannot be used with --type " + f.patchType)
	case f.clientSide && f.TransferClientSide:
		return program.Usage("--client-side and --server-side cannot be used together")
	case f.TransferClientSide && f.patchType != "auto" && f.patchType != "apply":
		return program.Usage("--server-side requires manifests; it cannot be used with --type " + f.patchType)
	case f.clientSide && f.Force:
		return program.Usage("--force-conflicts requires server-side apply; a client-side apply has no conflicts")
	}
	if err := checkNamespace(f.Namespace, f.DefaultNamespace); err != nil {
		return err
	}
	f.Action, f.FieldValidation = actions[f.patchType], validation[f.validate]
	switch {
	case f.clientSide:
		f.Action = patchlab.ActionClientApply
	case f.TransferClientSide:
		f.Action = patchlab.ActionApply
	}
	return nil
}

func apply(ctx context.Context, a *program.App, args []string, o *applyOptions) error {
	for _, err := range [...]error{o.change.complete(), o.prune.complete(&o.change), o.inputs.Complete(args)} {
		if err != nil {
			return err
		}
	}
	if o.engine.Elsewhere(a) {
		return a.HandOver(ctx, "--engine reference")
	}
	if o.policies.Elsewhere(a) {
		return inputs.HandOverPolicies(ctx, a)
	}
	a.Quiet = o.quiet
	if o.output.Summary.HasNotes() {
		defer a.KeepNotes()()
	}
	in, err := o.begin(ctx, a)
	if in == nil {
		return err
	}
	out := newPrinter(a, &o.output, in.lab, len(in.changes.Objects()))
	out.summary.Details = o.inputs.Again(a, " -o diff")
	out.live = o.inputs.LiveArguments()
	out.transfers, out.force = o.change.TransferClientSide, o.change.Force
	shown := openedCase{options: o}
	var bodies []string
	if o.open {
		bodies = o.bodies(a, in.changes)
	}
	done := a.Waiting("applying the change…")
	defer done()
	for result, err := range in.lab.Run(in.live, in.changes, o.change.Change) {
		if len(bodies) > 0 {
			shown.add(result, err, bodies[0])
			bodies = bodies[1:]
		}
		if err := out.add(result, err); err != nil {
			return err
		}
	}
	if err := o.pruneOthers(in, out); err != nil {
		return err
	}
	done() // finish writes the results itself
	ended := out.finish(o.exitCode)
	if o.open {
		return cmp.Or(openCase(ctx, a, &shown, in.live), ended)
	}
	return ended
}

// applyInputs are the inputs of apply and explain, and the Lab for them.
type applyInputs struct {
	live, changes inputs.Documents
	lab           *patchlab.Lab
}

// begin reads the inputs. It returns nil if the changed objects have CEL rules and it has executed the
// program that evaluates these, which has then performed the whole command.
func (o *applyOptions) begin(ctx context.Context, a *program.App) (*applyInputs, error) {
	held := inputs.HoldForRules(a)
	defer held.Release()
	in := &applyInputs{}
	var err error
	namespace := cmp.Or(o.change.Namespace, o.change.DefaultNamespace)
	if in.live, in.changes, err = o.inputs.Read(ctx, a, namespace); err != nil {
		return nil, err
	}
	if in.changes, err = o.prune.selected(inputs.OnlyObjects(a, in.changes), o.change.clientSide); err != nil {
		return nil, err
	}
	if err := o.policies.Read(a, namespace, in.live, in.changes); err != nil {
		return nil, err
	}
	registry, err := o.schemas.Registry(ctx, a, in.live, in.changes, o.policies.Found)
	if err != nil {
		return nil, err
	}
	if done, err := held.HandOverFor(ctx, registry, in.live, in.changes); done {
		return nil, err
	}
	in.lab, err = o.lab(a, registry)
	if err != nil {
		return nil, err
	}
	return in, nil
}

// lab returns a Lab with the kinds and with the engine that the flags select.
func (o *applyOptions) lab(a *program.App, registry *schema.Registry) (*patchlab.Lab, error) {
	options := patchlab.Options{Kinds: registry, NoDefaults: !o.defaults, Strict: o.schemas.Strict}
	if err := o.policies.Options(a, &options); err != nil {
		return nil, err
	}
	if o.engine.Name == "reference" {
		options.MergeEngine, options.PatchEngine = a.Reference.Merge(), a.Reference.Patch
	}
	return inputs.NewLab(a, options)
}

// changeError rewrites an error of a change for the command line: options are named by their
// flags.
func changeError(err error) error {
	var failed *patchlab.Error
	if !errors.As(err, &failed) || len(failed.Options) == 0 {
		return err
	}
	flags := map[string]string{"fieldManager": "--field-manager", "force": "--force-conflicts", "fieldValidation": "--validate", "subresource": "--subresource"}
	text := ""
	for i, option := range failed.Options {
		name := flags[option.Name]
		if name == "" {
			name = option.Name
		}
		if i > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("%s: %s", name, option.Message)
	}
	return program.Usage(text)
}
