package cli

import (
	"regexp"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// wholly describes a field that a patch replaces without looking at the value that it had.
const wholly = "replaced as a whole"

// merges describes how a field merges in each kind of patch. own is the declaration of the
// field, nil for the object itself and for map values.
func (d *describer) merges(f *fieldMerge, own *schema.Field) {
	t := f.t
	f.Apply = explain.Merges(t)
	f.Merge = "replaced"
	if t.List != nil {
		f.Merge = wholly
	}
	if t.Map != nil && t.List == nil {
		f.Merge = "merged member by member"
	}
	switch {
	case t.List != nil && t.Map == nil:
		f.ListType = map[schema.ListKind]string{schema.AtomicList: "atomic", schema.SetList: "set", schema.KeyedList: "map"}[t.List.Kind]
		for _, k := range t.List.Keys {
			f.Keys = append(f.Keys, k.Name)
		}
		f.Apply = f.withDefaults()
	case t.Map != nil && t.List == nil:
		f.MapType = "granular"
		if t.Map.Atomic {
			f.MapType = "atomic"
		}
	}
	f.Apply = partOf(f.whole.apply, f.Apply)
	f.Merge = partOf(f.whole.merge, f.Merge)
	if !d.kind.Builtin {
		f.Strategic = "not supported: the API server refuses it for custom resources"
		return
	}
	var strategy schema.PatchStrategy
	if own != nil {
		strategy, f.MergeKey = own.Strategy, own.MergeKey
	}
	f.PatchStrategy = strategy.String()
	f.Strategic = partOf(f.whole.strategic, strategic(f, strategy))
}

// partOf describes a field in one that is replaced as a whole. If there is none, it returns the text.
func partOf(whole *fieldMerge, text string) string {
	if whole == nil {
		return text
	}
	return "part of " + whole.Path + ": replaced with it"
}

// wholesWithin returns the wholes of the fields in a field.
func (f *fieldMerge) wholesWithin() wholes {
	w := f.whole
	if w.apply == nil && (f.ListType == "atomic" || f.MapType == "atomic") {
		w.apply = f
	}
	if w.strategic == nil && f.Strategic == wholly {
		w.strategic = f
	}
	if w.merge == nil && f.Merge == wholly {
		w.merge = f
	}
	return w
}

// withDefaults lists the keys of a list with their defaults.
func (f *fieldMerge) withDefaults() string {
	var keys []string
	for _, k := range f.t.List.Keys {
		if k.Default != "" && k.Default != `""` && k.Default != "0" { // items without the other keys are invalid
			keys = append(keys, k.Name+" is "+k.Default+" if an item omits it")
		}
	}
	if len(keys) == 0 {
		return f.Apply
	}
	return f.Apply + "; " + strings.Join(keys, ", ")
}

// strategic describes how strategic merge patch merges a field.
func strategic(f *fieldMerge, strategy schema.PatchStrategy) string {
	switch t := f.t; {
	case t.List != nil && t.Map == nil && strategy&schema.StrategyMerge == 0:
		return wholly
	case t.List != nil && t.Map == nil && f.MergeKey == "":
		return "merged as a set"
	case t.List != nil && t.Map == nil:
		text := "merged by " + f.MergeKey
		if len(f.Keys) > 1 {
			text += ": this is only one of the keys of server-side apply"
		}
		return text
	case t.Map != nil && t.List == nil && strategy&schema.StrategyReplace != 0:
		return wholly
	case t.Map != nil && t.List == nil && strategy&schema.StrategyRetainKeys != 0:
		return "merged member by member: kubectl's patches remove the members that the manifest omits ($retainKeys)"
	case t.Map != nil && t.List == nil:
		return "merged member by member"
	}
	return "replaced"
}

// transition matches a validation rule that requires a field not to change.
var transition = regexp.MustCompile(`^\s*(self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*$`)

// immutable reports whether a field cannot be changed. In a custom resource a validation rule
// determines that. For a built-in kind it validates an update of a sample object that changes
// the field. A field that is immutable only in certain objects is therefore not found.
func immutable(kind *schema.Kind, path document.Path, t *schema.Type) bool {
	if t.Validation != nil {
		for _, r := range t.Validation.Rules {
			if transition.MatchString(r.Rule) {
				return true
			}
		}
	}
	if !kind.Builtin {
		return false
	}
	was, is := sample(t, "a", 0), sample(t, "b", 0)
	if !was.Exists() || document.Identical(was, is) {
		return false
	}
	strategy := kinds.For(kind)
	live, next := sampleObject(kind, path, was), sampleObject(kind, path, is)
	for _, e := range append(strategy.ValidateUpdate(kind, "", next, live, document.Value{}), kinds.ValidateMetadataUpdate(next, live)...) {
		if e.Immutable && (path.HasPrefix(e.Path) || e.Path.HasPrefix(path)) {
			return true
		}
	}
	return false
}

// sampleObject returns an object of a kind that has little more than a value at a path.
func sampleObject(kind *schema.Kind, path document.Path, v document.Value) document.Value {
	for i := len(path) - 1; i >= 0; i-- {
		if name, ok := path[i].Name(); ok {
			v = document.NewObject().With(name, v)
		} else {
			v = document.NewList(v)
		}
	}
	return v.With("apiVersion", document.NewString(kind.APIVersion())).With("kind", document.NewString(kind.Kind))
}

// sample returns a value of a type that depends on text, absent if the type has no simple
// value.
func sample(t *schema.Type, text string, depth int) document.Value {
	const most = 4
	switch {
	case t == nil || depth > most:
		return document.Value{}
	case t.Scalar == schema.BooleanScalar:
		return document.NewBool(text == "a")
	case t.Scalar == schema.IntegerScalar || t.Scalar == schema.NumberScalar:
		return document.NewInt(int64(len(text)) + int64(text[0]))
	case t.Scalar == schema.StringScalar && t.Format == "quantity":
		return document.NewString(map[string]string{"a": "1", "b": "2"}[text])
	case t.Scalar != schema.NoScalar:
		return document.NewString(text)
	case t.List != nil:
		if item := sample(t.List.Elem, text, depth+1); item.Exists() {
			return document.NewList(item)
		}
	case t.Map != nil:
		for _, f := range t.Map.Fields {
			if v := sample(f.Type, text, depth+1); v.Exists() {
				return document.NewObject().With(f.Name, v)
			}
		}
		if v := sample(t.Map.Elem, text, depth+1); v.Exists() {
			return document.NewObject().With("key", v)
		}
	}
	return document.Value{}
}
