package playground

import (
	"strings"

	"github.com/patchlab-dev/patchlab/scenario"
)

// maxNesting is the maximum nesting depth of a text. The API server accepts 10,000 levels, but
// the stack of a browser is too small for that, and an overflow would end the engine.
const maxNesting = 500

// tooDeep returns an error for a text that may be nested deeper than maxNesting. It does not
// parse the YAML: it counts the indicators at the beginning of a line, and the brackets
// outside of quotation marks that may begin a list or object. In case of doubt it counts, so
// that it may refuse a text that is not too deep, but never accepts one that is.
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
			err := &scenario.Error{Reason: "the text nests deeper than 500 levels, the limit of this page"}
			err.Position.Line, err.Position.Column = line, 1
			return err
		}
	}
	return nil
}

// nesting tracks the brackets of a text.
type nesting struct {
	text  string
	depth int
	// quote is the current quotation mark, 0 outside of quotes. It is reset at the end of the
	// line at the latest.
	quote byte
}

// sign processes the byte at i.
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

// begins reports whether a list or object may begin at i: not directly after a word, unless
// that is an anchor or a tag.
func (n *nesting) begins(i int) bool {
	if n.follows(i, ",:-?") {
		return true
	}
	before := strings.TrimRight(n.text[:i], " \t\r\n")
	word := before[strings.LastIndexAny(before, " \t\r\n,[{")+1:]
	return word != "" && (word[0] == '&' || word[0] == '!')
}

// follows reports whether i is the first position in its line or follows one of the characters
// in signs.
func (n *nesting) follows(i int, signs string) bool {
	for i--; i >= 0 && (n.text[i] == ' ' || n.text[i] == '\t'); i-- {
	}
	return i < 0 || n.text[i] == '\n' || n.text[i] == '\r' || strings.IndexByte(signs, n.text[i]) >= 0
}

// escapedAt reports whether an odd number of backslashes precedes the byte at i.
func escapedAt(text string, i int) bool {
	n := 0
	for i--; i >= 0 && text[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
