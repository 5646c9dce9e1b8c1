package main

import (
	"log"

	"github.com/patchlab-dev/patchlab/schema"
)

// assemble joins the parts: magic, the section offsets, the sections.
func (e *encoder) assemble(all []*release) []byte {
	kinds := map[string]int{}
	var kindBlobs []string
	var releases buffer
	releases.num(len(all))
	for _, r := range all {
		releases.num(e.strings[r.minor])
		releases.num(len(r.kinds))
		for _, k := range r.kinds {
			blob := string(e.kindBlob(k))
			n, ok := kinds[blob]
			if !ok {
				n = len(kindBlobs)
				kinds[blob] = n
				kindBlobs = append(kindBlobs, blob)
			}
			releases.num(n)
		}
		releases.num(len(r.groups))
		for _, g := range r.groups {
			releases.num(e.strings[g.name])
			releases.num(len(g.versions))
			for _, v := range g.versions {
				releases.num(e.strings[v])
			}
		}
	}
	var names, table, variants buffer
	for _, t := range e.order {
		pkg, short := splitName(t.name)
		names = append(names, u16(e.strings[pkg])...)
		names = append(names, u16(e.strings[short])...)
		table = append(table, u16(e.variant(t, &variants))...)
	}
	sections := [][]byte{
		offsets(e.texts), joined(e.texts), names, table, variants,
		offsets(e.blobData), joined(e.blobData), offsets(kindBlobs), joined(kindBlobs), releases,
	}
	out := []byte(magic)
	at := len(magic) + 3*(len(sections)+1)
	for _, s := range sections {
		out = append(out, u24(at)...)
		at += len(s)
	}
	out = append(out, u24(at)...)
	for _, s := range sections {
		out = append(out, s...)
	}
	return out
}

// variant returns the type table's entry for a type: its blob number or, with the highest
// bit set, the row of the variant table that has the blob number for each release.
func (e *encoder) variant(t *typeEntry, rows *buffer) int {
	only := -1
	for _, b := range t.blob {
		switch {
		case b < 0 || b == only:
		case only < 0:
			only = b
		default:
			row := len(*rows) / (2 * e.releases)
			for _, b := range t.blob {
				*rows = append(*rows, u16(max(b, 0))...)
			}
			return 1<<15 | row
		}
	}
	return only
}

func (e *encoder) kindBlob(k *schema.Kind) buffer {
	var b buffer
	for _, s := range []string{k.Group, k.Version, k.Kind, k.Resource, k.Singular, k.ListKind} {
		b.num(e.strings[s])
	}
	b.num(e.ref(k.Type()))
	b.bits(k.Namespaced, k.OffByDefault)
	for _, list := range [][]string{k.ShortNames, k.Categories} {
		b.num(len(list))
		for _, s := range list {
			b.num(e.strings[s])
		}
	}
	b.num(verbBits(k.Verbs))
	b.num(len(k.Subresources))
	for _, s := range k.Subresources {
		for _, t := range []string{s.Name, s.Kind.Group, s.Kind.Version, s.Kind.Kind} {
			b.num(e.strings[t])
		}
		b.num(verbBits(s.Verbs))
	}
	return b
}

func verbBits(list []string) int {
	n := 0
	for _, v := range list {
		found := false
		for i, known := range verbs {
			if v == known {
				n |= 1 << i
				found = true
			}
		}
		if !found {
			log.Fatalf("gencatalog: unknown verb %q", v)
		}
	}
	return n
}

func u16(n int) []byte {
	if n < 0 || n >= 1<<16 {
		log.Fatalf("gencatalog: %d does not fit 16 bits", n)
	}
	return []byte{byte(n), byte(n >> 8)}
}

func u24(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }

// offsets returns the table of start offsets of texts in their concatenation, followed by
// its length.
func offsets(texts []string) []byte {
	var out []byte
	at := 0
	for _, t := range texts {
		out = append(out, u24(at)...)
		at += len(t)
	}
	return append(out, u24(at)...)
}

func joined(texts []string) []byte {
	var out []byte
	for _, t := range texts {
		out = append(out, t...)
	}
	return out
}
