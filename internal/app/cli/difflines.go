package cli

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// fieldLine is a line about a field that differs.
type fieldLine struct {
	path string
	// was and is are the values, "" if the field is not set.
	was, is string
	// remark is the whole line, if it is not about two values.
	remark string
	// within reports whether the path is one in the atomic value of the field above.
	within bool
}

func changedLine(path document.Path, was, is document.Value) fieldLine {
	line := fieldLine{path: path.String()}
	before, after := shortPair(was, is)
	if was.Exists() {
		line.was = before
	}
	if is.Exists() {
		line.is = after
	}
	return line
}

// indented returns text with the indentation of the line.
func (l fieldLine) indented(text string) string {
	if l.within {
		return "    " + text + "\n"
	}
	return "  " + text + "\n"
}

// fieldsText returns each field on a line, with both values.
func fieldsText(lines []fieldLine) string {
	var b strings.Builder
	value := func(text string) string {
		if text == "" {
			return valueText(document.Value{})
		}
		return text
	}
	for _, l := range lines {
		if l.remark != "" {
			b.WriteString(l.indented(l.remark))
			continue
		}
		b.WriteString(l.indented(l.path + ": " + value(l.was) + " → " + value(l.is)))
	}
	return b.String()
}

// fieldsDiff returns each value on a line that begins with its sign, which is how GitHub colours a diff.
func fieldsDiff(lines []fieldLine) string {
	var b strings.Builder
	for _, l := range lines {
		if l.remark != "" {
			b.WriteString(l.indented(l.remark))
		}
		if l.was != "" {
			b.WriteString("-" + l.indented(l.path + ": " + l.was)[1:])
		}
		if l.is != "" {
			b.WriteString("+" + l.indented(l.path + ": " + l.is)[1:])
		}
	}
	return b.String()
}
