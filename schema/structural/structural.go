// Package structural prunes, defaults and validates objects by their [schema.Type], as
// kube-apiserver does for custom resources (k8s.io/apiextensions-apiserver). Objects are
// immutable: results share the unchanged parts, and an unchanged object is returned itself.
//
// kube-apiserver performs these steps on a custom resource: pruning when it is decoded
// ([Prune]), dropping of nulls ([DropNulls]) and defaulting ([Default]) then and again
// after a patch, and validation ([Validate]) before it is stored.
//
// CEL rules (x-kubernetes-validations) are not evaluated.
package structural

import (
	"slices"
	"sort"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// Prune removes the members of v that t does not declare and returns their paths, sorted
// like kube-apiserver's warnings (`unknown field "spec.foo"`, formatted by
// [schema.FieldText]). apiVersion, kind and metadata of the root and of embedded objects
// are always kept. It returns no paths beyond about 64 MB, although it removes their members.
func Prune(t *schema.Type, v document.Value) (document.Value, []document.Path) {
	return PruneUpdate(t, v, document.Value{})
}

// PruneUpdate is Prune for a value derived from live, an object that t does not prune.
// Parts that both share are skipped.
func PruneUpdate(t *schema.Type, v, live document.Value) (document.Value, []document.Path) {
	var p pruner
	out := p.value(t, v, live, false, true)
	if len(p.unknown) == 0 {
		return out, nil
	}
	type named struct {
		text string
		path document.Path
	}
	found := make([]named, len(p.unknown))
	for i, path := range p.unknown {
		slices.Reverse(path)
		found[i] = named{schema.FieldText(path), path}
	}
	sort.SliceStable(found, func(a, b int) bool { return found[a].text < found[b].text })
	for i := range found {
		p.unknown[i] = found[i].path
	}
	return out, p.unknown
}

// A pruner collects the paths of pruned members. Paths are built from the end: each level
// appends its step to the paths found below it.
type pruner struct {
	unknown []document.Path
	// above is the size of the path to the current value, and size that of all paths in unknown.
	above, size int
}

// maxPaths is the maximum size in bytes of all paths that a pruner or a validator collects. Without it, the paths of
// many members deep in an object could be thousands of times as large as the object. stepSize is
// the size of a step without its name.
const (
	maxPaths = 64 << 20
	stepSize = 32
)

// value prunes v. If t is nil, nothing is declared for v, and objects in it lose all
// members unless they are preserved.
func (p *pruner) value(t *schema.Type, v, live document.Value, preserve, object bool) document.Value {
	if remake.Shared(v, live) {
		return v
	}
	preserve = preserve || t != nil && (t.Map != nil && t.Map.PreserveUnknown || t.List != nil && t.List.PreserveUnknown)
	switch v.Kind() {
	case document.Object:
		return p.object(t, v, live, preserve, object)
	case document.List:
		return p.list(t, v, live, preserve)
	}
	return v
}

func (p *pruner) object(t *schema.Type, v, live document.Value, preserve, object bool) document.Value {
	var m *schema.MapType
	if t != nil {
		m = t.Map
		object = object || t.Embedded || m != nil && m.Object
	}
	if m == nil && preserve {
		return v
	}
	b, before := rebuild{}, remake.EarlierOf(live)
	for i := range v.Len() {
		key, member := v.Key(i), v.At(i)
		known, ok := memberType(m, key)
		switch {
		case object && isMeta(key):
		case ok && isScalar(member):
		case ok:
			start, above := len(p.unknown), p.above
			p.above += stepSize + len(key)
			b.set(v, i, p.value(known, member, before.Member(key), false, false))
			p.above = above
			p.below(start, document.FieldStep(key))
			continue
		case !preserve:
			if size := p.size + p.above + stepSize + len(key); size <= maxPaths {
				p.unknown, p.size = append(p.unknown, document.Keys(key)), size
			}
			b.drop(v, i)
			continue
		}
		b.keep(v, i)
	}
	return b.object(v)
}

func (p *pruner) list(t *schema.Type, v, live document.Value, preserve bool) document.Value {
	var elem *schema.Type
	if t != nil && t.List != nil {
		elem = described(t.List.Elem)
	}
	if elem == nil && preserve {
		return v
	}
	b, before := rebuild{}, remake.EarlierOf(live)
	from, to := before.Changed(v)
	for i := from; i < to; i++ {
		start := len(p.unknown)
		p.above += stepSize
		b.set(v, i, p.value(elem, v.At(i), before.Item(v, i), preserve, false))
		p.above -= stepSize
		p.below(start, document.IndexStep(i))
	}
	return b.list(v, to)
}

func (p *pruner) below(start int, step document.Step) {
	for i := start; i < len(p.unknown); i++ {
		p.unknown[i] = append(p.unknown[i], step)
	}
}

// memberType returns the declared type of a member and whether the member is declared.
func memberType(m *schema.MapType, key string) (*schema.Type, bool) {
	if m == nil {
		return nil, false
	}
	if f := m.Field(key); f != nil {
		return f.Type, true
	}
	if m.Elem == schema.AnyMember() || m.Closed() {
		return m.Elem, true
	}
	elem := described(m.Elem)
	return elem, elem != nil
}

// described returns t, or nil if t represents a missing schema.
func described(t *schema.Type) *schema.Type {
	if t == schema.Deduced() || t == schema.Untyped() || t == schema.AnyMember() {
		return nil
	}
	return t
}

// isScalar reports whether a value is not a collection.
func isScalar(v document.Value) bool { return v.Kind() < document.List }

// isMeta reports whether all objects have a root member with this key.
func isMeta(key string) bool { return key == "apiVersion" || key == "kind" || key == "metadata" }

// rebuild copies an object or list on the first change. Without a change it does not
// allocate.
type rebuild struct {
	members document.ObjectBuilder
	items   document.ListBuilder
	changed bool
}

// begin copies the first i members or items, which did not change.
func (b *rebuild) begin(v document.Value, i int) {
	if b.changed {
		return
	}
	b.changed = true
	if v.Kind() == document.List {
		b.items.Grow(v.Len())
		b.items.AppendItems(v, 0, i)
		return
	}
	for j := range i {
		b.keep(v, j)
	}
}

func (b *rebuild) keep(v document.Value, i int) {
	switch {
	case !b.changed:
	case v.Kind() == document.Object:
		b.members.Keep(v, i)
	default:
		b.items.Append(v.At(i))
	}
}

func (b *rebuild) drop(v document.Value, i int) { b.begin(v, i) }

// set replaces the i-th member or item with w.
func (b *rebuild) set(v document.Value, i int, w document.Value) {
	if document.SameNode(v.At(i), w) {
		b.keep(v, i)
		return
	}
	b.begin(v, i)
	if v.Kind() == document.Object {
		b.members.Set(v.Key(i), w)
	} else {
		b.items.Append(w)
	}
}

func (b *rebuild) object(v document.Value) document.Value {
	if !b.changed {
		return v
	}
	return b.members.Object()
}

// list returns the list, whose items from the given one on stay as they are.
func (b *rebuild) list(v document.Value, rest int) document.Value {
	if !b.changed {
		return v
	}
	b.items.AppendItems(v, rest, v.Len())
	return b.items.List()
}
