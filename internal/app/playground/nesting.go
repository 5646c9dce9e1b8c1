package playground

import (
	"strings"

	"github.com/patchlab-dev/patchlab/scenario"
)

// maxNesting is how deep a text may nest. The API server takes 10,000 levels, but
// a browser's stack is too small to follow them, and a page must not end for it.
const maxNesting = 500

// tooDeep returns an error for a text that may nest deeper than maxNesting. It does
// not read the text as YAML: it counts the signs before a line's text, and brackets
// from the first one on that may begin a list or an object, but for those in quotes.
// Where it is not sure it counts, so that it may refuse what would not nest, but
// nothing that does is let through.
func tooDeep(text string) error {
	n := nesting{text: text}
	line, leading, inLead := 1, 0, true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			line, leading, inLead, n.quote = line+1, 0, true, 0
		case inLead && strings.IndexByte(" -?:\t", c) >= 0:
			leading++
		default:
			inLead = false
			n.sign(i)
		}
		if n.depth+leading/2 > maxNesting {
			err := &scenario.Error{Reason: "this nests deeper than 500 levels, which is more than the page can follow"}
			err.Position.Line, err.Position.Column = line, 1
			return err
		}
	}
	return nil
}

// nesting follows the brackets of a text.
type nesting struct {
	text  string
	depth int
	// quote is the one that the text is within, 0 for none. It ends with its line at
	// the latest: where what looked like a list was text, so was all of the line.
	quote byte
}

// sign looks at the byte at i.
func (n *nesting) sign(i int) {
	c := n.text[i]
	switch {
	case n.quote == '"' && c == '"' && !escapedAt(n.text, i), n.quote == '\'' && c == '\'':
		n.quote = 0
	case n.quote != 0:
	case n.depth > 0 && (c == '"' || c == '\'') && n.follows(i, ",:[{"):
		n.quote = c
	case c == '{' || c == '[':
		if n.depth > 0 || n.begins(i) {
			n.depth++
		}
	case c == '}' || c == ']':
		n.depth = max(n.depth-1, 0)
	}
}

// begins reports whether a list or an object may begin at i: not right behind a
// word, unless that is an anchor or a tag.
func (n *nesting) begins(i int) bool {
	if n.follows(i, ",:-?") {
		return true
	}
	before := strings.TrimRight(n.text[:i], " \t\r\n")
	word := before[strings.LastIndexAny(before, " \t\r\n,[{")+1:]
	return word != "" && (word[0] == '&' || word[0] == '!')
}

// follows reports whether i stands first in its line or behind one of the signs.
func (n *nesting) follows(i int, signs string) bool {
	for i--; i >= 0 && (n.text[i] == ' ' || n.text[i] == '\t'); i-- {
	}
	return i < 0 || n.text[i] == '\n' || n.text[i] == '\r' || strings.IndexByte(signs, n.text[i]) >= 0
}

// escapedAt reports whether the byte at i stands behind an odd number of backslashes.
func escapedAt(text string, i int) bool {
	n := 0
	for i--; i >= 0 && text[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
