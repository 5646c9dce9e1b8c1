package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// schemaFlags select the schemas of a command.
type schemaFlags struct {
	crds        []string
	openapi     []string
	kubeVersion string
	strict      bool
	fromCluster bool
	kubectl     *kubectlFlags // nil if the command does not use a cluster
}

func (f *schemaFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.crds, "crd", nil, "file, folder (read recursively) or glob of CustomResourceDefinitions (repeatable)")
	c.Flags().StringArrayVar(&f.openapi, "openapi", nil, "OpenAPI v3 document, as printed by 'kubectl get --raw /openapi/v3/apis/…' (repeatable)")
	c.Flags().StringVar(&f.kubeVersion, "kube-version", "", "Kubernetes version of the built-in kinds, such as 1.33 (default "+schema.DefaultVersion+")")
	c.Flags().BoolVar(&f.strict, "strict-schema", false, "refuse objects of kinds without a schema")
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.FixedCompletions(schema.Versions(), cobra.ShellCompDirectiveNoFileComp))
}

// addCluster adds the flag for a command that can read objects of a cluster.
func (f *schemaFlags) addCluster(c *cobra.Command, kubectl *kubectlFlags) {
	f.kubectl = kubectl
	c.Flags().BoolVar(&f.fromCluster, "crds-from-cluster", false, "read the CustomResourceDefinitions of the cluster with kubectl")
}

// registry returns the kinds that the flags select, and those of custom resources whose
// CustomResourceDefinition is among the inputs. Of several definitions with one name the
// last counts: those of the flags come after those of the inputs. If there are inputs, only the
// definitions of their API groups are used.
func (f *schemaFlags) registry(ctx context.Context, a *App, inputs ...documents) (*schema.Registry, error) {
	catalog, err := schema.Builtin(minorVersion(f.kubeVersion))
	if err != nil {
		return nil, usage("--kube-version " + f.kubeVersion + ": supported versions are " + strings.Join(schema.Versions(), ", "))
	}
	r := schema.NewRegistry(catalog)
	var objects []manifest.Object
	for _, docs := range inputs {
		objects = append(objects, docs.objects()...)
	}
	addOwnCRDs(r, objects)
	wanted := ofGroups(objects)
	if len(inputs) == 0 {
		wanted = nil
	}
	crds, err := a.crds(f.crds, wanted)
	if err != nil {
		return nil, err
	}
	if f.fromCluster {
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

// lab returns a Lab with the kinds of registry.
func (f *schemaFlags) lab(ctx context.Context, a *App, inputs ...documents) (*patchlab.Lab, error) {
	registry, err := f.registry(ctx, a, inputs...)
	if err != nil {
		return nil, err
	}
	return a.newLab(patchlab.Options{Kinds: registry, Strict: f.strict})
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

func addOpenAPI(a *App, r *schema.Registry, name string) error {
	docs, err := a.source().Read(name)
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

// minorVersion converts v1.33.2 to 1.33.
func minorVersion(v string) string {
	v = strings.TrimPrefix(v, "v")
	if parts := strings.SplitN(v, ".", 3); len(parts) == 3 {
		return parts[0] + "." + parts[1]
	}
	return v
}
