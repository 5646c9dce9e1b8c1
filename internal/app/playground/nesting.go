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
// outside of quotation marks that may begin a list or object, and the aliases in anchored
// values, each of which can add as many levels as the text has. In case of doubt it counts, so
// that it may refuse a text that is not too deep, but never accepts one that is.
func tooDeep(text string) error {
	n := nesting{text: text, anchored: -1}
	line, begin, leading, inLead, deepest := 1, 0, 0, true, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			line, begin, leading, inLead, n.quote = line+1, i+1, 0, true, 0
		case inLead && strings.IndexByte(" -?:\t", c) >= 0:
			leading++
		default:
			if inLead {
				n.starts(begin)
			}
			if c == '&' || c == '*' {
				n.reference(i, inLead)
			}
			inLead = false
			n.sign(i)
		}
		deepest = max(deepest, n.depth+leading/2)
		reason := ""
		switch {
		case deepest > maxNesting:
			reason = "the text nests deeper than 500 levels, the limit of this page"
		case n.chained > 0 && (n.chained+2)*deepest > maxNesting:
			reason = "the text has so many aliases in anchored values that it may nest deeper than 500 levels, the limit of this page; write some of the values out"
		default:
			continue
		}
		err := &scenario.Error{Reason: reason}
		err.Position.Line, err.Position.Column = line, 1
		return err
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
	// indentation is that of the line. The current anchored values end before a line with the
	// indentation anchored, which is -1 outside of them. chained counts the aliases in them.
	indentation, anchored, chained int
}

// starts processes the beginning of a node in a line that begins at begin: the anchored values
// of lines above end at the latest where the indentation does.
func (n *nesting) starts(begin int) {
	n.indentation = 0
	for n.text[begin+n.indentation] == ' ' {
		n.indentation++
	}
	if n.indentation < n.anchored || n.indentation == n.anchored && n.text[begin+n.indentation] != '-' {
		n.anchored = -1
	}
}

// reference processes the anchor or alias at i, if it is one. first reports whether it is the
// first node in its line.
func (n *nesting) reference(i int, first bool) {
	switch {
	case n.quote != 0 || !first && !n.begins(i) && !n.follows(i, "[{"):
	case n.text[i] == '*' && n.anchored >= 0:
		n.chained++
	case n.text[i] == '*':
	case first: // its value may follow at the same indentation
		n.anchored = 0
	case n.anchored < 0 || n.indentation < n.anchored:
		n.anchored = n.indentation
	}
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
