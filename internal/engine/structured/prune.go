package structured

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// prune removes the fields that the applying manager owned and its configuration no longer
// has from a merged object (rule "prune"):
//
//  1. The fields that it owned are removed, with everything in them and with
//     declared parents.
//  2. Fields that another manager owns or the configuration has are restored with
//     everything in them.
//  3. Fields that the manager did not own are restored unless their parent is
//     removed.
//
// entries are those after the apply, with the manager's at index self; before is the
// manager's previous entry.
func (w *work) prune(merged document.Value, entries []Entry, self int, before Entry) (document.Value, error) {
	version := before.APIVersion
	if before.Fields.Empty() || version == w.types.Version && w.reread(entries[self].Fields).Contains(before.Fields) {
		return merged, nil // no field was given up, so the steps would have no effect
	}
	t, err := w.typeOf(version)
	if t == nil || err != nil {
		return merged, err
	}
	base, err := w.convert(merged, version)
	if err != nil {
		return merged, inStep("failed to convert merged object to last applied version", err)
	}
	last := named(t, before.Fields)
	pruned := w.remove(t, base, last)
	if pruned, err = w.restoreOwned(base, pruned, version, entries); err != nil {
		return merged, inStep("failed add back owned items", err)
	}
	if pruned, err = w.convert(pruned, version); err != nil {
		return merged, inStep("failed add back dangling items: failed to convert pruned object to last applied version", err)
	}
	all, left := w.all(t, base), w.all(t, pruned)
	gone := all.Minus(left).Intersect(last)
	w.report(Prune, func() fieldset.Set { return gone.Tops() }, before)
	w.report(PruneKept, func() fieldset.Set {
		return before.Fields.Minus(w.reread(entries[self].Fields)).Intersect(all).MinusBelow(gone)
	}, before)
	pruned = w.remove(t, base, gone)
	return w.convert(pruned, w.types.Version)
}

// restoreOwned restores the fields that any manager owns, version by version, beginning
// with the version of the pruned object.
func (w *work) restoreOwned(merged, pruned document.Value, version string, entries []Entry) (document.Value, error) {
	owned := map[string][]fieldset.Set{}
	var versions []string
	for i := range entries {
		v := entries[i].APIVersion
		if owned[v] == nil {
			versions = append(versions, v)
		}
		owned[v] = append(owned[v], w.reread(entries[i].Fields))
	}
	slices.Sort(versions)
	if i := slices.Index(versions, version); i > 0 {
		copy(versions[1:], versions[:i])
		versions[0] = version
	}
	for _, v := range versions {
		t, err := w.typeOf(v)
		if err != nil {
			return pruned, err
		}
		if t == nil {
			continue
		}
		if merged, err = w.convert(merged, v); err != nil {
			return pruned, inStep("failed to convert merged object at version "+v, err)
		}
		if pruned, err = w.convert(pruned, v); err != nil {
			return pruned, inStep("failed to convert pruned object at version "+v, err)
		}
		keep := w.all(t, pruned).Union(named(t, fieldset.UnionOf(owned[v]...)))
		pruned = w.remove(t, merged, w.all(t, merged).Minus(keep))
	}
	return pruned, nil
}

// all returns all fields of an object, including declared ones, in the form used by
// entries.
func (w *work) all(t *schema.Type, v document.Value) fieldset.Set {
	return named(t, w.reread(w.fieldsOf(t, v, fieldset.Set{})))
}

// named returns a set with the declared parents of its fields. (A set contains the map
// entries and list items above its fields but not the declared fields.)
func named(t *schema.Type, s fieldset.Set) fieldset.Set {
	if s.Empty() {
		return s
	}
	return fieldset.Raw(addNamed(t, s.JSON(), false))
}

// addNamed returns the trie node for a value of type t, which may be nil. is is set if the
// node must be a member of the set.
func addNamed(t *schema.Type, n document.Value, is bool) document.Value {
	var kids document.ObjectBuilder
	kids.Grow(n.Len() + 1)
	if is {
		kids.Set(".", document.NewObject())
	}
	changed := is != fieldset.IsMember(n)
	for i := fieldset.First(n); i < n.Len(); i++ {
		e, kid := n.Key(i), n.At(i)
		member := fieldset.IsMember(kid)
		if kid.Len() == 0 || kid.Len() == fieldset.First(kid) {
			kids.Keep(n, i)
			continue
		}
		below, isNamed := typeBelow(t, e)
		kid = addNamed(below, kid, member || isNamed)
		changed = changed || !document.SameNode(kid, n.At(i))
		kids.Set(e, kid)
	}
	if !changed {
		return n
	}
	return kids.Object()
}

// typeBelow returns the type that an element refers to, nil if it is unknown, and whether
// it is a declared field.
func typeBelow(t *schema.Type, e string) (*schema.Type, bool) {
	if t == nil {
		return nil, false
	}
	if name, ok := fieldset.Name(e); ok {
		if t.Map == nil {
			return nil, false
		}
		return t.Map.Member(name), t.Map.Field(name) != nil
	}
	if t.List != nil && e[0] == 'k' {
		return t.List.Elem, false
	}
	return nil, false
}
