// Package parseable converts types to the form of structured-merge-diff, the library with which
// kube-apiserver merges objects.
package parseable

import (
	"encoding/json"
	"strconv"
	"sync"

	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
)

// Types are types in the library's form, each of which is converted once. The zero value has none. It is
// safe for concurrent use.
type Types struct {
	mu    sync.Mutex
	known map[*schema.Type]*typed.ParseableType
}

// Of returns a type in the library's form, with all types that it refers to.
func (ts *Types) Of(t *schema.Type) *typed.ParseableType {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if p, ok := ts.known[t]; ok {
		return p
	}
	c := converter{names: map[*schema.Type]string{}, schema: &smd.Schema{}}
	p := &typed.ParseableType{Schema: c.schema, TypeRef: c.ref(t)}
	if ts.known == nil {
		ts.known = map[*schema.Type]*typed.ParseableType{}
	}
	ts.known[t] = p
	return p
}

// converter converts types to the library's form. Each type has a name, so that types can
// be recursive.
type converter struct {
	names  map[*schema.Type]string
	schema *smd.Schema
}

const deducedName = "__untyped_deduced_" // the library has this name built in

func (c *converter) ref(t *schema.Type) smd.TypeRef {
	if t == nil {
		return smd.TypeRef{}
	}
	if a := scalarAtom(t); t.List == nil && t.Map == nil && t.Name == "" {
		return smd.TypeRef{Inlined: a}
	}
	name, ok := c.names[t]
	if !ok {
		name = "t" + strconv.Itoa(len(c.names))
		if t == schema.Deduced() {
			name = deducedName
		}
		c.names[t] = name
		at := len(c.schema.Types)
		c.schema.Types = append(c.schema.Types, smd.TypeDef{Name: name})
		atom := scalarAtom(t)
		atom.List = c.list(t.List)
		atom.Map = c.object(t.Map)
		c.schema.Types[at].Atom = atom
	}
	return smd.TypeRef{NamedType: &name}
}

func scalarAtom(t *schema.Type) smd.Atom {
	if t.Scalar == schema.NoScalar {
		return smd.Atom{}
	}
	s := smd.Untyped
	switch {
	case t.TakesScalar(document.String) && !t.TakesScalar(document.Number):
		s = smd.String
	case t.TakesScalar(document.Number) && !t.TakesScalar(document.String):
		s = smd.Numeric
	case t.TakesScalar(document.Bool) && !t.TakesScalar(document.String):
		s = smd.Boolean
	}
	return smd.Atom{Scalar: &s}
}

func (c *converter) list(l *schema.ListType) *smd.List {
	if l == nil {
		return nil
	}
	out := &smd.List{ElementType: c.ref(l.Elem), ElementRelationship: smd.Atomic}
	if l.Kind != schema.AtomicList {
		out.ElementRelationship = smd.Associative
	}
	for _, k := range l.Keys {
		out.Keys = append(out.Keys, k.Name)
		c.keyDefault(out.ElementType, k)
	}
	return out
}

// keyDefault adds the default of a list key to the item's field, where the library expects
// it and the field may lack it.
func (c *converter) keyDefault(item smd.TypeRef, k schema.Key) {
	if item.NamedType == nil || k.Default == "" {
		return
	}
	for _, t := range c.schema.Types {
		if t.Name != *item.NamedType || t.Atom.Map == nil {
			continue
		}
		for i := range t.Atom.Map.Fields {
			if f := &t.Atom.Map.Fields[i]; f.Name == k.Name {
				f.Default = jsonValue(k.Default)
			}
		}
	}
}

func (c *converter) object(m *schema.MapType) *smd.Map {
	if m == nil {
		return nil
	}
	out := &smd.Map{ElementType: c.ref(m.Elem)}
	if m.Atomic {
		out.ElementRelationship = smd.Atomic
	}
	for i := range m.Fields {
		f := &m.Fields[i]
		out.Fields = append(out.Fields, smd.StructField{Name: f.Name, Type: c.ref(f.Type), Default: jsonValue(f.Default)})
	}
	return out
}

// jsonValue parses the JSON text of a default; nil if there is none.
func jsonValue(text string) any {
	if text == "" || !json.Valid([]byte(text)) {
		return nil
	}
	d, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		return nil
	}
	return govalue.Of(d.Root)
}
