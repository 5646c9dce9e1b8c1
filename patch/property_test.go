package patch_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Applying a made patch gives the wanted object.
func TestMadePatchGivesTheWantedObject(t *testing.T) {
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

// nullsGone leaves nulls out of objects: a merge patch cannot put them there.
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

// wellFormed reports whether a strategic merge patch can make the object: it
// holds no null and nothing that looks like a directive, its scalars are of their
// types, and the items of lists that merge are all there is once, with their merge
// key.
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

// What three-way merge makes leaves alone what neither configuration names, and
// gives what the new one says.
func TestThreeWayGivesTheWantedFields(t *testing.T) {
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
				t.Errorf("the annotation of another is gone: %s", got)
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

// Of what is the same no patch is made in a hurry, unless one would be made of
// the same values written otherwise.
func TestMadePatchDoesNotDependOnWhiteSpace(t *testing.T) {
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
