package patch_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestCreatedPatchYieldsWantedObject: applying a computed patch yields the wanted object.
func TestCreatedPatchYieldsWantedObject(t *testing.T) {
	eachCase(t, func(t *testing.T, g *generate.Generator, k *schema.Kind) {
		from := g.Object(k)
		to := g.Mutate(from, k.Type())
		madeJSON(t, from, to)
		madeMerge(t, from, to)
		if wellFormed(from, k.Type()) && wellFormed(to, k.Type()) {
			madeStrategic(t, from, to, k.Type())
		}
	})
}

func madeJSON(t *testing.T, from, to document.Value) {
	t.Helper()
	p := patch.CreateJSON(from, to)
	got, err := patch.JSON(from, p, patch.Options{MaxOperations: -1})
	if err != nil || !document.Identical(got, to) {
		t.Errorf("JSON patch %s of %s gives\n%s %v, wanted\n%s", p, from, got, err, to)
	}
}

func madeMerge(t *testing.T, from, to document.Value) {
	t.Helper()
	p, err := patch.CreateMerge(from, to, patch.Options{})
	if err != nil {
		t.Error(err)
		return
	}
	got, err := patch.Merge(from, p, patch.Options{})
	if err != nil || !document.Equal(nullsGone(got), nullsGone(to)) {
		t.Errorf("merge patch %s of %s gives\n%s %v, wanted\n%s", p, from, got, err, to)
	}
}

func madeStrategic(t *testing.T, from, to document.Value, typ *schema.Type) {
	t.Helper()
	p, err := patch.CreateStrategic(from, to, typ, patch.Options{})
	if err != nil {
		t.Errorf("%v: from %s to %s", err, from, to)
		return
	}
	got, err := patch.Strategic(from, p, typ, patch.Options{})
	if err != nil || !document.Identical(got, to) {
		t.Errorf("strategic merge patch %s of %s gives\n%s %v, wanted\n%s", p, from, got, err, to)
	}
}

// nullsGone removes null members, which a merge patch cannot set.
func nullsGone(v document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for key, val := range v.Members() {
			if !val.IsNull() {
				b.Set(key, nullsGone(val))
			}
		}
		return b.Object()
	case document.List:
		var b document.ListBuilder
		for _, item := range v.Items() {
			b.Append(nullsGone(item))
		}
		return b.List()
	}
	return v
}

// wellFormed reports whether a strategic merge patch can produce the object: it has no
// nulls and no keys like directives, its scalars have their declared types, and the items
// of merged lists are unique and have their merge key.
func wellFormed(v document.Value, t *schema.Type) bool {
	switch v.Kind() {
	case document.Null:
		return false
	case document.Object:
		for key, val := range v.Members() {
			if key == "" || key[0] == '$' || t == nil || t.Map == nil {
				return false
			}
			f := t.Map.Field(key)
			if f != nil && f.Strategy&schema.StrategyMerge != 0 && !distinct(val, f.MergeKey) || !wellFormed(val, t.Map.Member(key)) {
				return false
			}
			if f == nil && val.Len() > 0 {
				return false // kube-apiserver cannot merge below it
			}
		}
	case document.List:
		if t == nil || t.List == nil {
			return false
		}
		for _, item := range v.Items() {
			if !wellFormed(item, t.List.Elem) {
				return false
			}
		}
	default:
		return t != nil && t.TakesScalar(v.Kind())
	}
	return true
}

func distinct(list document.Value, key string) bool {
	seen := map[string]bool{}
	for i, item := range list.Items() {
		k := item
		if key != "" {
			k = item.Get(key)
		}
		if !k.Exists() || k.Kind() == document.List || k.Kind() == document.Object || seen[k.String()] {
			return false
		}
		if first := list.At(0); i > 0 && (item.Kind() != first.Kind() || item.IsInt() != first.IsInt()) {
			return false
		}
		seen[k.String()] = true
	}
	return true
}

// TestThreeWayYieldsWantedFields: a three-way merge keeps fields that neither
// configuration has, and sets those of the new one.
func TestThreeWayYieldsWantedFields(t *testing.T) {
	eachCase(t, func(t *testing.T, g *generate.Generator, k *schema.Kind) {
		original := g.Object(k)
		modified := g.Mutate(original, k.Type())
		live := original.Set(document.NewString("yes"), "metadata", "annotations", "by-another")
		p, err := patch.ThreeWayMerge(original, modified, live, patch.ThreeWayOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		got, err := patch.Merge(live, p, patch.Options{})
		if err != nil {
			t.Error(err)
			return
		}
		before, wanted := original.Lookup("metadata", "annotations"), modified.Lookup("metadata", "annotations")
		if wanted.Kind() == before.Kind() && (!wanted.Exists() || wanted.Kind() == document.Object) {
			if got.Lookup("metadata", "annotations", "by-another").StringOr("") != "yes" {
				t.Errorf("another annotation was removed: %s", got)
			}
			got = got.Remove("metadata", "annotations", "by-another")
		}
		for _, part := range []string{"spec", "data", "status", "rules"} {
			if w := nullsGone(modified).Get(part); !document.Equal(nullsGone(got).Get(part), w) {
				t.Errorf("%s is %s, wanted %s", part, got.Get(part), w)
			}
		}
	})
}

// TestCreatedPatchIgnoresWhiteSpace: equal values are skipped only if no patch results
// when the same values are written differently.
func TestCreatedPatchIgnoresWhiteSpace(t *testing.T) {
	set := &schema.Type{List: &schema.ListType{Elem: &schema.Type{Scalar: schema.StringScalar}, Kind: schema.SetList}}
	item := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "k", Type: &schema.Type{Scalar: schema.StringScalar}}, {Name: "m", Type: &schema.Type{Map: &schema.MapType{Elem: set}}},
	}}}
	object := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "items", Type: &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "k"}}}}},
	}}}
	from := parse(t, `{"items":[{"k":"a","m":{"x":["b","a"]}}]}`)
	var made [2]string
	for i, text := range []string{`{"items":[{"k":"a","m":{"x":["b","a"]}}]}`, `{"items": [ {"k": "a", "m": {"x": ["b", "a"]}} ]}`} {
		p, err := patch.CreateStrategic(from, parse(t, text), object, patch.Options{ListTypes: true})
		if err != nil {
			t.Fatal(err)
		}
		made[i] = p.String()
	}
	if made[0] != made[1] {
		t.Errorf("the patch is %s, and of the same with spaces %s", made[0], made[1])
	}
}
