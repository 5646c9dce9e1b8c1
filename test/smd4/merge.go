// Made from reference/merge.go by the test of this package with -update. DO NOT EDIT.

package smd4

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/merge"
	"sigs.k8s.io/structured-merge-diff/v4/typed"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Merger returns a structured merge engine based on structured-merge-diff v6. It is safe
// for concurrent use.
func Merger() fieldmanager.Engine { return &merger{} }

type merger struct{ types types }

// call is the state of one call of the engine.
type call struct {
	m       *merger
	types   *structured.Types
	entries []structured.Entry
	failure error // of a conversion; the library keeps only its text
}

// updater returns the library's engine for one call.
func (c *call) updater() *merge.Updater {
	u := &merge.UpdaterBuilder{Converter: c}
	if c.types.Ignore != nil {
		u.IgnoreFilter = map[fieldpath.APIVersion]fieldpath.Filter{}
		for _, v := range append([]structured.Entry{{APIVersion: c.types.Version}}, c.entries...) {
			u.IgnoreFilter[fieldpath.APIVersion(v.APIVersion)] = ignore{c, v.APIVersion}
		}
	}
	return u.BuildUpdater()
}

// ignore is a structured-merge-diff filter for the fields that a resource resets.
type ignore struct {
	c       *call
	version string
}

// Filter removes the ignored fields. The remaining fields keep the library's own path
// elements.
func (i ignore) Filter(s *fieldpath.Set) *fieldpath.Set {
	all := fromSet(s)
	kept := i.c.types.Ignore(i.version, all)
	gone, err := toSet(all.Minus(kept))
	if err != nil {
		return s
	}
	left := s.Difference(gone)
	if fromSet(left).JSON().String() == kept.JSON().String() {
		return left
	}
	// In a decoded set every number is a float64, which equals several integers beyond
	// 2^53; each path is then checked individually.
	left = fieldpath.NewSet()
	s.Iterate(func(p fieldpath.Path) {
		if !i.c.types.Ignore(i.version, fromSet(fieldpath.NewSet(p))).Empty() {
			left.Insert(p.Copy())
		}
	})
	return left
}

var errNoVersion = errors.New("no such version")

// IsMissingVersionError reports whether the version of an entry is unknown.
func (c *call) IsMissingVersionError(err error) bool { return errors.Is(err, errNoVersion) }

// Convert converts an object between the versions of its kind.
func (c *call) Convert(v *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	out, err := c.convert(v, version)
	if err != nil && !c.IsMissingVersionError(err) {
		c.failure = err
	}
	return out, err
}

func (c *call) convert(v *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	object := fromGo(v.AsValue().Unstructured())
	if object.Get("apiVersion").StringOr("") == string(version) {
		return v, nil
	}
	t := c.types.Type
	if string(version) != c.types.Version {
		var err error
		if t, err = c.types.Other(string(version)); err != nil {
			return v, err
		}
		if t == nil {
			return v, errNoVersion
		}
	}
	object = object.With("apiVersion", document.NewString(string(version)))
	if c.types.Convert != nil {
		var err error
		if object, err = c.types.Convert(fromGo(v.AsValue().Unstructured()), string(version)); err != nil {
			return v, err
		}
	}
	return c.m.types.typed(t, object)
}

// Apply implements fieldmanager.Engine.
func (m *merger) Apply(t *structured.Types, live, config document.Value, entries []structured.Entry, self structured.Entry, force bool) (document.Value, bool, []structured.Entry, error) {
	c := &call{m: m, types: t, entries: entries}
	configTyped, err := m.types.typed(t.Type, config)
	if err != nil {
		return live, false, nil, fmt.Errorf("the applied configuration %w: %w", structured.ErrType, err)
	}
	liveTyped, err := m.types.typed(t.Type, live, typed.AllowDuplicates)
	if err != nil {
		return live, false, nil, fmt.Errorf("the live object %w: %w", structured.ErrType, err)
	}
	managed, err := c.managed()
	if err != nil {
		return live, false, nil, err
	}
	key := strconv.Itoa(len(entries))
	for i := range entries {
		if entries[i].Same(&self) {
			key = strconv.Itoa(i)
		}
	}
	merged, after, err := c.updater().Apply(liveTyped, configTyped, fieldpath.APIVersion(t.Version), managed, key, force)
	var conflicts merge.Conflicts
	if errors.As(err, &conflicts) {
		return live, false, nil, c.conflicts(conflicts)
	}
	if err != nil {
		return live, false, nil, typeError(cmp.Or(c.failure, err))
	}
	out := c.entriesOf(after, key, self)
	if merged == nil {
		return live, false, out, nil
	}
	return fromGo(merged.AsValue().Unstructured()), true, out, nil
}

