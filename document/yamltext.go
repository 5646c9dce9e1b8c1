package document

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// yamlStyle is the style of a YAML scalar.
type yamlStyle uint8

const (
	plainStyle   yamlStyle = iota // without quotes
	singleQuoted                  // contains YAML indicators
	doubleQuoted                  // needs escapes, or resolves to another type
	literalStyle                  // a block of several lines
)

// yamlStyleOf chooses the style that kubectl uses, such that YAML 1.1 and 1.2 both read a
// string.
func yamlStyleOf(s string) yamlStyle {
	lines, tabs := false, false
	for _, r := range s {
		switch {
		case r == '\n':
			lines = true
		case r == '\t':
			tabs = true
		case !yamlPrintable(r) || r == utf8.RuneError:
			return doubleQuoted
		}
	}
	switch {
	case lines && literalSafe(s):
		return literalStyle
	case lines || tabs || yamlNeedsQuotes(s):
		return doubleQuoted
	case hasYAMLSigns(s):
		return singleQuoted
	}
	return plainStyle
}

// yamlPrintable reports whether kubectl prints a character without an escape, at least
// within quotes: a character of the basic multilingual plane that is neither a control
// character nor a line break in any version of YAML.
func yamlPrintable(r rune) bool {
	return r >= ' ' && r < 0x7f || r >= 0xa0 && r <= 0xfffd && r != 0x2028 && r != 0x2029 && r != 0xfeff
}

// hasYAMLSigns reports whether a single-line text contains characters with a meaning in
// YAML at their position.
func hasYAMLSigns(s string) bool {
	first, last := s[0], s[len(s)-1]
	switch {
	case first == ' ' || last == ' ' || last == ':' || strings.IndexByte("#,[]{}&*!|>'\"%@`", first) >= 0:
		return true
	case first == '-' || first == '?':
		if len(s) == 1 || s[1] == ' ' || strings.HasPrefix(s, "---") {
			return true
		}
	case strings.HasPrefix(s, "..."):
		return true
	}
	return strings.Contains(s, ": ") || strings.Contains(s, " #")
}

// singleLine reports whether a text in the given style contains no line break in any
// version of YAML.
func singleLine(s string, style yamlStyle) bool {
	return style < doubleQuoted || style == doubleQuoted && !strings.ContainsAny(s, "\n\r\u0085\u2028\u2029")
}

// literalSafe reports whether a multi-line text survives a round trip as a literal block.
func literalSafe(s string) bool {
	if s[0] == '\n' || s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	return s[0] != '\t' && !strings.Contains(s, " \n") && !strings.Contains(s, "\n\t")
}

// appendYAMLText appends a text on one line.
func appendYAMLText(b []byte, s string, style yamlStyle) []byte {
	switch style {
	case singleQuoted:
		b = append(b, '\'')
		b = append(b, strings.ReplaceAll(s, "'", "''")...)
		return append(b, '\'')
	case plainStyle:
		return append(b, s...)
	}
	marked := strings.HasPrefix(s, "\ufeff") // kubectl then escapes every character
	b = append(b, '"')
	for _, r := range s {
		if yamlPrintable(r) && r != '"' && r != '\\' && !marked {
			b = utf8.AppendRune(b, r)
		} else {
			b = appendYAMLEscape(b, r)
		}
	}
	return append(b, '"')
}

func appendYAMLEscape(b []byte, r rune) []byte {
	const named, names = "\x00\a\b\t\n\v\f\r\x1b\"\\\u0085\u00a0\u2028\u2029", "0abtnvfre\"\\N_LP"
	if i := strings.IndexRune(named, r); i >= 0 {
		return append(b, '\\', names[utf8.RuneCountInString(named[:i])])
	}
	letter, digits := byte('x'), 2
	switch {
	case r > 0xffff:
		letter, digits = 'U', 8
	case r > 0xff:
		letter, digits = 'u', 4
	}
	b = append(b, '\\', letter)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, "0123456789ABCDEF"[r>>shift&0xf])
	}
	return b
}

// yamlNeedsQuotes reports whether a YAML 1.1 or 1.2 parser may resolve text to another type
// than string.
func yamlNeedsQuotes(s string) bool {
	return resolvePlain(s).kind != String || s == "<<" || s == "=" || likeNumber(s)
}

// likeNumber reports whether some YAML parser may resolve a string to a number (base 60,
// 0o17, 1__0) or a time. It has false positives.
func likeNumber(s string) bool {
	if octal, ok := strings.CutPrefix(strings.ReplaceAll(s, "_", ""), "0o"); ok {
		if _, err := strconv.ParseInt(octal, 8, 64); err == nil { // 0o-7 as well
			return true
		}
	}
	t := strings.TrimLeft(s, "+-._")
	whole := digits(t)
	if whole == 0 {
		return false
	}
	if len(t) > 2 && t[0] == '0' && strings.IndexByte("xob", t[1]) >= 0 {
		return strings.Trim(t[2:], "0123456789abcdefABCDEF_") == ""
	}
	if whole == 4 && strings.HasPrefix(t[4:], "-") { // a date
		return strings.Trim(t, "0123456789-:.+TtZz ") == ""
	}
	if strings.Count(t, ".") > 1 { // a version
		return false
	}
	mantissa := strings.TrimLeft(t, "0123456789._:")
	if mantissa != "" && (mantissa[0] == 'e' || mantissa[0] == 'E') {
		mantissa = strings.TrimLeft(mantissa[1:], "+-")
		return strings.Trim(mantissa, "0123456789_") == ""
	}
	return mantissa == ""
}
