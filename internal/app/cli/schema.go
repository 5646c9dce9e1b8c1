package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/schema"
)

// schemaOptions are the flags of schema.
type schemaOptions struct {
	schemas    inputs.SchemaFlags
	kubectl    inputs.KubectlFlags
	apiVersion string
	recursive  bool
	output     string
}

func schemaCommand(a *program.App) *cobra.Command {
	var o schemaOptions
	c := &cobra.Command{
		Use:   "schema KIND[.PATH]",
		Short: "Show how a field is merged by each type of patch",
		Long: `Print for a field of a kind, and for its subfields: the type, how server-side apply
(list type, keys), a strategic merge patch (patch strategy, merge key) and a merge
patch merge it, its default, and whether it is immutable.

KIND is a resource, kind or short name, with the group if the name is ambiguous:
deployment, deploy, gateways.shop.example. PATH is the path of the field, as for
'kubectl explain'; list items need no index.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "the kind or the field is not known, or an input could not be read"}),
		Example: `  # Show how a list is merged, and its merge key
  patchlab schema deployment.spec.template.spec.containers

  # Show all fields of a Service spec
  patchlab schema service.spec --recursive

  # Show a field of a custom resource
  patchlab schema gateway.spec.listeners --crd crds/`,
		Args: kindAndPath,
		RunE: func(c *cobra.Command, args []string) error { return runSchema(c.Context(), a, args[0], &o) },
		ValidArgsFunction: func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return schemaPaths(c.Context(), a, &o, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
	}
	o.schemas.Add(c)
	o.kubectl.Add(c)
	o.schemas.AddCluster(c, &o.kubectl)
	f := c.Flags()
	f.StringVar(&o.apiVersion, "api-version", "", "apiVersion of KIND, such as autoscaling/v1 (default the preferred version)")
	f.BoolVar(&o.recursive, "recursive", false, "print subfields recursively")
	program.OneOf(c, &o.output, "output", "o", "text", "output format: text, json or yaml", "text", "json", "yaml")
	return c
}

// kindAndPath validates the argument KIND[.PATH]. If its parts are separate arguments, as in
// 'schema deployment spec', the error names them joined.
func kindAndPath(c *cobra.Command, args []string) error {
	if len(args) < 2 {
		return program.Arguments("KIND[.PATH]")(c, args)
	}
	joined := strings.ReplaceAll(strings.Join(args, "."), "..", ".")
	return program.Usage("'" + c.CommandPath() + "' requires one argument, KIND[.PATH]; did you mean '" + c.CommandPath() + " " + joined + "'?")
}

func runSchema(ctx context.Context, a *program.App, name string, o *schemaOptions) error {
	registry, err := o.schemas.Registry(ctx, a)
	if err != nil {
		return err
	}
	kind, rest, others, err := findKind(registry, name, o.apiVersion)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		a.Note("there is also " + strings.Join(others, ", ") + "; select one with --api-version")
	}
	d, err := newDescriber(registry, kind)
	if err != nil {
		return err
	}
	field, err := d.at(rest)
	if err != nil {
		return err
	}
	if err := d.members(field, o.recursive); err != nil {
		return err
	}
	if o.output == "text" {
		a.Show(d.text(field))
		return nil
	}
	out, err := results.AsDocument(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Of         string `json:"of"`
		*fieldMerge
	}{results.OwnVersion, "FieldSchema", kind.Kind + "." + kind.APIVersion(), field})
	if err != nil {
		return err
	}
	a.Print(string(results.Encode(o.output, []document.Value{out})))
	return nil
}

// findKind finds the kind at the beginning of a name, and returns the rest, which is a path.
// others are the apiVersions of other groups with the same kind.
func findKind(r *schema.Registry, name, apiVersion string) (kind *schema.Kind, rest string, others []string, err error) {
	first, rest, _ := strings.Cut(name, ".")
	var found []*schema.Kind
	for k := range r.Kinds() {
		if k.Resource != "" && (apiVersion == "" || k.APIVersion() == apiVersion) && inputs.IsNamed(k, first) {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return nil, "", nil, noKind(r, first, apiVersion)
	}
	if group := groupBefore(rest, found); group != "" {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, group), ".")
		found = slices.DeleteFunc(found, func(k *schema.Kind) bool { return k.Group != group })
	}
	kind = found[0]
	for _, k := range found {
		if k.Builtin && (!kind.Builtin || len(k.Group) < len(kind.Group)) { // the core group first, then apps
			kind = k
		}
	}
	if apiVersion == "" {
		kind = r.Served(kind.Group, kind.Kind)[0]
	}
	for _, k := range found {
		if k.Group != kind.Group && !slices.Contains(others, k.APIVersion()) {
			others = append(others, k.APIVersion())
		}
	}
	return kind, rest, others, nil
}

// groupBefore returns the longest group of the kinds with which a path begins, "" if it begins with none.
func groupBefore(path string, kinds []*schema.Kind) string {
	longest := ""
	for _, k := range kinds {
		if (path == k.Group || strings.HasPrefix(path, k.Group+".")) && len(k.Group) > len(longest) {
			longest = k.Group
		}
	}
	return longest
}

// noKind returns the error for a name that no kind has, or none in the given version.
func noKind(r *schema.Registry, name, apiVersion string) error {
	text := name
	if apiVersion != "" {
		if known := versionsOf(r, name); len(known) > 0 {
			return fmt.Errorf("--api-version %s does not have kind %q; it is in %s", apiVersion, name, strings.Join(known, ", "))
		}
		text += " in " + apiVersion
	}
	if near := nearestKind(r, name); near != "" {
		return fmt.Errorf("no kind %q is registered; did you mean %s? Add custom resources with --crd", text, near)
	}
	return fmt.Errorf("no kind %q is registered; add custom resources with --crd", text)
}

// nearestKind returns the kind or resource with a similar name, "" if there is none.
func nearestKind(r *schema.Registry, name string) string {
	return schema.Nearest(name, func(yield func(string) bool) {
		for k := range r.Kinds() {
			if k.Resource != "" && (!yield(strings.ToLower(k.Kind)) || !yield(k.Resource)) {
				return
			}
		}
	})
}

// versionsOf returns the apiVersions that have a kind with the name.
func versionsOf(r *schema.Registry, name string) []string {
	var versions []string
	for k := range r.Kinds() {
		if k.Resource != "" && inputs.IsNamed(k, name) {
			versions = append(versions, k.APIVersion())
		}
	}
	slices.Sort(versions)
	return slices.Compact(versions)
}

// text formats a field and its fields.
func (d *describer) text(f *fieldMerge) string {
	var b strings.Builder
	b.WriteString(d.kind.APIVersion() + " " + d.kind.Kind)
	if f.Path != "" {
		b.WriteString(" " + f.Path)
	}
	b.WriteString("\n\n")
	rows := [][2]string{{"type", f.Type}, {"server-side apply", f.Apply}, {"strategic merge patch", f.Strategic}, {"merge patch", f.Merge}, {"default", f.Default}}
	if f.Immutable {
		rows = append(rows, [2]string{"immutable", "the API server refuses updates that change it"})
	}
	for _, row := range rows {
		if row[1] != "" {
			fmt.Fprintf(&b, "  %-23s%s\n", row[0], row[1])
		}
	}
	if len(f.Fields) == 0 {
		return b.String()
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "  FIELD\tTYPE\tSERVER-SIDE APPLY\tSTRATEGIC MERGE\tDEFAULT\t")
	d.rows(w, f.Fields, len(f.Path)+1)
	_ = w.Flush() // a strings.Builder does not fail
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func (d *describer) rows(w *tabwriter.Writer, fields []*fieldMerge, from int) {
	for _, f := range fields {
		name := f.Path[from:]
		if f.Immutable {
			name += " (immutable)"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t\n", name, f.Type, short(f.Apply, f.whole.apply), short(f.Strategic, f.whole.strategic), f.Default)
		d.rows(w, f.Fields, from)
	}
}

// short returns the first part of a description, with the name instead of the path of a field that is
// replaced as a whole.
func short(text string, whole *fieldMerge) string {
	if whole != nil {
		name, _ := whole.path[len(whole.path)-1].Name()
		return "part of " + name
	}
	text, _, _ = strings.Cut(text, ":")
	return text
}

// schemaPaths completes KIND.PATH.
func schemaPaths(ctx context.Context, a *program.App, o *schemaOptions, begun string) []string {
	registry, err := o.schemas.Registry(ctx, a)
	if err != nil {
		return nil
	}
	at := strings.LastIndex(begun, ".")
	if at < 0 {
		var names []string
		for k := range registry.Kinds() {
			name := inputs.AsBegun(k, begun)
			if strings.HasPrefix(name, begun) && name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return names
	}
	kind, rest, _, err := findKind(registry, begun[:at], o.apiVersion)
	if err != nil {
		return nil
	}
	d := &describer{kind: kind}
	f, err := d.at(rest)
	if err != nil {
		return nil
	}
	if d.members(f, false) != nil {
		return nil
	}
	var paths []string
	for _, kid := range f.Fields {
		paths = append(paths, begun[:at]+kid.Path[len(f.Path):])
	}
	return paths
}
