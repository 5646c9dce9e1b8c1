package document

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// The functions of this file take the offset of a part of the text and return the offset
// after it, or invalid. They keep the offset in a register: in the parser, each function
// would wait for the store of the one before it.

// invalid is the offset after a part that is not valid or cannot be deferred (see lazy.go).
const invalid = -1

// check validates the value at offset i without creating nodes.
func (p *parser) check(i, depth int) (next int) {
	i = p.spaceAt(i)
	if i >= len(p.b) {
		return invalid
	}
	switch p.b[i] {
	case '{':
		next, _ = p.checkObject(i, depth, nil)
	case '[':
		next, _ = p.checkList(i, depth, nil)
	case '"':
		next, _ = p.checkString(i)
	case 't':
		next = p.checkWord(i, "true")
	case 'f':
		next = p.checkWord(i, "false")
	case 'n':
		next = p.checkWord(i, "null")
	default:
		next = p.checkNumber(i)
	}
	return next
}

// checkList validates a list and counts its items. It appends their spans to *spans unless
// spans is nil.
func (p *parser) checkList(i, depth int, spans *[]itemSpan) (next, count int) {
	if depth > maxDepth {
		return invalid, 0
	}
	i = p.spaceAt(i + 1)
	if i < len(p.b) && p.b[i] == ']' {
		return i + 1, 0
	}
	var last previousItem
	for {
		i = p.spaceAt(i)
		if i >= len(p.b) {
			return invalid, 0
		}
		from, odd, kids := i, p.odd, 0
		switch p.b[i] {
		case '{':
			i, kids = p.checkObject(i, depth+1, &last)
		case '[':
			i, kids = p.checkList(i, depth+1, nil)
		default:
			i = p.check(i, depth+1)
		}
		if i < 0 {
			return invalid, 0
		}
		if count++; spans != nil {
			*spans = append(*spans, newItemSpan(i-from, kids, p.odd == odd))
		}
		if i < len(p.b) && p.b[i] == ',' {
			i++
			continue
		}
		end := false
		if i, end = p.checkComma(i, ']'); end || i < 0 {
			return i, count
		}
	}
}

// previousItem records the preceding item in a list of objects. Adjacent items usually have
// the same keys, and often some equal strings. Comparing the text is cheaper than
// validating it again.
type previousItem struct {
	members [8]previousMember // in ascending order of their keys
	n       int
}

// previousMember records the text of a member of the preceding item. The key is plain (see
// checkString).
type previousMember struct {
	before string // from the end of the value before it, or the brace, to its value
	key    string
	odd    int    // number of deviations from the printed form in before
	value  string // the last plain string among its values, with quotes
}

// checkValue validates the value at offset i and records it in m.
func (m *previousMember) checkValue(p *parser, i, depth int) (next int) {
	switch {
	case i >= len(p.b):
		return invalid
	case p.b[i]-'0' <= 9:
		return p.checkNumber(i)
	case p.b[i] != '"':
		return p.check(i, depth)
	}
	next, plain := p.checkString(i)
	if plain {
		m.value = p.s[i:next]
	}
	return next
}

// checkLike validates the members of the object at i for as long as they have the keys and
// the white space of the preceding item, and counts them.
func (p *parser) checkLike(last *previousItem, i, depth int) (next, members int) {
	for members < last.n {
		m := &last.members[members]
		if !strings.HasPrefix(p.s[i:], m.before) {
			break
		}
		members++
		p.odd += m.odd
		i += len(m.before)
		if m.value != "" && strings.HasPrefix(p.s[i:], m.value) {
			i += len(m.value)
		} else if i = m.checkValue(p, i, depth); i < 0 {
			break
		}
	}
	return i, members
}