// Update implements fieldmanager.Engine.
func (m *merger) Update(t *structured.Types, live, next document.Value, entries []structured.Entry) ([]structured.Entry, fieldset.Set, error) {
	c := &call{m: m, types: t, entries: entries}
	nextTyped, err := m.types.typed(t.Type, next, typed.AllowDuplicates)
	if err != nil {
		return nil, fieldset.Set{}, fmt.Errorf("the new object %w: %w", structured.ErrType, err)
	}
	liveTyped, err := m.types.typed(t.Type, live, typed.AllowDuplicates)
	if err != nil {
		return nil, fieldset.Set{}, fmt.Errorf("the live object %w: %w", structured.ErrType, err)
	}
	managed, err := c.managed()
	if err != nil {
		return nil, fieldset.Set{}, err
	}
	const self = "self"
	_, after, err := c.updater().Update(liveTyped, nextTyped, fieldpath.APIVersion(t.Version), managed, self)
	if err != nil {
		return nil, fieldset.Set{}, typeError(cmp.Or(c.failure, err))
	}
	var taken fieldset.Set
	if s, ok := after[self]; ok {
		taken = fromSet(s.Set())
		delete(after, self)
	}
	return c.entriesOf(after, self, structured.Entry{}), taken, nil
}

// Unchanged implements fieldmanager.Engine.
func (m *merger) Unchanged(t *structured.Types, config, live document.Value) (fieldset.Set, error) {
	a, err := m.types.typed(t.Type, config)
	if err != nil {
		return fieldset.Set{}, typeError(err)
	}
	b, err := m.types.typed(t.Type, live)
	if err != nil {
		return fieldset.Set{}, typeError(err)
	}
	s, err := a.ToFieldSet()
	if err != nil {
		return fieldset.Set{}, typeError(err)
	}
	d, err := a.Compare(b)
	if err != nil {
		return fieldset.Set{}, typeError(err)
	}
	return fromSet(s.Difference(d.Modified).Difference(d.Added).Difference(d.Removed)), nil
}

// Extract implements fieldmanager.Engine.
func (m *merger) Extract(t *structured.Types, object document.Value, fields fieldset.Set) (document.Value, error) {
	v, err := m.types.typed(t.Type, object)
	if err != nil {
		return document.Value{}, typeError(err)
	}
	s, err := toSet(fields)
	if err != nil {
		return document.Value{}, err
	}
	return fromGo(v.ExtractItems(s).AsValue().Unstructured()), nil
}

func typeError(err error) error {
	var v typed.ValidationErrors
	if errors.As(err, &v) {
		return fmt.Errorf("%w: %w", structured.ErrType, err)
	}
	return err
}

// managed converts the entries to the library's form, keyed by index.
func (c *call) managed() (fieldpath.ManagedFields, error) {
	out := fieldpath.ManagedFields{}
	for i, e := range c.entries {
		s, err := toSet(e.Fields)
		if err != nil {
			return nil, err
		}
		out[strconv.Itoa(i)] = fieldpath.NewVersionedSet(s, fieldpath.APIVersion(e.APIVersion), e.Operation == structured.OperationApply)
	}
	return out, nil
}

func (c *call) entriesOf(m fieldpath.ManagedFields, key string, self structured.Entry) []structured.Entry {
	out := make([]structured.Entry, 0, len(m))
	for i := 0; i <= len(c.entries); i++ {
		name := strconv.Itoa(i)
		s, ok := m[name]
		if !ok || s.Set().Empty() {
			continue
		}
		e := self
		if name != key {
			e = c.entries[i]
		}
		e.Fields = fromSet(s.Set())
		e.APIVersion = string(s.APIVersion())
		out = append(out, e)
	}
	return out
}

func (c *call) conflicts(found merge.Conflicts) structured.Conflicts {
	sets := map[string]*fieldpath.Set{}
	for _, f := range found {
		if sets[f.Manager] == nil {
			sets[f.Manager] = fieldpath.NewSet()
		}
		sets[f.Manager].Insert(f.Path)
	}
	var out structured.Conflicts
	for i, e := range c.entries {
		if s := sets[strconv.Itoa(i)]; s != nil {
			out = append(out, structured.Conflict{Entry: e, Fields: fromSet(s)})
		}
	}
	return out
}
