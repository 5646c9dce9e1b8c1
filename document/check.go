package document

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// check validates one value without creating nodes and advances past it. It returns false
// if the value is invalid or cannot be deferred (see lazy.go); the position is then
// undefined.
func (p *parser) check(depth int) bool {
	p.space()
	if p.i >= len(p.b) {
		return false
	}
	switch c := p.b[p.i]; c {
	case '{':
		_, ok := p.checkObject(depth, nil)
		return ok
	case '[':
		_, ok := p.checkList(depth, nil)
		return ok
	case '"':
		_, _, ok := p.checkString()
		return ok
	case 't':
		return p.checkWord("true")
	case 'f':
		return p.checkWord("false")
	case 'n':
		return p.checkWord("null")
	default:
		return p.checkNumber()
	}
}

// checkList validates a list and counts its items. It appends their spans to *spans unless
// spans is nil.
func (p *parser) checkList(depth int, spans *[]itemSpan) (count int, ok bool) {
	start := p.i
	if p.i++; depth > maxDepth {
		return 0, false
	}
	p.space()
	if p.i < len(p.b) && p.b[p.i] == ']' {
		p.i++
		return 0, true
	}
	var last previousItem
	for {
		p.space()
		if p.i >= len(p.b) {
			return 0, false
		}
		from, odd, kids := p.i, p.odd, 0
		switch p.b[p.i] {
		case '{':
			kids, ok = p.checkObject(depth+1, &last)
		case '[':
			kids, ok = p.checkList(depth+1, nil)
		default:
			ok = p.check(depth + 1)
		}
		if !ok {
			return 0, false
		}
		if count++; spans != nil {
			*spans = append(*spans, itemSpan{uint32(from - start), uint32(p.i - start), uint32(kids), p.odd == odd})
		}
		if end, ok := p.checkComma(']'); end || !ok {
			return count, ok
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

// previousMember records where a member of the preceding item is in the text: its key, with
// quotes and colon and without escapes, and its value. The value's span is empty unless the
// value is a string. Both texts are in printed form.
type previousMember struct{ key, value span }

type span struct{ from, to int }

// again reports whether the text at the current position repeats an earlier part, and if
// so, advances past it.
func (p *parser) again(part span) bool {
	n := part.to - part.from
	if n == 0 || n > len(p.b)-p.i || p.s[p.i:p.i+n] != p.s[part.from:part.to] {
		return false
	}
	p.i += n
	return true
}

// checkValue validates the value of member i.
func (l *previousItem) checkValue(p *parser, i, depth int) bool {
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return p.check(depth)
	}
	value := &l.members[i].value
	if p.again(*value) {
		return true
	}
	start, odd := p.i, p.odd
	_, _, ok := p.checkString()
	if *value = (span{}); p.odd == odd {
		*value = span{start, p.i}
	}
	return ok
}

// checkObject validates an object and counts its members. last describes the preceding
// object in a list and is updated; it is nil outside lists.
func (p *parser) checkObject(depth int, last *previousItem) (members int, ok bool) {
	if depth > maxDepth {
		return 0, false
	}
	p.i++
	p.space()
	if p.i < len(p.b) && p.b[p.i] == '}' {
		p.i++
		return 0, true
	}
	lastKey, lastPlain := "", true
	var repeated span
	same := last != nil // all keys so far equal those of last
	for {
		p.space()
		if !same || members >= last.n || !p.again(last.members[members].key) {
			if same && members > 0 {
				key := last.members[members-1].key
				lastKey = p.s[key.from+1 : key.to-2]
			}
			start, odd := p.i, p.odd
			key, plain, ok := p.checkKey()
			if !ok || members > 0 && !rises(lastKey, key, lastPlain && plain) {
				return 0, false
			}
			lastKey, lastPlain = key, plain
			same = same && plain && p.odd == odd && members < len(last.members)
			if same {
				last.members[members] = previousMember{key: span{start, p.i}}
				last.n = members + 1
			}
		}
		if p.space(); same {
			ok = last.checkValue(p, members, depth+1)
		} else {
			ok = p.checkRepeated(&repeated, depth+1)
		}
		if !ok {
			return 0, false
		}
		members++
		if p.i < len(p.b) && p.b[p.i] == ',' {
			p.i++
			continue
		}
		if end, ok := p.checkComma('}'); end || !ok {
			return members, ok
		}
	}
}

// checkRepeated validates the value of a member. In managedFields most members are objects
// with the same text as the preceding member; before is the span of that text and is
// updated.
func (p *parser) checkRepeated(before *span, depth int) bool {
	switch {
	case p.i+1 >= len(p.b) || p.b[p.i] != '{' || depth > maxDepth:
		return p.check(depth)
	case p.b[p.i+1] == '}':
		p.i += 2
		return true
	case p.again(*before):
		return true
	}
	start := p.i
	_, ok := p.checkObject(depth, nil)
	*before = span{start, p.i}
	return ok
}

// checkKey validates a key and its colon.
func (p *parser) checkKey() (key string, plain, ok bool) {
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return "", false, false
	}
	key, plain, ok = p.checkString()
	p.space()
	if !ok || p.i >= len(p.b) || p.b[p.i] != ':' {
		return "", false, false
	}
	p.i++
	return key, plain, true
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

// checkComma advances past a comma or the end of a list or object.
func (p *parser) checkComma(close byte) (end, ok bool) {
	p.space()
	if p.i >= len(p.b) {
		return false, false
	}
	switch p.b[p.i] {
	case ',':
		p.i++
		return false, true
	case close:
		p.i++
		return true, true
	}
	return false, false
}

// checkString validates a string. It returns the text between the quotes and whether it is
// free of escapes.
func (p *parser) checkString() (raw string, plain, ok bool) {
	start := p.i + 1
	plain = true
	for i := start; i+8 <= len(p.b); {
		hit := special8(binary.LittleEndian.Uint64(p.b[i:]))
		if hit == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(hit) >> 3
		if p.b[i] == '"' {
			p.i = i + 1
			return p.s[start:i], plain, true
		}
		if p.b[i] != '\\' || i+1 == len(p.b) || !shortEscapes[p.b[i+1]] {
			break
		}
		plain = false
		i += 2
	}
	n, err := p.str()
	return n.raw, n.flags&escaped == 0, err == nil
}

func (p *parser) checkWord(w string) bool {
	if !strings.HasPrefix(p.s[p.i:], w) {
		return false
	}
	p.i += len(w)
	return true
}

func (p *parser) checkNumber() bool {
	i := p.i
	for i < len(p.b) && p.b[i]-'0' <= 9 {
		i++
	}
	if n := i - p.i; n > 0 && n <= 18 && (n == 1 || p.b[p.i] != '0') && i < len(p.b) {
		if c := p.b[i]; c != '.' && c != 'e' && c != 'E' {
			p.i = i
			return true
		}
	}
	if c := p.b[p.i]; c != '-' && c-'0' > 9 || p.number() != nil {
		return false
	}
	p.peak = max(p.peak, len(p.stack))
	p.stack = p.stack[:len(p.stack)-1]
	return true
}
