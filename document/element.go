package document

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseElement parses a path element, the form in which managedFields writes a step:
//
//	f:NAME   the member NAME of an object
//	k:JSON   the item of a list whose key fields are those of the object JSON
//	v:JSON   the item of a set that equals JSON
//	i:N      the item of a list at index N
//
// known is false for elements of other kinds, which the API server ignores. An error wraps
// ErrPath. Unlike KeyStep and ValueStep, ParseElement accepts everything that the API
// server accepts, so that any managedFields can be read.
func ParseElement(text string) (s Step, known bool, err error) {
	e, known, err := CanonicalElement(text)
	if err != nil || !known {
		return Step{}, known, err
	}
	switch e[0] {
	case 'f':
		return Step{text: e[2:]}, true, nil
	case 'i':
		i, err := strconv.Atoi(e[2:])
		return Step{kind: StepIndex, index: i}, true, err
	case 'k':
		return Step{kind: StepKey, text: e[2:]}, true, nil
	}
	return Step{kind: StepValue, text: e[2:]}, true, nil
}

// CanonicalElement returns the canonical form of a path element (see ParseElement). Equal
// elements have equal canonical forms: members of JSON are sorted by name, white space is
// removed, and numbers have their shortest form.
func CanonicalElement(text string) (element string, known bool, err error) {
	if len(text) < 2 || text[1] != ':' {
		return "", false, elementError(text, "expected a letter and a colon")
	}
	switch text[0] {
	case 'f':
		return text, true, nil
	case 'i':
		i, err := strconv.Atoi(text[2:])
		if err != nil {
			return "", false, elementError(text, "an index must be an integer")
		}
		if e := strconv.Itoa(i); e != text[2:] {
			return "i:" + e, true, nil
		}
		return text, true, nil
	case 'k', 'v':
		if plainContent(text) {
			return text, true, nil
		}
		return canonicalContent(text)
	}
	return "", false, nil
}

func elementError(text, why string) error {
	return fmt.Errorf("%w: %q is not a path element: %s", ErrPath, text, why)
}

func canonicalContent(text string) (string, bool, error) {
	v, err := parseElementValue(text[2:])
	if err != nil {
		return "", false, elementError(text, err.Error())
	}
	if text[0] == 'v' {
		return string(AppendElementValue([]byte(text[:2]), v)), true, nil
	}
	if v.IsNull() {
		v = NewObject()
	}
	if v.Kind() != Object {
		return "", false, elementError(text, "the key of a list item must be an object")
	}
	return string(appendKeyElement([]byte(text[:2]), v)), true, nil
}

// parseElementValue parses the JSON of a k: or v: element.
func parseElementValue(text string) (Value, error) {
	d, err := Parse([]byte(text), Options{Duplicates: DuplicatesLast, MaxBytes: -1})
	if err != nil {
		return Value{}, err
	}
	return d.Root, nil
}

func appendKeyElement(dst []byte, key Value) []byte {
	dst = append(dst, '{')
	for i := range key.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendElementName(dst, key.Key(i)), ':')
		dst = AppendElementValue(dst, key.At(i))
	}
	return append(dst, '}')
}

// AppendElementValue appends a value in the canonical form used in path elements. It
// differs from AppendJSON in numbers (1.0 becomes 1) and in the escapes of \b and \f.
func AppendElementValue(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Number:
		if i, ok := v.Int(); ok {
			return strconv.AppendInt(dst, i, 10)
		}
		f, _ := v.Float()
		return appendElementFloat(dst, f)
	case String:
		s, _ := v.Text()
		return appendElementText(dst, s, true)
	case List:
		dst = append(dst, '[')
		for i, it := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendElementValue(dst, it)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendElementText(dst, v.Key(i), true), ':')
			dst = AppendElementValue(dst, v.At(i))
		}
		return append(dst, '}')
	}
	return v.AppendJSON(dst)
}

// AppendElementName appends the quoted name of a key field in the canonical form used in
// path elements: without HTML escapes.
func AppendElementName(dst []byte, name string) []byte { return appendElementText(dst, name, false) }

// appendElementFloat prints a float64 as the API server does in field sets: in the shortest
// form, with an exponent below 1e-6 and from 1e21 on.
func appendElementFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// appendElementText quotes a string as the API server does in a path element: like
// encoding/json, except that \b and \f have the long form, and HTML characters are escaped
// only if html is set.
func appendElementText(dst []byte, s string, html bool) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0
	for plain < len(s) && elementPlain[s[plain]] {
		plain++
	}
	dst = append(dst, s[:plain]...)
	for i := plain; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if html && (r == '\u2028' || r == '\u2029') {
				dst = append(append(dst, `\u202`...), digits[r&0xf])
			} else {
				dst = append(dst, s[i:i+n]...)
			}
			i += n
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < 0x20 || html && (c == '<' || c == '>' || c == '&'):
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// elementPlain marks the bytes that never need an escape in an element. It is a literal so
// that nothing runs at package initialization.
var elementPlain = [256]bool{
	' ': true, '!': true, '#': true, '$': true, '%': true, '\'': true, '(': true, ')': true, '*': true, '+': true, ',': true,
	'-': true, '.': true, '/': true, '0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true,
	'8': true, '9': true, ':': true, ';': true, '=': true, '?': true, '@': true, 'A': true, 'B': true, 'C': true, 'D': true,
	'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true, 'N': true, 'O': true,
	'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
	'[': true, ']': true, '^': true, '_': true, '`': true, 'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true,
	'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true,
	'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true, '{': true, '|': true,
	'}': true, '~': true,
}

// plainContent reports whether the content of a k: or v: element is certainly canonical. It
// may return false for canonical content.
func plainContent(text string) bool {
	s := text[2:]
	if text[0] == 'v' {
		n := plainScalar(s)
		return n > 0 && n == len(s)
	}
	if len(s) < 2 || s[0] != '{' {
		return false
	}
	s = s[1:]
	last := ""
	for {
		n := plainString(s)
		if n == 0 || n == len(s) || s[n] != ':' || s[:n] <= last {
			return false
		}
		last = s[:n]
		s = s[n+1:]
		if n = plainScalar(s); n == 0 || n == len(s) {
			return false
		}
		if s[n] == '}' {
			return n+1 == len(s)
		}
		if s[n] != ',' {
			return false
		}
		s = s[n+1:]
	}
}

// plainString returns the length of the JSON string at the start of s, or 0 if it has
// escapes or characters that need one.
func plainString(s string) int {
	if s == "" || s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < 0x20 || c >= 0x7f || c == '\\' || c == '<' || c == '>' || c == '&':
			return 0
		}
	}
	return 0
}

// plainScalar is plainString that also accepts small integers and booleans. Of a number with a
// fraction or an exponent it returns the length of the digits before it.
func plainScalar(s string) int {
	if n := plainString(s); n > 0 {
		return n
	}
	for _, word := range [...]string{"true", "false"} {
		if strings.HasPrefix(s, word) {
			return len(word)
		}
	}
	i := 0
	if s != "" && s[0] == '-' {
		i++
	}
	first := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == first || i-first > 15 || s[first] == '0' && i > 1 {
		return 0
	}
	return i
}
