package playground

import (
	"strconv"
	"strings"
	"unicode"
)

// readable replaces the escapes \uXXXX and \UXXXXXXXX in a line of YAML by their characters,
// such as emoji, if these are visible. Characters that are invisible, or change the direction
// of the text, remain escaped.
func readable(line string) string {
	if !strings.Contains(line, `\U`) && !strings.Contains(line, `\u`) {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' || i+1 == len(line) {
			b.WriteByte(line[i])
			continue
		}
		if n := escapeLength(line[i+1]); i+2+n <= len(line) && n > 0 {
			if r, err := strconv.ParseUint(line[i+2:i+2+n], 16, 32); err == nil && visible(rune(r)) {
				b.WriteRune(rune(r))
				i += n + 1
				continue
			}
		}
		b.WriteString(line[i : i+2])
		i++
	}
	return b.String()
}

// escapeLength returns the number of digits after an escape letter.
func escapeLength(letter byte) int {
	switch letter {
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

// visible reports whether a character is visible, as opposed to joiners, white space and
// direction marks.
func visible(r rune) bool { return r > unicode.MaxASCII && unicode.IsGraphic(r) && !unicode.IsSpace(r) }
