package playground

import (
	"strings"

	"github.com/patchlab-dev/patchlab/scenario"
)

// maxNesting is how deep a text may nest. The API server takes 10,000 levels, but
// a browser's stack is too small to follow them, and a page must not end for it.
const maxNesting = 500

// tooDeep returns an error for a text that may nest deeper than maxNesting. It
// counts brackets and the signs before a line's text without reading it as YAML,
// so it may also refuse a text that has hundreds of lone brackets in it.
func tooDeep(text string) error {
	line, depth := 1, 0
	leading, inLead := 0, true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			line, leading, inLead = line+1, 0, true
			continue
		case inLead && strings.IndexByte(" -?:\t", c) >= 0:
			leading++
		default:
			inLead = false
			if c == '{' || c == '[' {
				depth++
			} else if c == '}' || c == ']' {
				depth = max(depth-1, 0)
			}
		}
		if depth+leading/2 > maxNesting {
			err := &scenario.Error{Reason: "this nests deeper than 500 levels, which is more than the page can follow"}
			err.Position.Line, err.Position.Column = line, 1
			return err
		}
	}
	return nil
}
