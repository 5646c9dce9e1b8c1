package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/cluster"
)

// applyOptions are the flags of apply.
type applyOptions struct {
	schemas  schemaFlags
	inputs   inputFlags
	change   changeFlags
	defaults bool
	engine   engineFlag
	output   outputFlags
	exitCode bool
	quiet    bool
	open     bool
	policies policyFlag
}

func (a *App) applyCommand() *cobra.Command {
	var o applyOptions
	c := &cobra.Command{
		Use:   "apply [LIVE] [PATCH]",
		Short: "Print the object that the API server would make of LIVE and PATCH",
		Long: `Apply a change to an object as kube-apiserver would, and print the object after it.

LIVE holds the objects as they are, with their managedFields if owners matter
(kubectl get -o yaml --show-managed-fields). It is a file, a folder, a glob, "-"
for standard input, or KIND/NAME, which is read from your cluster by your own
kubectl ('kubectl get', and nothing else is ever run). Without LIVE everything is
created. PATCH, or what -f and -k name, holds the change: manifests for
server-side apply, a JSON patch, a merge patch or a strategic merge patch.

Both may hold several documents and Lists, which are matched by group, kind,
namespace and name; what has no live object is created. A manifest without a
namespace is for that of --namespace, else for the one live object of its kind and
name, else for "default". Nothing is ever sent anywhere.

With --type auto, a list is a JSON patch, a document with apiVersion and kind is
applied server-side, and anything else is a strategic merge patch for built-in
kinds and a merge patch for custom ones.

All documents are worked on, also after one that is refused. With -o json and
-o yaml, a refused one is printed as a document of kind Refusal in version
patchlab.dev/v1, with the code, the fields and the conflicts.

` + applyExitHelp,
		Example: `  # What would kubectl apply --server-side do?
  kubectl get deployment web -o yaml --show-managed-fields | patchlab apply - web.yaml

  # The same, with the live object read by kubectl, as a diff
  patchlab apply deployment/web web.yaml -n shop -o diff

  # All manifests of a folder against a dump of the namespace, with custom resources
  patchlab apply live.yaml -f manifests/ -R --crd crds/ -o diff

  # A kustomization, as a check in a pipeline
  patchlab apply live.yaml -k overlays/prod -o diff --exit-code

  # The same case in the playground
  patchlab apply live.yaml web.yaml --open

  # A JSON patch, and who owns what afterwards
  patchlab apply live.yaml patch.json --type json --show-managed-fields`,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: completeObject,
		RunE: func(c *cobra.Command, args []string) error {
			o.output.asked = c.Flags().Changed("output")
			return a.apply(c.Context(), args, &o)
		},
	}
	o.add(c)
	o.engine.add(c)
	o.output.add(c)
	_ = c.RegisterFlagCompletionFunc("field-manager", a.completeManagers(&o.inputs))
	f := c.Flags()
	f.BoolVar(&o.exitCode, "exit-code", false, "end with code 4 where an object would change")
	f.StringArrayVar(&o.policies.files, "policy", nil, "file, folder or glob of admission policies and bindings, with their parameters and Namespaces, which decide about each change (repeatable; run by "+admissionProgram+")")
	f.BoolVar(&o.open, "open", false, "then show this very case in the playground, in your browser, until Ctrl-C")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print no notes and no summary")
	return c
}

const applyExitHelp = exitHelp + `
  4  an object would change (only with --exit-code)`

