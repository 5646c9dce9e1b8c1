package document

import "strings"

// In managedFields most of the text is one object, repeated under key after key:
// every item of a list has the same fields. The parser reads such an object once.
// Where a member has the very text of the member before it, both share one node's
// members. This is done only for objects that hold nothing but objects ("shells"),
// because nobody asks for the position of a part of those; a shared scalar would
// have the position of the first one.

// repeated pushes a node for an object with the text of the member before it, and
// reports whether there is one here. The members so far are on the stack from
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

// allShells reports whether an object with these members is a shell.
func allShells(members []node) bool {
	for i := range members {
		if members[i].flags&shell == 0 {
			return false
		}
	}
	return true
}
