package main

import (
	"encoding/binary"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/schema"
)

// doc/schema.md describes the format; schema/decode.go reads it.

// magic identifies the format and its version; change it with the format.
const magic = "PLC1"

// verbs lists the verbs in the order of their bits.
var verbs = [...]string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch", "connect"}

type encoder struct {
	strings  map[string]int
	texts    []string
	types    map[string]*typeEntry // by the result of identify
	releases int
	order    []*typeEntry
	blobs    map[string]int
	blobData []string
}

// A typeEntry is a numbered type: a named one, which may differ between releases, or an
// anonymous one, identified by its content.
type typeEntry struct {
	name   string
	number int
	uses   int
	in     []*schema.Type // by release; nil if the release lacks the type
	blob   []int          // by release; -1 if the release lacks the type
}

func encode(all []*release) []byte {
	e := &encoder{strings: map[string]int{}, types: map[string]*typeEntry{}, blobs: map[string]int{}, releases: len(all)}
	for i, r := range all {
		seen := map[*schema.Type]bool{}
		for _, k := range r.kinds {
			e.collect(i, k.Type(), seen)
		}
	}
	e.number()
	e.collectStrings(all)
	for _, t := range e.order {
		for i, typ := range t.in {
			t.blob = append(t.blob, -1)
			if typ != nil {
				t.blob[i] = e.intern(string(e.typeBlob(typ)))
			}
		}
	}
	return e.assemble(all)
}

func (e *encoder) intern(blob string) int {
	n, ok := e.blobs[blob]
	if !ok {
		n = len(e.blobData)
		e.blobs[blob] = n
		e.blobData = append(e.blobData, blob)
	}
	return n
}

// identify returns the identity of a type: the name and relationship of a named type (a
// field may override the latter), the content of an anonymous one.
func (e *encoder) identify(t *schema.Type) string {
	if t.Name != "" {
		if t.Map != nil && t.Map.Atomic {
			return t.Name + " atomic"
		}
		return t.Name
	}
	var b strings.Builder
	e.describe(&b, t)
	return b.String()
}

// describe prints the content of an anonymous type.
func (e *encoder) describe(b *strings.Builder, t *schema.Type) {
	b.WriteString("{" + string('a'+rune(t.Scalar)) + t.Format)
	if l := t.List; l != nil {
		b.WriteString(" list" + string('a'+rune(l.Kind)))
		for _, k := range l.Keys {
			b.WriteString(" " + k.Name + "=" + k.Default)
		}
		b.WriteString(" of " + e.referTo(l.Elem))
	}
	if m := t.Map; m != nil {
		b.WriteString(" map")
		if m.Atomic {
			b.WriteString(" atomic")
		}
		if m.PreserveUnknown {
			b.WriteString(" preserve")
		}
		if m.Elem != nil {
			b.WriteString(" of " + e.referTo(m.Elem))
		}
		if len(m.Fields) > 0 {
			panic("gencatalog: an object with fields and without a name is not expected in a built-in kind")
		}
	}
	b.WriteString("}")
}

func (e *encoder) referTo(t *schema.Type) string {
	switch t {
	case schema.Deduced():
		return "!deduced"
	case schema.Untyped():
		return "!untyped"
	}
	return e.identify(t)
}

func (e *encoder) collect(release int, t *schema.Type, seen map[*schema.Type]bool) {
	if t == nil || t == schema.Deduced() || t == schema.Untyped() {
		return
	}
	id := e.identify(t)
	entry := e.types[id]
	if entry == nil {
		entry = &typeEntry{name: t.Name, in: make([]*schema.Type, e.releases)}
		e.types[id] = entry
		e.order = append(e.order, entry)
	}
	entry.uses++
	if seen[t] {
		return
	}
	seen[t] = true
	entry.in[release] = t
	if t.List != nil {
		e.collect(release, t.List.Elem, seen)
	}
	if t.Map != nil {
		e.collect(release, t.Map.Elem, seen)
		for i := range t.Map.Fields {
			e.collect(release, t.Map.Fields[i].Type, seen)
		}
	}
}

