package document

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// pass goes over a value without making nodes. It reports false where the value
// is wrong or not plain, and has then gone over some of it.
func (p *parser) pass(depth int) bool {
	p.space()
	if p.i >= len(p.b) {
		return false
	}
	switch c := p.b[p.i]; c {
	case '{':
		_, ok := p.passObject(depth, nil)
		return ok
	case '[':
		_, ok := p.passList(depth)
		return ok
	case '"':
		_, _, ok := p.passString()
		return ok
	case 't':
		return p.passWord("true")
	case 'f':
		return p.passWord("false")
	case 'n':
		return p.passWord("null")
	default:
		return p.passNumber()
	}
}

// passList goes over a list and counts its items.
func (p *parser) passList(depth int) (items int, ok bool) {
	if depth > maxDepth {
		return 0, false
	}
	p.i++
	p.space()
	if p.i < len(p.b) && p.b[p.i] == ']' {
		p.i++
		return 0, true
	}
	var kin kin
	for {
		p.space()
		if p.i < len(p.b) && p.b[p.i] == '{' {
			_, ok = p.passObject(depth+1, &kin)
		} else {
			ok = p.pass(depth + 1)
		}
		if !ok {
			return 0, false
		}
		items++
		if end, ok := p.passComma(']'); end || !ok {
			return items, ok
		}
	}
}

// A kin is what is known of the object before, in a list of objects: most have
// the same keys, and often the same text under some of them. What is there again
// was found right once and need not be read again.
type kin struct {
	members [8]kinMember
	n       int
}

// A kinMember says where that object's key stands, with quotes and colon, and
// its value where that is a string. Both are in printed form, the key without
// escapes. The keys of a kin rise.
type kinMember struct{ key, value span }

type span struct{ from, to int }

// again goes over a part of the text if it stands here once more.
func (p *parser) again(part span) bool {
	n := part.to - part.from
	if n == 0 || n > len(p.b)-p.i || p.s[p.i:p.i+n] != p.s[part.from:part.to] {
		return false
	}
	p.i += n
	return true
}

// passValue goes over the value of the member i.
func (k *kin) passValue(p *parser, i, depth int) bool {
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return p.pass(depth)
	}
	value := &k.members[i].value
	if p.again(*value) {
		return true
	}
	start, odd := p.i, p.odd
	_, _, ok := p.passString()
	if *value = (span{}); p.odd == odd {
		*value = span{start, p.i}
	}
	return ok
}

// passObject goes over an object and counts its members. before is of the object
// that stands before it in a list, and is nil where none can.
func (p *parser) passObject(depth int, before *kin) (members int, ok bool) {
	if depth > maxDepth {
		return 0, false
	}
	p.i++
	p.space()
	if p.i < len(p.b) && p.b[p.i] == '}' {
		p.i++
		return 0, true
	}
	last, lastPlain := "", true
	var twin span
	same := before != nil // all keys so far are those that before holds
	for {
		p.space()
		if !same || members >= before.n || !p.again(before.members[members].key) {
			if same && members > 0 {
				key := before.members[members-1].key
				last = p.s[key.from+1 : key.to-2]
			}
			start, odd := p.i, p.odd
			key, plain, ok := p.passKey()
			if !ok || members > 0 && !rises(last, key, lastPlain && plain) {
				return 0, false
			}
			last, lastPlain = key, plain
			same = same && plain && p.odd == odd && members < len(before.members)
			if same {
				before.members[members] = kinMember{key: span{start, p.i}}
				before.n = members + 1
			}
		}
		if p.space(); same {
			ok = before.passValue(p, members, depth+1)
		} else {
			ok = p.passTwin(&twin, depth+1)
		}
		if !ok {
			return 0, false
		}
		members++
		if p.i < len(p.b) && p.b[p.i] == ',' {
			p.i++
			continue
		}
		if end, ok := p.passComma('}'); end || !ok {
			return members, ok
		}
	}
}

// passTwin goes over a value. If that is an object, it may stand once more under
// the next key, as in managed fields: twin is then where it stands.
func (p *parser) passTwin(twin *span, depth int) bool {
	switch {
	case p.i+1 >= len(p.b) || p.b[p.i] != '{' || depth > maxDepth:
		return p.pass(depth)
	case p.b[p.i+1] == '}':
		p.i += 2
		return true
	case p.again(*twin):
		return true
	}
	start := p.i
	_, ok := p.passObject(depth, nil)
	*twin = span{start, p.i}
	return ok
}

// passKey goes over a key and its colon.
func (p *parser) passKey() (key string, plain, ok bool) {
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return "", false, false
	}
	key, plain, ok = p.passString()
	p.space()
	if !ok || p.i >= len(p.b) || p.b[p.i] != ':' {
		return "", false, false
	}
	p.i++
	return key, plain, true
}

// rises reports whether one key, of which the raw text is given, comes before
// another. Escapes are decoded only where they may decide it.
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

// passComma goes over a comma or the end of a list or an object.
func (p *parser) passComma(close byte) (end, ok bool) {
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

// passString goes over a string and returns what stands between its quotes, and
// whether that is its text.
func (p *parser) passString() (raw string, plain, ok bool) {
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

func (p *parser) passWord(w string) bool {
	if !strings.HasPrefix(p.s[p.i:], w) {
		return false
	}
	p.i += len(w)
	return true
}

func (p *parser) passNumber() bool {
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
