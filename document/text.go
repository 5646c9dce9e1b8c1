package document

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// plainUTF8 reports whether s is valid UTF-8 without U+2028 and U+2029, the only characters
// beyond ASCII that encoding/json escapes.
func plainUTF8(s string) bool {
	return utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}

// escapeLen returns the length of the escape sequence at the start of s, 0 if it is
// invalid, and whether encoding/json would write the same sequence.
func escapeLen(s string) (n int, usual bool) {
	if len(s) < 2 {
		return 0, false
	}
	switch s[1] {
	case '"', '\\', 'n', 'r', 't', 'b', 'f':
		return 2, true
	case '/':
		return 2, false
	case 'u':
		r, ok := hex4(s)
		if !ok {
			return 0, false
		}
		var buf [12]byte
		return 6, r < utf8.RuneSelf && string(appendEscaped(buf[:0], string(r))) == s[:6] ||
			(r == '\u2028' || r == '\u2029') && s[2:5] == "202"
	}
	return 0, false
}

// hex4 decodes the four digits of a \u escape.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape returns the text of a string's validated raw form. Unpaired surrogates and
// invalid UTF-8 become U+FFFD.
func unescape(s string) string { return string(appendUnescaped(make([]byte, 0, len(s)), s)) }

func appendUnescaped(out []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' {
			if c < utf8.RuneSelf {
				out = append(out, c)
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			out = utf8.AppendRune(out, r)
			i += n
			continue
		}
		if s[i+1] != 'u' {
			out = append(out, "\"\\/\b\f\n\r\t"[strings.IndexByte("\"\\/bfnrt", s[i+1])])
			i += 2
			continue
		}
		r, _ := hex4(s[i:])
		i += 6
		if utf16.IsSurrogate(r) {
			low, ok := hex4(s[i:])
			if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
				r = pair
				i += 6
			} else {
				r = utf8.RuneError
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// plainText reports whether text needs no escapes when printed.
func plainText(s string) bool {
	if len(s) >= 8 && plainWords(s) {
		return true
	}
	high := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&':
			return false
		case c >= utf8.RuneSelf:
			high = true
		}
	}
	return !high || plainUTF8(s)
}

// plainWords reports that a text of at least eight bytes is ASCII that needs no escapes. It
// may return false for text with ^, | or ~ (see special8).
func plainWords(s string) bool {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	hit := special8(binary.LittleEndian.Uint64(b[len(b)-8:]))
	for ; len(b) > 8; b = b[8:] {
		hit |= special8(binary.LittleEndian.Uint64(b))
	}
	return hit == 0
}

// AppendQuoted appends text to dst as a JSON string, escaped like encoding/json.
func AppendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	if plainText(text) {
		dst = append(dst, text...)
	} else {
		dst = appendEscaped(dst, text)
	}
	return append(dst, '"')
}

// escapeBytes is the number of additional bytes that escaping an ASCII character takes.
var escapeBytes = [utf8.RuneSelf]uint8{
	5, 5, 5, 5, 5, 5, 5, 5, '\b': 1, '\t': 1, '\n': 1, 11: 5, '\f': 1, '\r': 1, 14: 5, 15: 5,
	16: 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
	'"': 1, '&': 5, '<': 5, '>': 5, '\\': 1,
}

func appendEscaped(dst []byte, s string) []byte {
	from := 0 // start of the text to copy unchanged
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if escapeBytes[c] > 0 {
				dst = appendEscape(append(dst, s[from:i]...), c)
				from = i + 1
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
			from = i + 1
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, s[from:i]...), `\u202`...)
			dst = append(dst, '8'+byte(r&1))
			from = i + n
		}
		i += n
	}
	return append(dst, s[from:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
}

// escapedLen returns the length of the text that appendEscaped appends.
func escapedLen(s string) int {
	size := len(s)
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			size += int(escapeBytes[c])
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			size += len(`\ufffd`) - 1
		case r == '\u2028' || r == '\u2029':
			size += len(`\u2028`) - n
		}
		i += n
	}
	return size
}

// numberNode returns the node of a number's validated text. whole is set if it has no
// fraction or exponent. It returns false if the number overflows a float64.
func numberNode(text string, whole bool) (node, bool) {
	n := node{raw: text, kind: Number}
	if whole {
		if len(text) <= 18 {
			n.flags = integer
		} else if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			n.flags = integer
		}
		if n.flags == integer {
			if text != "-0" {
				n.flags |= canonical
			}
			return n, true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return node{}, false
	}
	var buf [32]byte
	if string(appendFloat(buf[:0], f)) == text {
		n.flags |= canonical
	}
	return n, true
}

// appendFloat prints a float64 like encoding/json: in the shortest form that parses to the
// same value, with an exponent only below 1e-6 and from 1e21 on.
func appendFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := max(f, -f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
