package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

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
	whole wholes
}

// wholes has, for each kind of patch, the enclosing field that is replaced as a whole, so that the merge keys and
// strategies of the fields in it have no effect; nil if there is none.
type wholes struct{ apply, strategic, merge *fieldMerge }

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
	// described is the number of fields that were described.
	described int
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
	path, err := program.ParsePath(text)
	if err != nil {
		return nil, program.Usage(text + ": " + err.Error())
	}
	for _, s := range path {
		name, ok := s.Name()
		if !ok {
			continue // list items are followed by fields
		}
		below := d.member(f, name)
		if below == nil {
			return nil, d.noField(f, name)
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

// noField returns the error for a field that does not exist, with a suggestion.
func (d *describer) noField(f *fieldMerge, name string) error {
	inner, lists := itemType(f.t)
	if inner == nil || inner.Map == nil {
		return fmt.Errorf("%s has no field %q: its type is %s", d.nameOf(f), name, f.Type)
	}
	path := slices.Clone(f.path)
	for range lists {
		path = path.Item(0)
	}
	message := fmt.Sprintf("%s has no field %q", d.nameOf(f), name)
	if near := d.kind.Type().NearestField(path.Child(name)); near != "" {
		message += "; did you mean " + near + "?"
	}
	return errors.New(message)
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
	kid := &fieldMerge{t: t.Map.Member(name), Path: f.Path + document.Keys(name).String(), path: slices.Clone(f.path), whole: f.wholesWithin()}
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

// maxFields is the number of fields that are described at most. The largest definitions have some ten
// thousand; types of an OpenAPI document that contain each other have more than can be printed.
const maxFields = 200_000

// members describes the fields of a field.
func (d *describer) members(f *fieldMerge, recursive bool) error {
	t, _ := itemType(f.t)
	if t == nil || t.Map == nil {
		return nil
	}
	for _, m := range t.Map.Fields {
		if d.described++; d.described > maxFields {
			return fmt.Errorf("%s has more than %d fields below it; describe one of them without --recursive", d.kind.Kind, maxFields)
		}
		kid := d.member(f, m.Name)
		f.Fields = append(f.Fields, kid)
		inner, _ := itemType(kid.t)
		if recursive && !within(f.above, inner) {
			if err := d.members(kid, true); err != nil {
				return err
			}
		}
	}
	return nil
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
