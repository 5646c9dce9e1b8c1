package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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
	c.Flags().StringVar(&f.kubeVersion, "kube-version", "", "Kubernetes version of the built-in kinds, such as 1.33 (default the latest supported version)")
	c.Flags().BoolVar(&f.strict, "strict-schema", false, "refuse objects of kinds without a schema")
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.FixedCompletions(schema.Versions(), cobra.ShellCompDirectiveNoFileComp))
}

// registry returns the kinds that the flags select.
func (f *schemaFlags) registry(ctx context.Context, a *App) (*schema.Registry, error) {
	catalog, err := schema.Builtin(minorVersion(f.kubeVersion))
	if err != nil {
		return nil, usage("--kube-version " + f.kubeVersion + ": supported versions are " + strings.Join(schema.Versions(), ", "))
	}
	r := schema.NewRegistry(catalog)
	crds, err := a.crds(f.crds)
	if err != nil {
		return nil, err
	}
	if f.fromCluster {
		found, err := f.kubectl.crds(ctx)
		if err != nil {
			return nil, err
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
