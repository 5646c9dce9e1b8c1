package document

import "strings"

// Most of the text of managedFields is one object repeated under many keys, because all
// items of a list have the same fields. The parser parses such an object once: a member
// with the same text as the preceding member shares its nodes. This is limited to objects
// that contain nothing but objects ("shells"), because nobody needs the position of their
// parts; a shared scalar would have the position of its first occurrence.

// repeated reports whether the current position has an object with the same text as the
// preceding member, and if so, pushes its node. The previous members are on the stack from
// base on.
func (p *parser) repeated(base int) bool {
	if len(p.stack) == base {
		return false
	}
	before := &p.stack[len(p.stack)-1]
	const wanted = shell | canonical
	if before.flags&wanted != wanted || !strings.HasPrefix(p.s[p.i:], before.raw) {
		return false
	}
	n := *before
	n.key, n.flags = "", n.flags&^keyCanonical
	n.raw = p.s[p.i : p.i+len(n.raw)]
	p.i += len(n.raw)
	p.stack = append(p.stack, n)
	return true
}

// allShells reports whether all members are shells.
func allShells(members []node) bool {
	for i := range members {
		if members[i].flags&shell == 0 {
			return false
		}
	}
	return true
}
