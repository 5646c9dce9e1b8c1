package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// defaultsOptions are the flags of defaults.
type defaultsOptions struct {
	schemas  schemaFlags
	minimize bool
	output   string
}

func (a *App) defaultsCommand() *cobra.Command {
	var o defaultsOptions
	c := &cobra.Command{
		Use:   "defaults FILE",
		Short: "Fill in what the API server would fill in, or take it out",
		Long: `Print the objects of FILE as the API server would store them when they are
created: decoded, with the defaults of their kind and version and with what the
kind's strategy fills in, as far as that can be known without a cluster. FILE may
be "-" for standard input, and may hold several documents and lists.

With --minimize, do the reverse: print the least manifests that would be filled
in to the same objects. What the API server owns is taken out too: the status,
uid, resourceVersion, generation, creationTimestamp, managedFields, the
last-applied annotation. So an exported object can be kept in git. Values that
nobody can tell from chosen ones, such as a clusterIP, stay.

With -o rules, print instead which rule fills in which field.

` + exitHelp,
		Example: `  # What is stored when this is created?
  patchlab defaults web.yaml

  # What of this live object is not the API server's own?
  kubectl get deployment web -o yaml | patchlab defaults --minimize -

  # Why is that field there?
  patchlab defaults web.yaml -o rules`,
		Args: arguments("FILE"),
		RunE: func(_ *cobra.Command, args []string) error { return a.defaults(args[0], &o) },
	}
	o.schemas.add(c)
	c.Flags().BoolVar(&o.minimize, "minimize", false, "take out what the API server owns and would fill in again")
	c.Flags().StringVarP(&o.output, "output", "o", "yaml", "output format: yaml, json, diff (against FILE) or rules")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"yaml", "json", "diff", "rules"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *App) defaults(name string, o *defaultsOptions) error {
	switch o.output {
	case "yaml", "json", "diff":
	case "rules":
		if o.minimize {
			return usage("-o rules shows what is filled in; it does not go with --minimize")
		}
	default:
		return usage("--output " + o.output + ": expected yaml, json, diff or rules")
	}
	registry, err := o.schemas.registry(a)
	if err != nil {
		return err
	}
	rules, err := defaults.For(registry.Catalog().Version())
	if err != nil {
		return err
	}
	objects, _, err := a.source().Objects(name)
	if err != nil {
		return err
	}
	f := filling{app: a, rules: rules, registry: registry, minimize: o.minimize}
	var changes []change
	for _, obj := range objects {
		c, err := f.one(obj)
		if err != nil {
			return err
		}
		changes = append(changes, c)
	}
	if o.output == "rules" {
		_, err := a.Out.Write([]byte(f.report.String()))
		return err
	}
	out := outputFlags{format: o.output, showManagedFields: true}
	return out.print(a, changes)
}

// filling is one run of defaults.
type filling struct {
	app      *App
	rules    *defaults.Rules
	registry *schema.Registry
	minimize bool
	noted    string
	report   strings.Builder
}

func (f *filling) one(obj manifest.Object) (change, error) {
	kind, note, err := kindOf(f.registry, obj)
	if err != nil {
		return change{}, err
	}
	if note != "" && note != f.noted {
		f.noted = note
		f.app.note(note)
	}
	if err := f.decodes(kind, obj); err != nil {
		return change{}, err
	}
	var after document.Value
	if f.minimize {
		after, err = f.rules.Minimize(kind, obj.Value)
	} else {
		fmt.Fprintf(&f.report, "%s:\n", identity(kind, obj.Value))
		after, err = f.rules.Fill(kind, obj.Value, defaults.Options{Observe: f.observe})
	}
	return change{kind: kind, live: obj.Value, after: after}, err
}

// decodes says at which place of the input an object does not fit its kind.
func (f *filling) decodes(kind *schema.Kind, obj manifest.Object) error {
	_, problems, err := defaults.Decode(kind, obj.Value, defaults.FromJSON)
	if err, ok := err.(*defaults.DecodeError); ok {
		return fmt.Errorf("%s: %w", obj.PositionOf(err.Path), err)
	}
	for _, p := range problems {
		f.app.note(fmt.Sprintf("Warning: %s: %s%s", obj.PositionOf(p.Path), p.Message, nearestField(kind, p.Path)))
	}
	return err
}

func (f *filling) observe(x defaults.Filled) {
	value := "taken away"
	if x.Value.Exists() {
		value = x.Value.String()
	}
	fmt.Fprintf(&f.report, "  %s: %s\n    %s line %d, %s: %s\n", x.Path, value, x.Rule.File, x.Rule.Line, strings.TrimPrefix(x.Rule.Type, "io.k8s."), x.Rule)
}
