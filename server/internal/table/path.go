package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// path is a JSON path of a printer column: members (.a, ['a.b']), items ([0],
// [-1], [*]) and items chosen by a member ([?(@.type=="Ready")]).
type path []step

type step struct {
	key   string // a member, where all and index are not set
	all   bool
	index *int
	// filter chooses the items whose member at filter compares with value.
	filter   path
	operator string
	value    document.Value
}

// maxPath bounds a path in bytes. Each filter in a filter is looked through anew.
const maxPath = 4096

// parsePath reads a JSON path as apiextensions allows it in printer columns:
// the braces of kubectl's templates may be left out.
func parsePath(text string) (path, error) {
	if len(text) > maxPath {
		return nil, fmt.Errorf("a JSONPath of %d bytes is too long, the limit is %d", len(text), maxPath)
	}
	s := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		s = strings.TrimSuffix(inner, "}")
	}
	s = strings.TrimPrefix(s, "$")
	var out path
	for s != "" {
		var next step
		var err error
		if next, s, err = parseStep(s); err != nil {
			return nil, fmt.Errorf("JSONPath %q: %w", text, err)
		}
		if next.key != "" || next.all || next.index != nil || next.operator != "" {
			out = append(out, next)
		}
	}
	return out, nil
}

func parseStep(s string) (step, string, error) {
	switch s[0] {
	case '.':
		s = s[1:]
		end := strings.IndexAny(s, ".[")
		if end < 0 {
			end = len(s)
		}
		if s[:end] == "*" {
			return step{all: true}, s[end:], nil
		}
		return step{key: s[:end]}, s[end:], nil
	case '[':
		end := closing(s)
		if end < 0 {
			return step{}, "", fmt.Errorf("unclosed bracket")
		}
		next, err := parseBracket(strings.TrimSpace(s[1:end]))
		return next, s[end+1:], err
	}
	return step{}, "", fmt.Errorf("expected . or [ before %q", s)
}

// closing finds the bracket that closes the first one; those in quotes do not
// count.
func closing(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func parseBracket(s string) (step, error) {
	if s == "*" {
		return step{all: true}, nil
	}
	if inner, ok := strings.CutPrefix(s, "?("); ok && strings.HasSuffix(inner, ")") {
		return parseFilter(strings.TrimSuffix(inner, ")"))
	}
	if n := len(s); n >= 2 && (s[0] == '\'' || s[0] == '"') && s[n-1] == s[0] {
		return step{key: s[1 : n-1]}, nil
	}
	i, err := strconv.Atoi(s)
	if err != nil {
		return step{}, fmt.Errorf("[%s] is neither an index nor a quoted key", s)
	}
	return step{index: &i}, nil
}

// parseFilter reads @.a.b=="text"; the other side may be a number or a boolean.
func parseFilter(s string) (step, error) {
	for _, operator := range []string{"==", "!="} {
		left, right, ok := strings.Cut(s, operator)
		if !ok {
			continue
		}
		inner, ok := strings.CutPrefix(strings.TrimSpace(left), "@")
		if !ok {
			return step{}, fmt.Errorf("filter (%s) must begin with @", s)
		}
		p, err := parsePath(inner)
		if err != nil {
			return step{}, err
		}
		right = strings.TrimSpace(right)
		if n := len(right); n >= 2 && right[0] == '\'' && right[n-1] == '\'' {
			return step{filter: p, operator: operator, value: document.NewString(right[1 : n-1])}, nil
		}
		d, err := document.Parse([]byte(right), document.Options{})
		if err != nil {
			return step{}, fmt.Errorf("filter (%s): %w", s, err)
		}
		return step{filter: p, operator: operator, value: d.Root}, nil
	}
	return step{}, fmt.Errorf("filter (%s) must compare with == or !=", s)
}

// first returns the first value that the path leads to, absent for none.
func (p path) first(v document.Value) document.Value {
	if len(p) == 0 {
		return v
	}
	next, rest := p[0], p[1:]
	switch {
	case next.index != nil:
		i := *next.index
		if i < 0 {
			i += v.Len()
		}
		if v.Kind() != document.List || i < 0 || i >= v.Len() {
			return document.Value{}
		}
		return rest.first(v.At(i))
	case next.all || next.operator != "":
		if v.Kind() != document.List && v.Kind() != document.Object {
			return document.Value{}
		}
		for i := range v.Len() {
			item := v.At(i)
			if next.operator != "" && !next.chooses(item) {
				continue
			}
			if found := rest.first(item); found.Exists() {
				return found
			}
		}
		return document.Value{}
	}
	return rest.first(v.Get(next.key))
}

func (s step) chooses(item document.Value) bool {
	v := s.filter.first(item)
	return v.Exists() && document.Equal(v, s.value) == (s.operator == "==")
}
