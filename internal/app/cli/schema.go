package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// schemaOptions are the flags of schema.
type schemaOptions struct {
	schemas    schemaFlags
	kubectl    kubectlFlags
	apiVersion string
	recursive  bool
	output     string
}

func (a *App) schemaCommand() *cobra.Command {
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

` + exitHelpOf(map[int]string{exitRefused: "the kind or the field is not known, or an input could not be read"}),
		Example: `  # Show how a list is merged, and its merge key
  patchlab schema deployment.spec.template.spec.containers

  # Show all fields of a Service spec
  patchlab schema service.spec --recursive

  # Show a field of a custom resource
  patchlab schema gateway.spec.listeners --crd crds/`,
		Args: arguments("KIND[.PATH]"),
		RunE: func(c *cobra.Command, args []string) error { return a.schema(c.Context(), args[0], &o) },
		ValidArgsFunction: func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return a.schemaPaths(c.Context(), &o, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
	}
	o.schemas.add(c)
	o.kubectl.add(c)
	o.schemas.addCluster(c, &o.kubectl)
	f := c.Flags()
	f.StringVar(&o.apiVersion, "api-version", "", "apiVersion of KIND, such as autoscaling/v1 (default the preferred version)")
	f.BoolVar(&o.recursive, "recursive", false, "print subfields recursively")
	f.StringVarP(&o.output, "output", "o", "text", "output format: text, json or yaml")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *App) schema(ctx context.Context, name string, o *schemaOptions) error {
	if !slices.Contains([]string{"text", "json", "yaml"}, o.output) {
		return usage("--output " + o.output + ": expected text, json or yaml")
	}
	registry, err := o.schemas.registry(ctx, a)
	if err != nil {
		return err
	}
	kind, rest, others, err := findKind(registry, name, o.apiVersion)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		a.note("there is also " + strings.Join(others, ", ") + "; select one with --api-version")
	}
	d, err := newDescriber(registry, kind)
	if err != nil {
		return err
	}
	field, err := d.at(rest)
	if err != nil {
		return err
	}
	d.members(field, o.recursive)
	if o.output == "text" {
		a.print(d.text(field))
		return nil
	}
	out, err := asDocument(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Of         string `json:"of"`
		*fieldMerge
	}{"patchlab.dev/v1", "FieldSchema", kind.Kind + "." + kind.APIVersion(), field})
	if err != nil {
		return err
	}
	a.print(string(encode(o.output, []document.Value{out})))
	return nil
}

// findKind finds the kind at the beginning of a name, and returns the rest, which is a path.
// others are the apiVersions of other groups with the same kind.
func findKind(r *schema.Registry, name, apiVersion string) (kind *schema.Kind, rest string, others []string, err error) {
	first, rest, _ := strings.Cut(name, ".")
	var found []*schema.Kind
	for k := range r.Kinds() {
		if k.Resource != "" && (apiVersion == "" || k.APIVersion() == apiVersion) && isNamed(k, first) {
			found = append(found, k)
		}
	}
	for _, k := range found { // the longest matching group
		if k.Group != "" && (rest == k.Group || strings.HasPrefix(rest, k.Group+".")) && (kind == nil || len(k.Group) > len(kind.Group)) {
			kind = k
		}
	}
	if kind != nil {
		group := kind.Group
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, group), ".")
		found = slices.DeleteFunc(found, func(k *schema.Kind) bool { return k.Group != group })
	}
	if len(found) == 0 {
		text := first
		if apiVersion != "" {
			text += " in " + apiVersion
		}
		return nil, "", nil, fmt.Errorf("no kind %q is registered; add custom resources with --crd", text)
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

func isNamed(k *schema.Kind, name string) bool {
	name = strings.ToLower(name)
	return name == k.Resource || name == k.Singular || name == strings.ToLower(k.Kind) || slices.Contains(k.ShortNames, name)
}

// fieldMerge describes a field and how it merges.
type fieldMerge struct {
	Path string `json:"path"`
	Type string `json:"type"`
	// ListType is atomic, set or map, MapType atomic or granular; "" for others.
	ListType string   `json:"listType,omitempty"`
	Keys     []string `json:"keys,omitempty"`
	MapType  string   `json:"mapType,omitempty"`
	// PatchStrategy and MergeKey are those of strategic merge patch.
	PatchStrategy string `json:"patchStrategy,omitempty"`
	MergeKey      string `json:"mergeKey,omitempty"`
	// Apply, Strategic and Merge describe how the field merges.
	Apply     string        `json:"serverSideApply"`
	Strategic string        `json:"strategicMergePatch"`
	Merge     string        `json:"mergePatch"`
	Default   string        `json:"default,omitempty"`
	Immutable bool          `json:"immutable,omitempty"`
	Required  bool          `json:"required,omitempty"`
	Fields    []*fieldMerge `json:"fields,omitempty"`

	t     *schema.Type
	above []above
	path  document.Path // with index 0 for list items
}

// above is an enclosing type of a field, and the field's path from there in the notation of
// default rules.
type above struct {
	name string
	path string
}

// describer describes the fields of a kind.
type describer struct {
	kind  *schema.Kind
	rules map[string][]*defaults.Rule // by type and field
}

func newDescriber(r *schema.Registry, kind *schema.Kind) (*describer, error) {
	d := &describer{kind: kind, rules: map[string][]*defaults.Rule{}}
	list, err := defaults.List()
	if err != nil || !kind.Builtin {
		return d, err
	}
	_, minor, _ := strings.Cut(r.Catalog().Version(), ".")
	var version int
	_, _ = fmt.Sscan(minor, &version)
	for _, rule := range list {
		if rule.Feature == "" && (rule.Since == 0 || rule.Since <= version) && (rule.Until == 0 || rule.Until >= version) {
			key := rule.Type + " " + rule.Field
			d.rules[key] = append(d.rules[key], rule)
		}
	}
	return d, nil
}

// at describes the field at a path.
func (d *describer) at(text string) (*fieldMerge, error) {
	f := d.root()
	if text == "" {
		return f, nil
	}
	path, err := parsePath(text)
	if err != nil {
		return nil, usage(text + ": " + err.Error())
	}
	for _, s := range path {
		name, ok := s.Name()
		if !ok {
			continue // list items are followed by fields
		}
		below := d.member(f, name)
		if below == nil {
			message := fmt.Sprintf("%s has no field %q", d.nameOf(f), name)
			if near := d.kind.Type().NearestField(path); near != "" {
				message += "; did you mean " + near + "?"
			}
			return nil, fmt.Errorf("%s", message)
		}
		f = below
	}
	return f, nil
}

func (d *describer) nameOf(f *fieldMerge) string {
	if f.Path == "" {
		return d.kind.Kind + "." + d.kind.APIVersion()
	}
	return f.Path
}

// root describes the object itself.
func (d *describer) root() *fieldMerge {
	t := d.kind.Type()
	f := &fieldMerge{t: t, Type: typeText(t), above: []above{{name: t.Name}}}
	d.merges(f, nil)
	return f
}

// itemType returns the type whose fields a value has: for a list the type of its items.
func itemType(t *schema.Type) (inner *schema.Type, lists int) {
	for t != nil && t.List != nil && t.Map == nil {
		t, lists = t.List.Elem, lists+1
	}
	return t, lists
}

// member describes a field of an object, or of a list's items; nil if there is none with that
// name.
func (d *describer) member(f *fieldMerge, name string) *fieldMerge {
	t, lists := itemType(f.t)
	if t == nil || t.Map == nil {
		return nil
	}
	own := t.Map.Field(name)
	kid := &fieldMerge{t: t.Map.Member(name), Path: f.Path + document.Keys(name).String(), path: slices.Clone(f.path)}
	if kid.t == nil {
		return nil
	}
	for range lists {
		kid.path = kid.path.Item(0)
	}
	kid.path = kid.path.Child(name)
	items := strings.Repeat("[]", lists)
	for _, a := range f.above {
		kid.above = append(kid.above, above{a.name, strings.TrimPrefix(a.path+items+"."+name, ".")})
	}
	if lists > 0 {
		kid.above = append(kid.above, above{t.Name, name})
	}
	kid.above = append(kid.above, above{name: kid.t.Name})
	kid.Type, kid.Required = typeText(kid.t), slices.Contains(t.Map.Required, name)
	d.merges(kid, own)
	kid.Default = d.defaultOf(kid, own)
	kid.Immutable = immutable(d.kind, kid.path, kid.t)
	return kid
}

// members describes the fields of a field.
func (d *describer) members(f *fieldMerge, recursive bool) {
	const most = 12 // the maximum depth for recursive types
	t, _ := itemType(f.t)
	if t == nil || t.Map == nil || len(f.path) > most {
		return
	}
	for _, m := range t.Map.Fields {
		kid := d.member(f, m.Name)
		f.Fields = append(f.Fields, kid)
		inner, _ := itemType(kid.t)
		if recursive && !within(f.above, inner) {
			d.members(kid, true)
		}
	}
}

// within reports whether a type is among the enclosing types of a field, which identifies
// recursive types.
func within(types []above, t *schema.Type) bool {
	return t != nil && t.Name != "" && slices.ContainsFunc(types, func(a above) bool { return a.name == t.Name })
}

// defaultOf returns the default of a field, as JSON or in the notation of its rule.
func (d *describer) defaultOf(f *fieldMerge, own *schema.Field) string {
	var texts []string
	for _, a := range f.above {
		for _, rule := range d.rules[a.name+" "+a.path] {
			text := defaultText(rule.Value)
			if rule.Condition != "" {
				text += " if " + rule.Condition
			}
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) == 0 && own != nil {
		return own.Default
	}
	return strings.Join(texts, "; ")
}

// defaultText describes the value of a default rule.
func defaultText(value string) string {
	verb, rest, _ := strings.Cut(value, " ")
	switch verb {
	case "copy":
		return "as " + rest
	case "call":
		_, of, _ := strings.Cut(rest, " ")
		return strings.TrimSuffix("computed from "+of, " from ")
	case "nothing":
		return "removed"
	}
	return value
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
		apply, name := short(f.Apply), f.Path[from:]
		if f.Immutable {
			name += " (immutable)"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t\n", name, f.Type, apply, short(f.Strategic), f.Default)
		d.rows(w, f.Fields, from)
	}
}

// short returns the first part of a description.
func short(text string) string {
	text, _, _ = strings.Cut(text, ":")
	return text
}

// schemaPaths completes KIND.PATH.
func (a *App) schemaPaths(ctx context.Context, o *schemaOptions, begun string) []string {
	registry, err := o.schemas.registry(ctx, a)
	if err != nil {
		return nil
	}
	at := strings.LastIndex(begun, ".")
	if at < 0 {
		var names []string
		for k := range registry.Kinds() {
			if strings.HasPrefix(k.Singular, begun) && k.Singular != "" && !slices.Contains(names, k.Singular) {
				names = append(names, k.Singular)
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
	d.members(f, false)
	var paths []string
	for _, kid := range f.Fields {
		paths = append(paths, begun[:at]+kid.Path[len(f.Path):])
	}
	return paths
}

// typeText describes a type: list of objects, map of strings, integer (int32).
func typeText(t *schema.Type) string {
	switch {
	case t == nil:
		return "any value"
	case t.Scalar == schema.IntOrStringScalar:
		return "integer or string"
	case t.Scalar != schema.NoScalar && (t.List != nil || t.Map != nil):
		return "any value"
	case t.List != nil && t.Map != nil:
		return "any value"
	case t.List != nil:
		return "list of " + plural(typeText(t.List.Elem))
	case t.Map != nil && t.Map.Elem != nil && len(t.Map.Fields) == 0 && t.Map.Elem != schema.Deduced():
		return "map of " + plural(typeText(t.Map.Elem))
	case t.Map != nil:
		return "object"
	}
	name := map[schema.Scalar]string{schema.StringScalar: "string", schema.IntegerScalar: "integer", schema.NumberScalar: "number",
		schema.BooleanScalar: "boolean"}[t.Scalar]
	if name == "" {
		name = "any value"
	}
	if t.Format != "" {
		name += " (" + t.Format + ")"
	}
	return name
}

func plural(text string) string {
	name, format, found := strings.Cut(text, " (")
	switch {
	case strings.HasPrefix(name, "list of"), strings.HasPrefix(name, "map of"):
		name = strings.Replace(name, " of", "s of", 1)
	case strings.HasPrefix(name, "integer or"):
		name = "integers or strings"
	default:
		name += "s"
	}
	if found {
		return name + " (" + format
	}
	return name
}
