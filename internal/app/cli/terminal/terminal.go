// Package terminal writes texts that people read on a terminal: without characters that control it,
// with the number of a noun, as lists of words, and as diffs.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasColors reports whether w is a terminal with colors, which NO_COLOR does not disable
// (no-color.org).
func HasColors(w io.Writer) bool { return CanRedraw(w) && os.Getenv("NO_COLOR") == "" }

// CanRedraw reports whether w is a terminal on which a line can be replaced, such as one that shows
// progress.
func CanRedraw(w io.Writer) bool { return IsTerminal(w) && os.Getenv("TERM") != "dumb" }

// IsTerminal reports whether w is a terminal, of any type.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Readable escapes the characters of a text that control a terminal, and invisible ones that change how
// others are displayed: a value of a manifest could otherwise overwrite the lines before it, or look like another
// one. The escapes are those of JSON and YAML, in which values are printed.
func Readable(text string) string { return escaped(text, "\n\t") }

// OneLine is readable for a name in a line or table, in which it must not begin another line.
func OneLine(text string) string { return escaped(text, "") }

func escaped(text, allowed string) string {
	var b strings.Builder
	for i, r := range text {
		switch size := utf8.RuneLen(r); {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !Unseen(r), strings.ContainsRune(allowed, r), r == '\r' && allowed != "" && strings.HasPrefix(text[i+size:], "\n"):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Unseen reports whether a character is a control character, a line or paragraph separator, or a format
// character other than the Arabic signs among them, which are visible.
func Unseen(r rune) bool {
	if r >= ' ' && r <= '~' {
		return false // most characters
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
