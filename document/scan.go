package document

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

func (p *parser) number() error {
	start, i := p.i, p.i
	digits := func() bool {
		from := i
		for i < len(p.b) && p.b[i] >= '0' && p.b[i] <= '9' {
			i++
		}
		return i > from
	}
	if p.b[i] == '-' {
		i++
	}
	first := i
	if !digits() {
		return p.fail(i, "expected a digit")
	}
	if p.b[first] == '0' && i > first+1 {
		return p.fail(first, "a number must not begin with 0")
	}
	whole := true
	if i < len(p.b) && p.b[i] == '.' {
		whole = false
		i++
		if !digits() {
			return p.fail(i, "expected a digit after the decimal point")
		}
	}
	if i < len(p.b) && (p.b[i] == 'e' || p.b[i] == 'E') {
		whole = false
		i++
		if i < len(p.b) && (p.b[i] == '+' || p.b[i] == '-') {
			i++
		}
		if !digits() {
			return p.fail(i, "expected a digit in the exponent")
		}
	}
	n, ok := numberNode(p.s[start:i], whole)
	if !ok {
		// The number is not printed, because it may be a password.
		return p.fail(start, "the number is out of range; put it in quotes if it is a string")
	}
	n.flags |= fromSource
	if n.flags&canonical == 0 {
		p.odd++
	}
	p.i = i
	p.stack = append(p.stack, n)
	return nil
}

// str parses a string. Its node's raw text is the text between the quotes.
func (p *parser) str() (node, error) {
	start := p.i + 1
	i := start
	fl := canonical | fromSource
	high := false
	for {
		for i+8 <= len(p.b) {
			hit := special8(binary.LittleEndian.Uint64(p.b[i:]))
			if hit != 0 {
				i += bits.TrailingZeros64(hit) >> 3
				break
			}
			i += 8
		}
		if i >= len(p.b) {
			return node{}, p.fail(start-1, "the string that begins here has no closing quote")
		}
		switch c := p.b[i]; {
		case c == '"':
			raw := unsafe.String(&p.b[start], i-start) // p.s[start:i], but an empty one has an address too: see offsetIn
			if high && !plainUTF8(raw) {
				fl &^= canonical
				if !utf8.ValidString(raw) {
					fl |= escaped // unescape also replaces invalid UTF-8
				}
			}
			if fl&canonical == 0 {
				p.odd++
			}
			p.i = i + 1
			return node{raw: raw, kind: String, flags: fl}, nil
		case c == '\\' && i+1 < len(p.b) && shortEscapes[p.b[i+1]]:
			fl |= escaped
			i += 2
		case c == '\\':
			n, usual := escapeLen(p.s[i:])
			if n == 0 {
				return node{}, p.fail(i, escapeProblem(p.s, i))
			}
			fl |= escaped
			if !usual {
				fl &^= canonical
			}
			i += n
		case c < 0x20:
			return node{}, p.fail(i, "control characters in a string must be escaped")
		case c >= 0x80:
			high = true
			for i++; i < len(p.b) && p.b[i] >= 0x80; i++ {
			}
		default:
			if c == '<' || c == '>' || c == '&' {
				fl &^= canonical
			}
			i++
		}
	}
}

// escapeProblem returns why the escape sequence at i is invalid. Only the character after the
// backslash is printed, because the text may be a password.
func escapeProblem(s string, i int) string {
	if strings.HasPrefix(s[i:], `\u`) {
		return `invalid escape sequence: \u requires four hexadecimal digits`
	}
	return "invalid escape sequence: a backslash followed by " + quoteByte(s, i+1)
}

// shortEscapes marks the letters of escapes that are already in printed form.
var shortEscapes = [256]bool{'"': true, '\\': true, 'n': true, 'r': true, 't': true, 'b': true, 'f': true}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special8 marks, among eight bytes of a string, those that end it, need an escape when
// printed, or are not ASCII. The lowest set bit belongs to the first such byte, or to ^, |
// or ~; higher bits may be false positives.
func special8(w uint64) uint64 {
	// A byte below 0x80 minus n has the highest bit if it is below n, so that x - ones marks
	// the zero bytes of x.
	hit := w | (w - ones*0x20)
	hit |= (w&^(ones*('"'^'&')) ^ ones*'"') - ones
	hit |= (w&^(ones*('<'^'>'|'<'^'\\')) ^ ones*('<'&'>'&'\\')) - ones
	return hit & highs
}
