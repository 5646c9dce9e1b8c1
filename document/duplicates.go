package document

import (
	"slices"
	"strings"
	"unsafe"
)

// sortMembers sorts the members above base by key and resolves duplicates. The sort is
// stable: among equal keys, source order is kept.
func (p *parser) sortMembers(base int) error {
	kids := p.stack[base:]
	slices.SortStableFunc(kids, func(a, b node) int { return strings.Compare(a.key, b.key) })
	out := kids[:0]
	for len(kids) > 0 {
		n := 1
		for ; n < len(kids) && kids[n].key == kids[0].key; n++ {
			if p.dups == DuplicatesRefused {
				pos := p.doc.position(p.keyOffset(kids[n]))
				return &SyntaxError{Position: pos, Reason: "key \"" + kids[n].key + "\" is duplicated in the object", Err: ErrDuplicateKey}
			}
			p.twice = append(p.twice, p.valueOffset(kids[n]))
		}
		last := kids[n-1]
		if n > 1 && p.dups == DuplicatesMerged {
			last = merged(kids[:n])
		}
		out, kids = append(out, last), kids[n:]
	}
	p.stack = p.stack[:base+len(out)]
	return nil
}

// valueOffset returns the offset of a member's value.
func (p *parser) valueOffset(n node) int {
	at := offsetIn(p.s, n.raw)
	if n.kind == String {
		at-- // the quote
	}
	return at
}

// keyOffset returns the offset of a member's key, searching backward from its value.
func (p *parser) keyOffset(n node) int {
	at := p.valueOffset(n)
	for at--; at > 0 && p.s[at] != '"'; at-- {
	}
	for at--; at > 0; at-- {
		if p.s[at] == '"' && !oddBackslashes(p.s[:at]) {
			return at
		}
	}
	return max(at, 0)
}

func oddBackslashes(s string) bool {
	n := 0
	for i := len(s) - 1; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// merged combines members with the same key, in source order. Objects are merged
// recursively, later members over earlier ones; a value that is not an object discards
// those before it.
func merged(same []node) node {
	last := same[len(same)-1]
	from := len(same) - 1
	for from > 0 && same[from].kind == Object && same[from-1].kind == Object {
		from--
	}
	if same = same[from:]; len(same) == 1 {
		return last
	}
	var kids []node
	for _, n := range same {
		kids = append(kids, n.kids()...)
	}
	slices.SortStableFunc(kids, func(a, b node) int { return strings.Compare(a.key, b.key) })
	members := make([]node, 0, len(kids))
	for len(kids) > 0 {
		n := 1
		for n < len(kids) && kids[n].key == kids[0].key {
			n++
		}
		members, kids = append(members, merged(kids[:n])), kids[n:]
	}
	out := container(Object, members)
	out.key, out.flags = last.key, last.flags&keyCanonical
	return out
}

// The bounds of the duplicate keys that a Document lists; messages do not need more.
const (
	maxDuplicates = 1000
	// maxDuplicateSteps bounds the length of all their paths together. Those of keys in objects that
	// nest deeply are much longer than the text.
	maxDuplicateSteps = 100 * maxDuplicates
)

// listDuplicates computes the paths of the keys at the offsets in twice.
func (p *parser) listDuplicates() {
	slices.Sort(p.twice)
	walk := pathWalk{s: p.s, i: p.from, at: p.from}
	if p.from > 0 {
		walk.pos = p.doc.position(p.from)
	}
	steps := 0
	for _, at := range p.twice[:min(len(p.twice), maxDuplicates)] {
		walk.to(at)
		if steps += len(walk.path); steps > maxDuplicateSteps && len(p.doc.Duplicates) > 0 {
			return
		}
		pos := walk.pos
		if p.doc.marks != nil {
			pos = p.doc.position(at)
		}
		pos.Name = p.doc.opts.Name
		p.doc.Duplicates = append(p.doc.Duplicates, Duplicate{Path: slices.Clone(walk.path), Position: pos})
	}
}

// offsetIn returns the offset of part, a substring of s, in s, or -1. The address of an empty string is that of
// its place only if it was not made by slicing: see parser.str.
func offsetIn(s, part string) int {
	a, b := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(part)))
	if b < a || b > a+uintptr(len(s)) {
		return -1
	}
	return int(b - a)
}