// add adds the flags that define the change.
func (o *applyOptions) add(c *cobra.Command) {
	o.schemas.add(c)
	o.inputs.add(c)
	o.schemas.kubectl = &o.inputs.kubectl
	c.Flags().BoolVar(&o.schemas.fromCluster, "crds-from-cluster", false, "read the CustomResourceDefinitions of your cluster by your own kubectl")
	o.change.add(c)
	c.Flags().BoolVar(&o.defaults, "defaults", true, "fill in the defaults of built-in kinds")
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
	flags.StringVar(&f.patchType, "type", "auto", "kind of PATCH: json, merge, strategic, apply or auto")
	flags.BoolVar(&f.clientSide, "client-side", false, "apply as kubectl does without --server-side: by a three-way patch with the configuration applied last")
	flags.StringVar(&f.FieldManager, "field-manager", "", "name of the field manager (default kubectl for apply, kubectl-client-side-apply for --client-side, else kubectl-patch, as kubectl has it)")
	flags.BoolVar(&f.Force, "force-conflicts", false, "take over fields that others own (server-side apply only)")
	flags.StringVarP(&f.Namespace, "namespace", "n", "", "namespace of manifests and live objects that name none")
	flags.StringVar(&f.Subresource, "subresource", "", "change this subresource, such as status or scale")
	flags.StringVar(&f.validate, "validate", "strict", "what to do with unknown and duplicate fields: strict, warn or ignore")
	flags.BoolVar(&f.RequireLive, "require-live", false, "refuse to create objects: each must have a live one")
	_ = c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(patchTypes[:], cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("subresource", cobra.FixedCompletions([]string{"status", "scale"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("validate", cobra.FixedCompletions([]string{"strict", "warn", "ignore"}, cobra.ShellCompDirectiveNoFileComp))
}

var patchTypes = [...]string{"auto", "json", "merge", "strategic", "apply"}

// complete validates the flags and sets the change.
func (f *changeFlags) complete() error {
	actions := map[string]patchlab.Action{"json": patchlab.ActionJSONPatch, "merge": patchlab.ActionMergePatch,
		"strategic": patchlab.ActionStrategicPatch, "apply": patchlab.ActionApply, "auto": ""}
	validation := map[string]string{"strict": "Strict", "warn": "Warn", "ignore": "Ignore"}
	switch {
	case !slices.Contains(patchTypes[:], f.patchType):
		return usage("--type " + f.patchType + ": expected json, merge, strategic, apply or auto")
	case validation[f.validate] == "":
		return usage("--validate " + f.validate + ": expected strict, warn or ignore")
	case f.clientSide && f.patchType != "auto" && f.patchType != "apply":
		return usage("--client-side is for manifests, not for a patch of --type " + f.patchType)
	case f.clientSide && f.Force:
		return usage("--force-conflicts is for server-side apply; a client-side apply has no conflicts")
	}
	f.Action, f.FieldValidation = actions[f.patchType], validation[f.validate]
	if f.clientSide {
		f.Action = patchlab.ActionClientApply
	}
	return nil
}

func (a *App) apply(ctx context.Context, args []string, o *applyOptions) error {
	for _, err := range [...]error{o.change.complete(), o.inputs.complete(args), o.output.check(), o.engine.check()} {
		if err != nil {
			return err
		}
	}
	if o.engine.elsewhere(a) {
		return a.handOver(ctx)
	}
	if o.policies.elsewhere(a) {
		return a.handOverPolicies(ctx)
	}
	a.quiet = o.quiet
	live, changes, err := o.inputs.read(ctx, a, o.change.Namespace)
	if err == nil {
		err = o.policies.read(a, o.change.Namespace, live, changes)
	}
	if err != nil {
		return err
	}
	lab, err := o.lab(ctx, a)
	if err != nil {
		return err
	}
	out := newPrinter(a, &o.output, lab, len(changes.objects()))
	shown := openedCase{options: o}
	var bodies []string
	if o.open {
		bodies = o.bodies(changes)
	}
	for result, err := range lab.Run(live, changes, o.change.Change) {
		if len(bodies) > 0 {
			shown.add(result, err, bodies[0])
			bodies = bodies[1:]
		}
		if err := out.add(result, err); err != nil {
			return err
		}
	}
	ended := out.finish(o.exitCode)
	if o.open {
		return cmp.Or(a.openCase(ctx, &shown, live), ended)
	}
	return ended
}

// lab returns a Lab with the schemas and the engine that the flags select.
func (o *applyOptions) lab(ctx context.Context, a *App) (*patchlab.Lab, error) {
	registry, err := o.schemas.registry(ctx, a)
	if err != nil {
		return nil, err
	}
	options := patchlab.Options{Kinds: registry, NoDefaults: !o.defaults, Strict: o.schemas.strict, Now: a.Now, UID: a.UID}
	if a.Admission != nil {
		var config cluster.Config
		if err := a.Admission(&config); err != nil {
			return nil, err
		}
		options.Rules = config.Rules
	}
	if err := o.policies.options(a, &options); err != nil {
		return nil, err
	}
	if o.engine.name == "reference" {
		options.MergeEngine, options.PatchEngine = a.Reference.Merge(), a.Reference.Patch
	}
	return patchlab.New(options)
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
	return usage(text)
}
