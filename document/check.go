package document

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
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
// the same keys, and often some equal values. Comparing the text is cheaper than validating
// it again.
type previousItem struct {
	members [8]previousMember // in ascending order of their keys
	n       int
}

// previousMember records where a member of a preceding item is in the text. The key is plain
// (see checkString).
type previousMember struct {
	from, value, end int // offsets after the value before it or of the brace, of its value, and after its value
	key              string
	oddKey, oddValue int  // number of deviations from the printed form before the value and in it
	plain            bool // the value is a plain string
}

// checkLike validates the members of the object at i for as long as they have the keys and
// the white space of the preceding item, and counts them.
func (p *parser) checkLike(last *previousItem, i, depth int) (next, members int) {
	start, compared, same := i, invalid, 0
	recorded := last.members[:last.n]
	for k := range recorded {
		m := &recorded[k]
		if m.from != compared { // the text from here on has not been compared
			same = p.common(m.from, i, start)
		}
		shift := i - m.from
		value, end := m.value+shift, m.end+shift
		if same < value {
			return i, k
		}
		p.odd += m.oddKey
		compared, m.from = m.end, i
		if same > end { // a number ends where the next byte is the same
			p.odd += m.oddValue
			m.value, m.end, i = value, end, end
			continue
		}
		if i = m.checkValue(p, value, same, depth); i < 0 {
			return invalid, k
		}
		same = p.common(compared, i, start)
	}
	return i, len(recorded)
}

// checkValue validates the value at offset i, of which the text before offset same is that
// of the recorded value, and records it in m.
func (m *previousMember) checkValue(p *parser, i, same, depth int) (next int) {
	if i >= len(p.b) {
		return invalid
	}
	odd, from, plain := p.odd, i+1, false
	switch c := p.b[i]; {
	case c-'0' <= 9:
		next = p.checkNumber(i)
	case c == '"':
		if m.plain {
			from = max(from, min(same, i+m.end-m.value-1)) // at the closing quote at most
		}
		next, plain = p.checkStringFrom(i, from)
	default:
		next = p.check(i, depth)
	}
	m.value, m.end, m.oddValue, m.plain = i, next, p.odd-odd, plain
	return next
}

// common compares the text from offset a on with that from the larger offset b on, and
// returns the offset in the latter up to which they are equal. No text from offset end on
// is compared with the latter.
func (p *parser) common(a, b, end int) int {
	text, shift := unsafe.Pointer(unsafe.StringData(p.s)), b-a
	end = min(end+shift, len(p.s))
	for stop := min(end, len(p.s)-7); b < stop; b += 8 {
		now, then := (*[8]byte)(unsafe.Add(text, b)), (*[8]byte)(unsafe.Add(text, b-shift))
		if d := binary.LittleEndian.Uint64(now[:]) ^ binary.LittleEndian.Uint64(then[:]); d != 0 {
			return min(b+bits.TrailingZeros64(d)>>3, end)
		}
	}
	for b < end && p.s[b] == p.s[b-shift] {
		b++
	}
	return min(b, end)
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
			*m = previousMember{from: from, key: key, oddKey: p.odd - odd}
			last.n = members + 1
			i = m.checkValue(p, i, i, depth+1)
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
	return p.checkStringFrom(start, start+1)
}

// checkStringFrom is checkString for a string that is plain before offset i.
func (p *parser) checkStringFrom(start, i int) (next int, plain bool) {
	b := p.b
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
	return p.checkOtherString(start), false
}

// checkOtherString is checkString for strings that are not plain, and for errors.
func (p *parser) checkOtherString(start int) (next int) {
	p.i = start
	if _, err := p.str(); err != nil {
		return invalid
	}
	return p.i
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
	if n := i - start; n > 18 || i >= len(b) || b[i] == '.' || b[i]|0x20 == 'e' || n == 0 || n > 1 && b[start] == '0' {
		return p.checkOtherNumber(start)
	}
	return i
}

// checkOtherNumber is checkNumber for numbers that are not short sequences of digits.
func (p *parser) checkOtherNumber(start int) (next int) {
	p.i = start
	if c := p.b[start]; c != '-' && c-'0' > 9 || p.number() != nil {
		return invalid
	}
	p.peak = max(p.peak, len(p.stack))
	p.stack = p.stack[:len(p.stack)-1]
	return p.i
}