// number assigns the smallest numbers, which have the shortest encoding, to the types used
// most.
func (e *encoder) number() {
	sort.SliceStable(e.order, func(i, j int) bool { return e.order[i].uses > e.order[j].uses })
	for i, t := range e.order {
		t.number = i
	}
}

// collectStrings builds the sorted string table. The fields of a type are sorted as well,
// so consecutive ones are a small distance apart.
func (e *encoder) collectStrings(all []*release) {
	e.add("")
	for _, t := range e.order {
		pkg, name := splitName(t.name)
		e.add(pkg, name)
		for _, typ := range t.in {
			if typ != nil {
				e.addType(typ)
			}
		}
	}
	for _, r := range all {
		e.add(r.minor)
		for _, g := range r.groups {
			e.add(g.name)
			e.add(g.versions...)
		}
		for _, k := range r.kinds {
			e.add(k.Group, k.Version, k.Kind, k.Resource, k.Singular, k.ListKind)
			e.add(k.ShortNames...)
			e.add(k.Categories...)
			for _, s := range k.Subresources {
				e.add(s.Name, s.Kind.Group, s.Kind.Version, s.Kind.Kind)
			}
		}
	}
	for s := range e.strings {
		e.texts = append(e.texts, s)
	}
	sort.Strings(e.texts)
	for i, s := range e.texts {
		e.strings[s] = i
	}
}

func (e *encoder) add(texts ...string) {
	for _, s := range texts {
		e.strings[s] = 0
	}
}

func (e *encoder) addType(t *schema.Type) {
	e.add(t.Format)
	if t.List != nil {
		for _, k := range t.List.Keys {
			e.add(k.Name, k.Default)
		}
	}
	if t.Map != nil {
		for _, f := range t.Map.Fields {
			e.add(f.Name, f.Default, f.MergeKey)
		}
	}
}

// splitName splits io.k8s.api.apps.v1.Deployment at the last dot.
func splitName(name string) (pkg, short string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name
	}
	return name[:i], name[i+1:]
}

type buffer []byte

func (b *buffer) num(n int) { *b = binary.AppendUvarint(*b, uint64(n)) }
func (b *buffer) bits(on ...bool) {
	n := 0
	for i, o := range on {
		if o {
			n |= 1 << i
		}
	}
	b.num(n)
}

func (e *encoder) ref(t *schema.Type) int {
	switch t {
	case nil:
		return 0
	case schema.Deduced():
		return 1
	case schema.Untyped():
		return 2
	}
	return e.types[e.identify(t)].number + 3
}

func (e *encoder) typeBlob(t *schema.Type) buffer {
	var b buffer
	b.num(int(t.Scalar) | bit(t.List != nil, 3) | bit(t.Map != nil, 4) | bit(t.Format != "", 5))
	if t.Format != "" {
		b.num(e.strings[t.Format])
	}
	if l := t.List; l != nil {
		b.num(int(l.Kind) | len(l.Keys)<<2)
		for _, k := range l.Keys {
			b.num(e.strings[k.Name])
			b.num(e.strings[k.Default])
		}
		b.num(e.ref(l.Elem))
	}
	if t.Map != nil {
		e.mapBlob(&b, t.Map)
	}
	return b
}

func bit(on bool, n int) int {
	if on {
		return 1 << n
	}
	return 0
}

func (e *encoder) mapBlob(b *buffer, m *schema.MapType) {
	b.num(bit(m.Atomic, 0) | bit(m.PreserveUnknown, 1) | len(m.Fields)<<2)
	b.num(e.ref(m.Elem))
	required := map[string]bool{}
	for _, r := range m.Required {
		required[r] = true
	}
	last := 0
	for _, f := range m.Fields {
		name := e.strings[f.Name]
		b.num(name - last)
		last = name
		more := f.Strategy != 0 || f.Default != "" || f.MergeKey != ""
		b.num(int(f.Go) | bit(required[f.Name], 4) | bit(more, 5))
		if more {
			b.num(int(f.Strategy))
			b.num(e.strings[f.MergeKey])
			b.num(e.strings[f.Default])
		}
		b.num(e.ref(f.Type))
	}
}
