package inputs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// SchemaFlags select the schemas of a command.
type SchemaFlags struct {
	CRDs        []string
	openapi     []string
	KubeVersion string
	Strict      bool
	FromCluster bool
	kubectl     *KubectlFlags // nil if the command does not use a cluster
}

// Add adds the flags to a command.
func (f *SchemaFlags) Add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.CRDs, "crd", nil, "file, folder (read recursively) or glob of CustomResourceDefinitions (repeatable)")
	c.Flags().StringArrayVar(&f.openapi, "openapi", nil, "OpenAPI v3 document, as printed by 'kubectl get --raw /openapi/v3/apis/…' (repeatable)")
	c.Flags().StringVar(&f.KubeVersion, "kube-version", "", "Kubernetes version of the built-in kinds, such as 1.33 (default "+schema.DefaultVersion+")")
	c.Flags().BoolVar(&f.Strict, "strict-schema", false, "refuse objects of kinds without a schema")
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.FixedCompletions(schema.Versions(), cobra.ShellCompDirectiveNoFileComp))
}

// AddCluster adds the flag for a command that can read objects of a cluster.
func (f *SchemaFlags) AddCluster(c *cobra.Command, kubectl *KubectlFlags) {
	f.kubectl = kubectl
	c.Flags().BoolVar(&f.FromCluster, "crds-from-cluster", false, "read the CustomResourceDefinitions of the cluster with kubectl")
}

// Registry returns the kinds that the flags select, and those of custom resources whose
// CustomResourceDefinition is among the inputs. Of several definitions with one name the
// last counts: those of the flags come after those of the inputs. If there are inputs, only the
// definitions of their API groups are used.
func (f *SchemaFlags) Registry(ctx context.Context, a *program.App, inputs ...Documents) (*schema.Registry, error) {
	catalog, err := schema.Builtin(MinorVersion(f.KubeVersion))
	if err != nil {
		return nil, program.Usage("--kube-version " + f.KubeVersion + ": supported versions are " + strings.Join(schema.Versions(), ", "))
	}
	r := schema.NewRegistry(catalog)
	var objects []manifest.Object
	for _, docs := range inputs {
		objects = append(objects, docs.Objects()...)
	}
	addOwnCRDs(r, objects)
	wanted := ofGroups(objects)
	if len(inputs) == 0 {
		wanted = nil
	}
	crds, err := ReadCRDs(a, f.CRDs, wanted)
	if err != nil {
		return nil, err
	}
	if f.FromCluster {
		found, err := f.kubectl.crds(ctx)
		if err != nil {
			return nil, err
		}
		if wanted != nil {
			found = slices.DeleteFunc(found, func(o manifest.Object) bool { return !wanted(o) })
		}
		crds = append(found, crds...)
	}
	if err := addCRDs(r, crds); err != nil {
		return nil, err
	}
	for _, name := range f.openapi {
		if err := addOpenAPI(a, r, name); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Lab returns a Lab with the kinds of registry.
func (f *SchemaFlags) Lab(ctx context.Context, a *program.App, inputs ...Documents) (*patchlab.Lab, error) {
	registry, err := f.Registry(ctx, a, inputs...)
	if err != nil {
		return nil, err
	}
	return NewLab(a, patchlab.Options{Kinds: registry, Strict: f.Strict})
}

// ofGroups returns a function that reports whether a CustomResourceDefinition has the API group of
// one of the objects. The other kinds of a group are in messages about a kind that does not exist.
func ofGroups(objects []manifest.Object) func(crd manifest.Object) bool {
	used := map[string]bool{}
	for _, o := range objects {
		group, _, _ := schema.SplitAPIVersion(o.Value.Get("apiVersion").StringOr(""))
		used[group] = true
	}
	return func(crd manifest.Object) bool { return used[crd.Value.Lookup("spec", "group").StringOr("")] }
}

// addOwnCRDs adds the kinds that the inputs both define and use. A definition that cannot be
// used is skipped: if it is to be applied, the result reports why it is invalid.
func addOwnCRDs(r *schema.Registry, objects []manifest.Object) {
	used := map[schema.GroupVersionKind]bool{}
	for _, o := range objects {
		group, _, _ := schema.SplitAPIVersion(o.Value.Get("apiVersion").StringOr(""))
		used[schema.GroupVersionKind{Group: group, Kind: o.Kind()}] = true
	}
	for _, o := range objects {
		spec := o.Value.Get("spec")
		if !o.IsCRD() || !used[schema.GroupVersionKind{Group: spec.Get("group").StringOr(""), Kind: spec.Lookup("names", "kind").StringOr("")}] {
			continue
		}
		if crd, err := manifest.CRD(o); err == nil {
			r.AddCRD(crd)
		}
	}
}

func addOpenAPI(a *program.App, r *schema.Registry, name string) error {
	docs, err := Source(a).Read(name)
	if err != nil {
		return err
	}
	for _, d := range docs {
		kinds, err := schema.FromOpenAPI(d.Root)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Add(kinds...)
	}
	return nil
}

// MinorVersion converts v1.33.2 to 1.33.
func MinorVersion(v string) string {
	v = strings.TrimPrefix(v, "v")
	if parts := strings.SplitN(v, ".", 3); len(parts) == 3 {
		return parts[0] + "." + parts[1]
	}
	return v
}
