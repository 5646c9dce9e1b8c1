package structured

import (
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Merger is patchlab's Engine.
type Merger struct{}

// check validates an object against the type of the request's version. what is its name in
// errors.
func (w *work) check(what string, v, known document.Value, duplicates bool) error {
	return within(what, v, w.validate(w.types.Type, v, known, duplicates))
}

// reread converts a set from an object to the form that sets have after being stored and
// decoded.
func (w *work) reread(s fieldset.Set) fieldset.Set {
	if w.big {
		return s.Reread()
	}
	return s
}

// typeOf returns the type of a version; nil if the version does not serve the kind.
func (w *work) typeOf(version string) (*schema.Type, error) {
	if version == w.types.Version {
		return w.types.Type, nil
	}
	if t, ok := w.known[version]; ok {
		return t, nil
	}
	t, err := w.types.Other(version)
	if err != nil {
		return nil, err
	}
	if w.known == nil {
		w.known = map[string]*schema.Type{}
	}
	w.known[version] = t
	return t, nil
}

// convert converts an object to a version that serves the kind. The result must match its
// type and have no duplicate items.
func (w *work) convert(v document.Value, version string) (document.Value, error) {
	if v.Get("apiVersion").StringOr("") == version {
		return v, nil
	}
	t, err := w.typeOf(version)
	if err != nil {
		return v, err
	}
	if w.types.Convert == nil {
		v = v.With("apiVersion", document.NewString(version))
	} else if v, err = w.types.Convert(v, version); err != nil {
		return v, err
	}
	return v, within("the object in version "+version, v, w.validate(t, v, document.Value{}, false))
}

// report calls Types.Report unless it is nil. fields is evaluated only then.
func (w *work) report(r Rule, fields func() fieldset.Set, about Entry) {
	if w.types.Report != nil {
		w.types.Report(r, fields(), about)
	}
}

func (w *work) ignore(version string, s fieldset.Set) fieldset.Set {
	if w.types.Ignore == nil || s.Empty() {
		return s
	}
	return w.types.Ignore(version, s)
}

// reconcile adapts the entries to the current types and drops those in versions that do not
// serve the kind. The live object must match each of the types.
func (w *work) reconcile(live document.Value, entries []Entry) ([]Entry, error) {
	out := make([]Entry, 0, len(entries)+2)
	var converts map[string]bool // versions that live has been converted to
	for _, e := range entries {
		t, err := w.typeOf(e.APIVersion)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		if e.APIVersion != w.types.Version && !converts[e.APIVersion] {
			if _, err := w.convert(live, e.APIVersion); err != nil {
				return nil, err
			}
			if converts == nil {
				converts = map[string]bool{}
			}
			converts[e.APIVersion] = true
		}
		e.Fields = reconcile(t, e.Fields)
		out = append(out, e)
	}
	return out, nil
}

// Apply merges config into live. It follows these rules, in order:
//
//	own       the manager owns exactly the fields of config (fieldsOf), except
//	          those that the resource resets
//	merge     the values of config replace those of live (merge)
//	prune     fields that the manager owned and config no longer has are removed
//	          unless another manager owns them (prune)
//	conflict  a field of another manager that is new or has another value is a
//	          conflict; a field with the same value has both owners
//	transfer  with force, the other managers lose these fields instead
//	drop      all managers lose the fields that no longer exist, and entries
//	          without fields are removed
func (Merger) Apply(t *Types, live, config document.Value, entries []Entry, self Entry, force bool) (document.Value, bool, []Entry, error) {
	w := begin(t)
	defer w.end()
	if err := w.check(Configuration, config, document.Value{}, false); err != nil {
		return live, false, nil, err
	}
	if err := w.check(LiveObject, live, config, true); err != nil {
		return live, false, nil, err
	}
	after, err := w.reconcile(live, entries)
	if err != nil {
		return live, false, nil, err
	}
	at := slices.IndexFunc(after, func(e Entry) bool { return e.Same(&self) })
	var was fieldset.Set
	if at >= 0 {
		was = after[at].Fields
	}
	self.Fields = w.ignore(t.Version, w.fieldsOf(t.Type, config, was))
	w.report(Own, func() fieldset.Set { return self.Fields }, self)
	merged := w.merge(t.Type, live, config)
	if at < 0 {
		at = len(after)
		after = append(after, self)
	} else {
		before := after[at]
		after[at] = self
		if merged, err = w.prune(merged, after, at, before); err != nil {
			return live, false, nil, inStep("failed to prune fields", err)
		}
	}
	if _, err = w.track(live, merged, after, at, force); err != nil {
		return live, false, nil, err
	}
	for i, e := range after {
		if i != at {
			w.report(Share, func() fieldset.Set { return e.Fields.Intersect(w.reread(self.Fields)) }, e)
		}
	}
	after = withFields(after)
	if document.Equal(live, merged) {
		return live, false, after, nil
	}
	return merged, true, after, nil
}

// Update tracks a change. It follows these rules, in order:
//
//	track     only the manager owns changed and new fields (compare)
//	drop      all managers lose the fields that no longer exist, and entries
//	          without fields are removed
//
// Fields that the resource resets are never changed.
func (Merger) Update(t *Types, live, next document.Value, entries []Entry) ([]Entry, fieldset.Set, error) {
	w := begin(t)
	defer w.end()
	if err := w.check(NewObject, next, document.Value{}, true); err != nil {
		return nil, fieldset.Set{}, err
	}
	if err := w.check(LiveObject, live, next, true); err != nil {
		return nil, fieldset.Set{}, err
	}
	after, err := w.reconcile(live, entries)
	if err != nil {
		return nil, fieldset.Set{}, err
	}
	d, err := w.track(live, next, after, -1, true)
	if err != nil {
		return nil, fieldset.Set{}, err
	}
	w.report(Track, func() fieldset.Set { return d.changed }, Entry{})
	return withFields(after), d.changed, nil
}

// track removes the changed and removed fields from all entries except the one at index
// self (-1 for none). Without force it removes only fields that no longer exist and returns
// Conflicts for the others. It returns the difference in the version of the request.
func (w *work) track(before, after document.Value, entries []Entry, self int, force bool) (difference, error) {
	own := w.filtered(w.types.Version, w.compare(w.types.Type, before, after))
	taken := difference{w.reread(own.changed), w.reread(own.removed)}
	others := map[string]difference{}
	var conflicts Conflicts
	for i := range entries {
		e := &entries[i]
		if i == self {
			continue
		}
		d := taken
		if e.APIVersion != w.types.Version {
			var err error
			if d, err = w.difference(others, before, after, e.APIVersion); err != nil {
				return own, err
			}
		}
		if lost := e.Fields.Intersect(d.changed); !lost.Empty() {
			if !force {
				w.report(Clash, func() fieldset.Set { return lost }, *e)
				conflicts = append(conflicts, Conflict{Entry: *e, Fields: lost})
				continue
			}
			w.report(Transfer, func() fieldset.Set { return lost }, *e)
			e.Fields = e.Fields.Minus(lost)
		}
		w.report(Drop, func() fieldset.Set { return e.Fields.Intersect(d.removed) }, *e)
		e.Fields = e.Fields.Minus(d.removed)
	}
	if len(conflicts) > 0 {
		return own, conflicts
	}
	return own, nil
}

func (w *work) filtered(version string, d difference) difference {
	return difference{w.ignore(version, d.changed), w.ignore(version, d.removed)}
}

// difference compares two objects in another version. known caches the results by version.
func (w *work) difference(known map[string]difference, before, after document.Value, version string) (difference, error) {
	if d, ok := known[version]; ok {
		return d, nil
	}
	t, err := w.typeOf(version)
	if err != nil {
		return difference{}, err
	}
	if before, err = w.convert(before, version); err != nil {
		return difference{}, inStep("failed to convert old object", err)
	}
	if after, err = w.convert(after, version); err != nil {
		return difference{}, inStep("failed to convert new object", err)
	}
	d := w.filtered(version, w.compare(t, before, after))
	d = difference{w.reread(d.changed), w.reread(d.removed)}
	known[version] = d
	return d, nil
}

// withFields returns the entries that are not empty.
func withFields(entries []Entry) []Entry {
	out := entries[:0]
	for _, e := range entries {
		if !e.Fields.Empty() {
			out = append(out, e)
		}
	}
	return out
}

// Unchanged implements Engine.
func (Merger) Unchanged(t *Types, config, live document.Value) (fieldset.Set, error) {
	w := begin(t)
	defer w.end()
	for _, v := range [...]document.Value{config, live} {
		if err := w.validate(t.Type, v, document.Value{}, false); err != nil {
			return fieldset.Set{}, err
		}
	}
	d := w.compare(t.Type, config, live)
	return w.fieldsOf(t.Type, config, fieldset.Set{}).Minus(d.changed).Minus(d.removed), nil
}

// Extract implements Engine.
func (Merger) Extract(t *Types, object document.Value, fields fieldset.Set) (document.Value, error) {
	w := begin(t)
	defer w.end()
	if err := w.validate(t.Type, object, document.Value{}, false); err != nil {
		return document.Value{}, err
	}
	return w.extract(t.Type, object, fields), nil
}

// within adds the object and its name to a TypeError.
func within(what string, v document.Value, err error) error {
	var t *TypeError
	if errors.As(err, &t) {
		e := *t
		e.Object, e.Root = what, v
		return &e
	}
	return err
}
