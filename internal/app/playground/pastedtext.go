package playground

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// pastedTexts are the texts of the documents of a pasted text.
type pastedTexts map[*document.Document]string

// textsOf cuts a text into its documents. It leaves out those whose text alone may not mean the
// same: those of a text with directives, and JSON values that follow each other without a
// separator.
func textsOf(text string, docs []*document.Document) pastedTexts {
	texts := pastedTexts{}
	read, line, from := 0, 1, 0
	cut := func(to, next int) {
		first := read
		for read < len(docs) && docs[read].PositionOf(nil).Line < line {
			read++
		}
		if read == first+1 {
			texts[docs[first]] = strings.Trim(text[from:to], "\r\n\ufeff") + "\n"
		}
		from = next
	}
	for at := 0; at < len(text); line++ {
		end := at + len(text[at:])
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		switch row := text[at:end]; {
		case strings.HasPrefix(row, "%"):
			return nil
		case separates(row, "---"), separates(row, "..."):
			cut(at, end-len(strings.TrimLeft(row[3:], " \t\r")))
		}
		at = end + 1
	}
	cut(len(text), len(text))
	return texts
}

// separates reports whether a line begins with a separator of documents.
func separates(row, sign string) bool {
	rest, ok := strings.CutPrefix(row, sign)
	return ok && (rest == "" || strings.IndexByte(" \t\r", rest[0]) >= 0)
}

// of returns the text of an object as it was pasted. It prints an object in JSON, which has no
// comments to lose, and an item of a List, which has no text of its own.
func (t pastedTexts) of(o manifest.Object) string {
	text := t[o.Document]
	if isJSON := strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "{") && !strings.Contains(text, "#"); text == "" || isJSON || len(o.At) > 0 {
		return string(o.Value.YAML())
	}
	return text
}
