package cli

import (
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// schemaFlags say where a command has its schemas from.
type schemaFlags struct {
	crds        []string
	openapi     []string
	kubeVersion string
}

func (f *schemaFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.crds, "crd", nil, "file, folder (with those within it) or glob of CustomResourceDefinitions (repeatable)")
	c.Flags().StringArrayVar(&f.openapi, "openapi", nil, "OpenAPI v3 document, as 'kubectl get --raw /openapi/v3/apis/…' prints it (repeatable)")
	c.Flags().StringVar(&f.kubeVersion, "kube-version", "", "Kubernetes version of the built-in kinds, such as 1.33 (default the newest known)")
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.FixedCompletions(schema.Versions(), cobra.ShellCompDirectiveNoFileComp))
}

// registry gathers the kinds that the flags name.
func (f *schemaFlags) registry(a *App) (*schema.Registry, error) {
	catalog, err := schema.Builtin(minorVersion(f.kubeVersion))
	if err != nil {
		return nil, usage("--kube-version " + f.kubeVersion + ": known are " + strings.Join(schema.Versions(), ", "))
	}
	r := schema.NewRegistry(catalog)
	if err := a.addCRDs(r, f.crds); err != nil {
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

// minorVersion turns v1.33.2 into 1.33.
func minorVersion(v string) string {
	v = strings.TrimPrefix(v, "v")
	if parts := strings.SplitN(v, ".", 3); len(parts) == 3 {
		return parts[0] + "." + parts[1]
	}
	return v
}

// kindOf finds the kind of an object. One that nobody described becomes a kind
// without a schema, which note says; in a built-in group it is an error.
func kindOf(r *schema.Registry, o manifest.Object) (k *schema.Kind, note string, err error) {
	v := o.Value
	if k, ok := r.Of(v); ok {
		return k, "", nil
	}
	apiVersion, kind := v.Get("apiVersion").StringOr(""), v.Get("kind").StringOr("")
	if apiVersion == "" || kind == "" {
		return nil, "", fmt.Errorf("%s: an object needs apiVersion and kind", o.Position())
	}
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !ok {
		return nil, "", fmt.Errorf("%s: apiVersion %q has more than one slash", o.PositionOf(document.Keys("apiVersion")), apiVersion)
	}
	if hint, known := nearestKind(r, group, version, kind); known {
		return nil, "", fmt.Errorf("%s: no kind %q is registered for version %q%s", o.PositionOf(document.Keys("kind")), kind, apiVersion, hint)
	}
	k = schema.NewKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, schema.Deduced())
	k.Namespaced = v.Lookup("metadata", "namespace").Exists()
	k.Resource, k.Verbs, k.Storage = strings.ToLower(kind)+"s", []string{"create", "patch", "update"}, true
	r.Add(k)
	return k, "no schema for " + kind + " in " + apiVersion + ": lists are taken as atomic, nothing is defaulted or checked; give its CRD with --crd", nil
}

// nearestKind reports whether a group is built in, so that a kind that it does
// not have is a mistake, and which kind may have been meant.
func nearestKind(r *schema.Registry, group, version, kind string) (hint string, known bool) {
	names := map[string]bool{}
	for k := range r.Kinds() {
		if k.Group != group {
			continue
		}
		known = known || k.Builtin
		if k.Kind == kind && k.Version != version {
			return "; it is in " + k.APIVersion(), true
		}
		names[k.Kind] = true
	}
	if near := schema.Nearest(kind, maps.Keys(names)); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return hint, known
}
