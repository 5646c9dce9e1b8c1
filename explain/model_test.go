package explain

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/schema"
)

// modelField is a leaf of an object with its owners.
type modelField struct {
	path   document.Path
	v      document.Value
	owners []fieldmanager.Owner
}

// modelFields returns an object's fields by path.
func modelFields(t *schema.Type, o fieldmanager.Object) (keys []string, fields map[string]modelField) {
	for _, name := range [...]string{"resourceVersion", "generation", "uid", "creationTimestamp", "managedFields"} {
		o.Value = o.Value.Remove("metadata", name)
	}
	all := allOwners(o.Managed)
	fields = map[string]modelField{}
	var s claimStack
	var walk func(p place, path document.Path)
	walk = func(p place, path document.Path) {
		if p.leaf() {
			var key strings.Builder
			key.WriteString(path.String())
			for _, twice := fields[key.String()]; twice; _, twice = fields[key.String()] {
				key.WriteString(" again") // for items with the same key, in order
			}
			keys = append(keys, key.String())
			fields[key.String()] = modelField{slices.Clone(path), p.v, ownersOf(p.claims, all)}
			return
		}
		for i := range p.v.Len() {
			if p.v.Kind() == document.Object {
				walk(p.member(i, &s), path.Child(p.v.Key(i)))
			} else {
				kid, e := p.item(i, &s)
				walk(kid, path.Join(fieldset.Step(e)))
			}
		}
	}
	if o.Value.Exists() {
		walk(root(t, o), nil)
	}
	return keys, fields
}

// modelChanges is a simple and slow implementation of Changes that compares two lists of
// all fields.
func modelChanges(t *schema.Type, before, after fieldmanager.Object) []Change {
	keysBefore, was := modelFields(t, before)
	keysAfter, is := modelFields(t, after)
	var changes []Change
	for _, key := range keysAfter {
		now := is[key]
		c := Change{Path: now.path, Effect: Set, After: now.v, OwnersAfter: now.owners}
		if then, ok := was[key]; ok {
			c.Before, c.OwnersBefore = then.v, then.owners
			if c.Effect = effect(&c); c.Effect == "" {
				continue
			}
		}
		changes = append(changes, c)
	}
	for _, key := range keysBefore {
		if _, ok := is[key]; !ok {
			changes = append(changes, Change{Path: was[key].path, Effect: Removed, Before: was[key].v, OwnersBefore: was[key].owners})
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return a.Path.Compare(b.Path) })
	return changes
}

// printed formats changes for comparison.
func printed(changes []Change) []string {
	var out []string
	for _, c := range changes {
		out = append(out, strings.Join([]string{c.Path.String(), string(c.Effect), c.Before.String(), c.After.String(),
			fmt.Sprint(c.OwnersBefore), fmt.Sprint(c.OwnersAfter)}, " | "))
	}
	return out
}

// TestChangesAgreeWithModel compares every pair of states of an object in a recorded
// case.
func TestChangesAgreeWithModel(t *testing.T) {
	r := kinds(t)
	cases, err := conformance.ReadAll("../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	pairs, changed := 0, 0
	for _, c := range cases {
		states := map[schema.GroupVersionKind][]fieldmanager.Object{}
		types := map[schema.GroupVersionKind]*schema.Type{}
		for _, step := range c.Steps {
			body, err := json.Marshal(step.Response.Body)
			if err != nil {
				t.Fatal(err)
			}
			d, err := document.Parse(body, document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			kind, ok := r.Of(d.Root)
			o, err := fieldmanager.Split(d.Root)
			if !ok || err != nil || d.Root.Get("items").Exists() {
				continue
			}
			key := kind.GroupVersionKind
			states[key], types[key] = append(states[key], o), kind.Type()
		}
		for key, list := range states {
			for i, before := range append(list[:min(len(list), 6)], fieldmanager.Object{}) {
				after := list[(i+1)%len(list)]
				if pairs++; compared(t, c.Name, types[key], before, after) {
					changed++
				}
			}
		}
	}
	if pairs < 1000 || changed < 500 {
		t.Errorf("only %d pairs were compared, of which %d differ", pairs, changed)
	}
}

// compared checks Changes against the model, and LinesAfter against Lines. It reports
// whether there are changes.
func compared(t *testing.T, name string, typ *schema.Type, before, after fieldmanager.Object) bool {
	t.Helper()
	got, want := printed(Changes(typ, before, after)), printed(modelChanges(typ, before, after))
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: changes\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if lines, want := LinesAfter(typ, after, before, Lines(typ, before)), Lines(typ, after); !slices.EqualFunc(lines, want, sameLine) {
		t.Fatalf("%s: lines\n%+v\nwant\n%+v", name, lines, want)
	}
	return len(want) > 0
}

func sameLine(a, b Line) bool {
	return a.Text == b.Text && slices.Equal(a.Path, b.Path) && slices.Equal(a.Owners, b.Owners) && slices.Equal(a.Below, b.Below) && a.Merges == b.Merges
}
