package results

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// FieldLine is a line about a field that differs.
type FieldLine struct {
	path string
	// Was and is are the values, "" if the field is not set.
	Was, Is string
	// Remark is the whole line, if it is not about two values.
	Remark string
	// Within reports whether the path is one in the atomic value of the field above.
	Within bool
}

// ChangedLine returns the line for a field that was and is; either may be absent.
func ChangedLine(path document.Path, was, is document.Value) FieldLine {
	line := FieldLine{path: path.String()}
	before, after := ShortPair(was, is)
	if was.Exists() {
		line.Was = before
	}
	if is.Exists() {
		line.Is = after
	}
	return line
}

// indented returns text with the indentation of the line.
func (l FieldLine) indented(text string) string {
	if l.Within {
		return "    " + text + "\n"
	}
	return "  " + text + "\n"
}

// FieldsText returns each field on a line, with both values.
func FieldsText(lines []FieldLine) string {
	var b strings.Builder
	value := func(text string) string {
		if text == "" {
			return ValueText(document.Value{})
		}
		return text
	}
	for _, l := range lines {
		if l.Remark != "" {
			b.WriteString(l.indented(l.Remark))
			continue
		}
		b.WriteString(l.indented(l.path + ": " + value(l.Was) + " → " + value(l.Is)))
	}
	return b.String()
}

// FieldsDiff returns each value on a line that begins with its sign, which is how GitHub colours a diff.
func FieldsDiff(lines []FieldLine) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Remark != "" {
			b.WriteString(l.indented(l.Remark))
		}
		if l.Was != "" {
			b.WriteString("-" + l.indented(l.path + ": " + l.Was)[1:])
		}
		if l.Is != "" {
			b.WriteString("+" + l.indented(l.path + ": " + l.Is)[1:])
		}
	}
	return b.String()
}
