package document

import (
	"slices"
	"strings"
	"unsafe"
)

// sortMembers brings the members above base into the order of their keys and
// settles duplicates. The sort is stable: of equal keys the later one comes later.
func (p *parser) sortMembers(base int) error {
	kids := p.stack[base:]
	slices.SortStableFunc(kids, func(a, b node) int { return strings.Compare(a.key, b.key) })
	out := kids[:1]
	for i := 1; i < len(kids); i++ {
		last := &out[len(out)-1]
		if kids[i].key != last.key {
			out = append(out, kids[i])
			continue
		}
		at := p.valueOffset(kids[i])
		if p.dups == DuplicatesRefused {
			pos := p.doc.position(p.keyOffset(kids[i]))
			return &SyntaxError{Position: pos, Reason: "key \"" + kids[i].key + "\" stands twice in one object", Err: ErrDuplicateKey}
		}
		p.twice = append(p.twice, at)
		if p.dups == DuplicatesMerged && last.kind == Object && kids[i].kind == Object {
			merged := overlay(*last, kids[i])
			*last = merged
			continue
		}
		*last = kids[i]
	}
	p.stack = p.stack[:base+len(out)]
	return nil
}

// valueOffset finds where a member's value stands, or, for an empty string, of
// which Go keeps no place, the end of its key.
func (p *parser) valueOffset(n node) int {
	if at := offsetIn(p.s, n.key); n.raw == "" && n.key != "" && at > 0 {
		return at + len(n.key) + 1
	}
	return offsetIn(p.s, n.raw)
}

// keyOffset finds where a member's key begins, going back from its value.
func (p *parser) keyOffset(n node) int {
	if at := offsetIn(p.s, n.key); n.raw == "" && n.key != "" && at > 0 {
		return at - 1
	}
	at := offsetIn(p.s, n.raw)
	if n.kind == String {
		at--
	}
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

// overlay merges the members of two objects, b's over a's, deeply.
func overlay(a, b node) node {
	x, y := a.kids(), b.kids()
	kids := make([]node, 0, len(x)+len(y))
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].key < y[0].key:
			kids, x = append(kids, x[0]), x[1:]
		case len(x) == 0 || y[0].key < x[0].key:
			kids, y = append(kids, y[0]), y[1:]
		default:
			m := y[0]
			if x[0].kind == Object && m.kind == Object {
				m = overlay(x[0], m)
			}
			kids, x, y = append(kids, m), x[1:], y[1:]
		}
	}
	out := container(Object, kids)
	out.key, out.flags = b.key, b.flags&keyCanonical
	return out
}

// listDuplicates finds the paths of the keys noted in twice.
func (p *parser) listDuplicates() {
	slices.Sort(p.twice)
	for _, at := range p.twice {
		pos := p.doc.position(at)
		p.doc.Duplicates = append(p.doc.Duplicates, Duplicate{Path: pathAt(p.s, at), Position: pos})
	}
}

// offsetIn returns where part, a substring of s, begins in it, or -1.
func offsetIn(s, part string) int {
	a, b := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(part)))
	if b < a || b > a+uintptr(len(s)) {
		return -1
	}
	return int(b - a)
}
