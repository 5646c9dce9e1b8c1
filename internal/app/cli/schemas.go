package cli

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// schemaFlags say where a command has its schemas from.
type schemaFlags struct {
	crds        []string
	openapi     []string
	kubeVersion string
}

func (f *schemaFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.crds, "crd", nil, "file or folder of CustomResourceDefinitions (repeatable)")
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
	docs, err := a.readAll(f.crds)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if kind := d.Root.Get("kind").StringOr(""); kind != "CustomResourceDefinition" {
			return nil, fmt.Errorf("%s: expected a CustomResourceDefinition, found kind %q", d.Position(d.Root), kind)
		}
		crd, err := readCRD(d)
		if err != nil {
			return nil, err
		}
		r.AddCRD(crd)
	}
	for _, name := range f.openapi {
		if err := addOpenAPI(a, r, name); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readCRD reads a CustomResourceDefinition and tells all that the API server would
// refuse about its schemas, their defaults included.
func readCRD(d *document.Document) (*schema.CRD, error) {
	crd, err := schema.FromCRD(d.Root)
	var invalid *schema.InvalidCRD
	switch {
	case errors.As(err, &invalid):
	case err != nil:
		return nil, fmt.Errorf("%s: %w", d.Position(d.Root), err)
	default:
		errs := structural.ValidateDefaults(crd)
		if len(errs) == 0 {
			return crd, nil
		}
		invalid = &schema.InvalidCRD{Name: crd.Name, Errors: errs}
	}
	if len(invalid.Errors) == 1 {
		return nil, fmt.Errorf("%s: %w", d.PositionOf(invalid.Errors[0].Path), invalid)
	}
	var b strings.Builder
	for _, e := range invalid.Errors {
		fmt.Fprintf(&b, "\n  %s: %s", d.PositionOf(e.Path), e.Error())
	}
	return nil, fmt.Errorf("%w %q%s", schema.ErrInvalidCRD, invalid.Name, b.String())
}

func addOpenAPI(a *App, r *schema.Registry, name string) error {
	docs, err := a.read(name)
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

// kindOf finds the kind of an object. Of a group that nobody described it makes
// a kind without a schema and says so in note; of a known group it is an error.
func kindOf(r *schema.Registry, d *document.Document, v document.Value) (k *schema.Kind, note string, err error) {
	if k, ok := r.Of(v); ok {
		return k, "", nil
	}
	apiVersion, kind := v.Get("apiVersion").StringOr(""), v.Get("kind").StringOr("")
	if apiVersion == "" || kind == "" {
		return nil, "", fmt.Errorf("%s: an object needs apiVersion and kind", d.Position(v))
	}
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !ok {
		return nil, "", fmt.Errorf("%s: apiVersion %q has more than one slash", d.Position(v.Get("apiVersion")), apiVersion)
	}
	if hint, known := nearestKind(r, group, version, kind); known {
		return nil, "", fmt.Errorf("%s: there is no kind %q in %s%s", d.Position(v.Get("kind")), kind, apiVersion, hint)
	}
	k = schema.NewKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, schema.Deduced())
	k.Namespaced = v.Lookup("metadata", "namespace").Exists()
	k.Resource, k.Verbs, k.Storage = strings.ToLower(kind)+"s", []string{"create", "patch", "update"}, true
	r.Add(k)
	return k, "no schema for " + kind + " in " + apiVersion + ": lists are taken as atomic, nothing is defaulted or checked; give its CRD with --crd", nil
}

// nearestKind says whether a group is known and, if so, what may have been meant.
func nearestKind(r *schema.Registry, group, version, kind string) (hint string, known bool) {
	names := map[string]bool{}
	for k := range r.Kinds() {
		if k.Group != group {
			continue
		}
		known = true
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
