package document

import "strings"

// Managed fields say of every item of a list that the same of its fields are
// owned: in a long list most of the text is one object over and over again. Such
// twins share their members, so that these are read and made once. Only hollow
// objects are shared, because a value in them would then have the place of
// another in the text; that of a member without a value nobody asks for.

// twin pushes an object that has the very text of the member before it, and
// reports whether one stands here. The members so far lie in the stack from base on.
func (p *parser) twin(base int) bool {
	if len(p.stack) == base {
		return false
	}
	before := &p.stack[len(p.stack)-1]
	const wanted = hollow | canonical
	if before.flags&wanted != wanted || !strings.HasPrefix(p.s[p.i:], before.raw) {
		return false
	}
	p.takeOver(before, len(before.raw))
	return true
}

// allHollow reports whether an object of these members is hollow.
func allHollow(members []node) bool {
	for i := range members {
		if members[i].flags&hollow == 0 {
			return false
		}
	}
	return true
}