// checkObject validates an object and counts its members. last describes the preceding
// object in a list and is updated; it is nil outside lists.
func (p *parser) checkObject(i, depth int, last *previousItem) (next, members int) {
	if depth > maxDepth {
		return invalid, 0
	}
	lastKey, lastPlain := "", true
	if last != nil && last.n > 0 {
		i, members = p.checkLike(last, i, depth+1)
		switch {
		case i < 0:
			return invalid, 0
		case members > 0 && i < len(p.b) && p.b[i] == '}':
			return i + 1, members
		case members > 0:
			lastKey = last.members[members-1].key
		}
	}
	like := last != nil // all keys so far are those in last
	repeated := ""
	for {
		from, odd, end := i, p.odd, false
		switch {
		case members > 0 && i < len(p.b) && p.b[i] == ',':
			i++
		case members > 0:
			if i, end = p.checkComma(i, '}'); end || i < 0 {
				return i, members
			}
		default:
			if i = p.spaceAt(i + 1); i < len(p.b) && p.b[i] == '}' {
				return i + 1, 0
			}
		}
		key, plain, value := p.checkKey(p.spaceAt(i))
		if value < 0 || members > 0 && !rises(lastKey, key, lastPlain && plain) {
			return invalid, 0
		}
		lastKey, lastPlain = key, plain
		i = p.spaceAt(value)
		if like = like && plain && members < len(last.members); like {
			m := &last.members[members]
			*m = previousMember{before: p.s[from:i], key: key, odd: p.odd - odd}
			last.n = members + 1
			i = m.checkValue(p, i, depth+1)
		} else {
			i = p.checkRepeated(&repeated, i, depth+1)
		}
		if i < 0 {
			return invalid, 0
		}
		members++
	}
}

// checkRepeated validates the value of a member. In managedFields most members are objects
// with the same text as the preceding member; before is that text and is updated.
func (p *parser) checkRepeated(before *string, i, depth int) (next int) {
	if i+1 >= len(p.b) || p.b[i] != '{' || depth > maxDepth {
		return p.check(i, depth)
	}
	if p.b[i+1] == '}' {
		return i + 2
	}
	if *before != "" && strings.HasPrefix(p.s[i:], *before) {
		return i + len(*before)
	}
	if next, _ = p.checkObject(i, depth, nil); next >= 0 {
		*before = p.s[i:next]
	}
	return next
}

// checkKey validates a key and its colon.
func (p *parser) checkKey(i int) (key string, plain bool, next int) {
	if i >= len(p.b) || p.b[i] != '"' {
		return "", false, invalid
	}
	end, plain := p.checkString(i)
	if end < 0 {
		return "", false, invalid
	}
	key = p.s[i+1 : end-1]
	end = p.spaceAt(end)
	if end >= len(p.b) || p.b[end] != ':' {
		return "", false, invalid
	}
	return key, plain, end + 1
}

// rises reports whether key a sorts before key b, given their raw texts. plain is false if
// either may contain escapes; they are decoded only if they can affect the order.
func rises(a, b string, plain bool) bool {
	if plain {
		return a < b
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	switch {
	case strings.Contains(a, `\u`) || strings.Contains(b, `\u`) || oddBackslashes(a[:n]):
	case n < len(a) && a[n] == '\\' || n < len(b) && b[n] == '\\':
	case !utf8.ValidString(a) || !utf8.ValidString(b):
	default:
		return n < len(b) && (n == len(a) || a[n] < b[n])
	}
	return unescape(a) < unescape(b)
}

// checkComma returns the offset after a comma or the end of a list or object.
func (p *parser) checkComma(i int, close byte) (next int, end bool) {
	i = p.spaceAt(i)
	if i >= len(p.b) {
		return invalid, false
	}
	switch p.b[i] {
	case ',':
		return i + 1, false
	case close:
		return i + 1, true
	}
	return invalid, false
}

// checkString validates a string and reports whether it is plain: ASCII without escapes and
// without characters that are escaped when printed.
func (p *parser) checkString(start int) (next int, plain bool) {
	b, i := p.b, start+1
	plain = true
	for i+8 <= len(b) {
		hit := special8(binary.LittleEndian.Uint64(b[i : i+8]))
		if hit == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(hit) >> 3
		switch c := b[i]; {
		case c == '"':
			return i + 1, plain
		case c == '\\' && i+1 < len(b) && shortEscapes[b[i+1]]:
			plain = false
			i += 2
			continue
		case c == '^' || c == '|' || c == '~':
			i++
			continue
		}
		break
	}
	p.i = start
	if _, err := p.str(); err != nil {
		return invalid, false
	}
	return p.i, false
}

func (p *parser) checkWord(i int, w string) (next int) {
	if !strings.HasPrefix(p.s[i:], w) {
		return invalid
	}
	return i + len(w)
}

func (p *parser) checkNumber(start int) (next int) {
	b, i := p.b, start
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if n := i - start; n > 0 && n <= 18 && (n == 1 || b[start] != '0') && i < len(b) {
		if c := b[i]; c != '.' && c != 'e' && c != 'E' {
			return i
		}
	}
	p.i = start
	if c := b[start]; c != '-' && c-'0' > 9 || p.number() != nil {
		return invalid
	}
	p.peak = max(p.peak, len(p.stack))
	p.stack = p.stack[:len(p.stack)-1]
	return p.i
}
