package schema

import (
	"sort"
	"strings"
)

// catalogMagic identifies the catalog's format and its version.
const catalogMagic = "PLC1"

// archive is the embedded catalog: sections of fixed-width tables, so that any type can be
// decoded independently (doc/schema.md describes the format). Strings are substrings of the
// embedded text and are not copied.
type archive struct {
	stringOffsets, strings string
	names                  string // per type: package and name, two bytes each
	types                  string // per type: blob, or row of variants
	variants               string // rows of one blob number per version
	blobOffsets, blobs     string
	kindOffsets, kinds     string
	releases               string
	versions               int // number of versions, the columns of variants
}

func openArchive(data string) (*archive, bool) {
	const sections = 10
	if len(data) < len(catalogMagic)+3*(sections+1) || data[:len(catalogMagic)] != catalogMagic {
		return nil, false
	}
	table := data[len(catalogMagic):]
	var s [sections]string
	for i := range s {
		s[i] = data[u24(table, i):u24(table, i+1)]
	}
	a := &archive{s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], 0}
	r := reader{a: a, data: a.releases}
	a.versions = r.num()
	return a, true
}

func u24(s string, i int) int {
	s = s[3*i : 3*i+3]
	return int(s[0]) | int(s[1])<<8 | int(s[2])<<16
}

func u16(s string, i int) int {
	s = s[2*i : 2*i+2]
	return int(s[0]) | int(s[1])<<8
}

func (a *archive) text(i int) string {
	return a.strings[u24(a.stringOffsets, i):u24(a.stringOffsets, i+1)]
}

// typeName returns a type's package and name, the parts of its OpenAPI name before and
// after the last dot.
func (a *archive) typeName(i int) (pkg, name string) {
	return a.text(u16(a.names, 2*i)), a.text(u16(a.names, 2*i+1))
}

// typeBlob returns the encoded type with that number in a version.
func (a *archive) typeBlob(number, version int) string {
	b := u16(a.types, number)
	if b&(1<<15) != 0 {
		b = u16(a.variants, (b&^(1<<15))*a.versions+version)
	}
	return a.blobs[u24(a.blobOffsets, b):u24(a.blobOffsets, b+1)]
}

// reader decodes the numbers of one encoded type.
type reader struct {
	a    *archive
	data string
}

func (r *reader) num() int {
	n, shift := 0, 0
	for i := 0; i < len(r.data); i++ {
		c := r.data[i]
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			r.data = r.data[i+1:]
			return n
		}
		shift += 7
	}
	panic("schema: the catalog is truncated")
}

func (r *reader) text() string { return r.a.text(r.num()) }

func (r *reader) texts() []string {
	n := r.num()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

func (r *reader) verbs() []string {
	all := [...]string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch", "connect"}
	bits := r.num()
	var list []string
	for i, v := range all {
		if bits&(1<<i) != 0 {
			list = append(list, v)
		}
	}
	return list
}

// release decodes the kinds and groups of a version.
func (c *Catalog) release(r *reader) {
	c.version = r.text()
	kinds := make([]int, r.num())
	for i := range kinds {
		kinds[i] = r.num()
	}
	c.kindNumbers = kinds
	c.groups = make([]string, r.num())
	c.served = make([][]string, len(c.groups))
	for i := range c.groups {
		c.groups[i] = r.text()
		c.served[i] = r.texts()
	}
}

func (c *Catalog) kind(number int) *Kind {
	a := c.archive
	r := reader{a: a, data: a.kinds[u24(a.kindOffsets, number):u24(a.kindOffsets, number+1)]}
	k := &Kind{Builtin: true, catalog: c}
	k.Group, k.Version, k.Kind = r.text(), r.text(), r.text()
	k.Resource, k.Singular, k.ListKind = r.text(), r.text(), r.text()
	ref := r.num()
	k.resolve = func() *Type { return c.closure(ref) }
	flags := r.num()
	k.Namespaced, k.OffByDefault = flags&1 != 0, flags&2 != 0
	k.ShortNames, k.Categories, k.Verbs = r.texts(), r.texts(), r.verbs()
	if n := r.num(); n > 0 {
		k.Subresources = make([]Subresource, n)
	}
	for i := range k.Subresources {
		s := &k.Subresources[i]
		s.Name = r.text()
		s.Kind.Group, s.Kind.Version, s.Kind.Kind = r.text(), r.text(), r.text()
		s.Verbs = r.verbs()
	}
	k.noteSubresources()
	return k
}

// closure returns a type after decoding everything that it refers to. Types are decoded
// once and published only when complete.
func (c *Catalog) closure(ref int) *Type {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.typeOf(ref)
}

// typeOf returns the type of a reference: 0 is none, 1 and 2 are the types without a
// schema, further ones are type numbers. c.mu is held.
func (c *Catalog) typeOf(ref int) *Type {
	switch ref {
	case 0:
		return nil
	case 1:
		return Deduced()
	case 2:
		return Untyped()
	}
	n := ref - 3
	if t := c.types[n]; t != nil {
		return t
	}
	if len(c.slab) == 0 {
		c.slab = make([]Type, 32)
	}
	t := &c.slab[0]
	c.slab = c.slab[1:]
	c.types[n] = t
	c.fill(t, n)
	return t
}

func (c *Catalog) fill(t *Type, number int) {
	if pkg, name := c.archive.typeName(number); pkg != "" {
		t.Name = pkg + "." + name
	}
	r := reader{a: c.archive, data: c.archive.typeBlob(number, c.column)}
	head := r.num()
	t.Scalar = Scalar(head & 7)
	if head&(1<<5) != 0 {
		t.Format = r.text()
	}
	if head&(1<<3) != 0 {
		t.List = c.list(&r)
	}
	if head&(1<<4) != 0 {
		t.Map = c.object(&r)
	}
}

func (c *Catalog) list(r *reader) *ListType {
	head := r.num()
	l := &ListType{Kind: ListKind(head & 3)}
	if n := head >> 2; n > 0 {
		l.Keys = make([]Key, n)
	}
	for i := range l.Keys {
		l.Keys[i] = Key{Name: r.text(), Default: r.text()}
	}
	l.Elem = c.typeOf(r.num())
	return l
}

func (c *Catalog) object(r *reader) *MapType {
	head := r.num()
	m := &MapType{Atomic: head&1 != 0, PreserveUnknown: head&2 != 0}
	m.Elem = c.typeOf(r.num())
	n := head >> 2
	if n == 0 {
		return m
	}
	m.Fields = make([]Field, n)
	name := 0
	for i := range m.Fields {
		f := &m.Fields[i]
		name += r.num()
		f.Name = r.a.text(name)
		flags := r.num()
		f.Go = GoField(flags & 15)
		if flags&(1<<4) != 0 {
			m.Required = append(m.Required, f.Name)
		}
		if flags&(1<<5) != 0 {
			f.Strategy = PatchStrategy(r.num())
			f.MergeKey, f.Default = r.text(), r.text()
			f.value = ParseDefault(f.Default)
		}
		f.Type = c.typeOf(r.num())
	}
	return m
}

// named returns a type's number by its OpenAPI name.
func (a *archive) named(name string) (int, bool) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return 0, false
	}
	for i := 0; i < len(a.types)/2; i++ {
		if pkg, short := a.typeName(i); pkg == name[:dot] && short == name[dot+1:] {
			return i, true
		}
	}
	return 0, false
}

// sortKinds sorts kinds by group, version and kind.
func sortKinds(kinds []*Kind) {
	sort.SliceStable(kinds, func(i, j int) bool { return kinds[i].less(kinds[j].GroupVersionKind) })
}
