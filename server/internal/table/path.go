package table

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
)

// path is the JSON path of a printer column. Its dialect, with all its oddities, is that of
// kubectl's templates (k8s.io/client-go/util/jsonpath), which kube-apiserver uses.
type path []node

type nodeKind uint8

const (
	fieldNode     nodeKind = iota // .a
	wildcardNode                  // .*
	recursiveNode                 // ..
	sliceNode                     // [0], [-1], [0:2], [*]
	unionNode                     // [0,1], ['a','b']
	filterNode                    // [?(@.type=="Ready")]
	constantNode                  // "text", 1, true; the sides of a comparison
	invalidNode                   // parsed, but fails when it is evaluated
)

// node is a part of a path.
type node struct {
	kind nodeKind
	// name is the field of a fieldNode and the operator of a filterNode, "" for existence.
	name string
	// bounds are those of a sliceNode: from, to and step.
	bounds [3]bound
	// paths are the alternatives of a unionNode and the sides of a filterNode.
	paths    []path
	constant document.Value
}

// bound is a bound of a slice. derived marks the end of [n], which is n+1.
type bound struct {
	n              int
	known, derived bool
}

// maxPath limits the length of a path in bytes. Each filter within a filter is scanned again.
const maxPath = 4096

// parsePath parses the JSON path of a printer column.
func parsePath(text string) (path, error) {
	if len(text) > maxPath {
		return nil, fmt.Errorf("a JSONPath of %d bytes is too long, the limit is %d", len(text), maxPath)
	}
	p := parser{rest: text}
	for p.rest != "" && p.rest[0] != '}' {
		if err := p.node(); err != nil {
			return nil, fmt.Errorf("JSONPath %q: %w", text, err)
		}
	}
	return p.path, nil
}

type parser struct {
	rest string
	path path
}

func (p *parser) add(n node) { p.path = append(p.path, n) }

// take returns the next n bytes and skips them.
func (p *parser) take(n int) string {
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}

func (p *parser) node() error {
	switch first, width := utf8.DecodeRuneInString(p.rest); {
	case strings.HasPrefix(p.rest, "[?("):
		return p.filter()
	case strings.HasPrefix(p.rest, ".."):
		return p.recursive()
	case first == ' ' || first == '@' || first == '$': // the current object
		p.take(width)
		return nil
	case first == '[':
		return p.brackets()
	case first == '"' || first == '\'':
		return p.quoted(p.rest[0])
	case first == '.':
		p.take(width)
		p.field()
		return nil
	case first == '+' || first == '-' || unicode.IsDigit(first):
		return p.number()
	case alphanumeric(first):
		p.identifier()
		return nil
	}
	return fmt.Errorf("unexpected %q", p.rest[:1])
}

func alphanumeric(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// terminators end a field and an identifier.
const terminators = " \t\r\n.,[]$@{}"

// field parses the name of a field, in which a backslash precedes a terminator that belongs
// to it.
func (p *parser) field() {
	end := 0
	for end < len(p.rest) && !strings.ContainsRune(terminators, rune(p.rest[end])) {
		if p.rest[end] == '\\' && end+1 < len(p.rest) {
			end++
		}
		end++
	}
	if name := p.take(end); name == "*" {
		p.add(node{kind: wildcardNode})
	} else {
		p.add(node{kind: fieldNode, name: strings.ReplaceAll(name, `\`, "")})
	}
}

func (p *parser) identifier() {
	end := strings.IndexAny(p.rest, terminators)
	if end < 0 {
		end = len(p.rest)
	}
	switch name := p.take(end); name {
	case "true", "false":
		p.add(node{kind: constantNode, constant: document.NewBool(name == "true")})
	default:
		p.add(node{kind: invalidNode})
	}
}

func (p *parser) recursive() error {
	if n := len(p.path); n > 0 && p.path[n-1].kind == recursiveNode {
		return errors.New("a recursive descent follows another")
	}
	p.take(len(".."))
	p.add(node{kind: recursiveNode})
	if next, _ := utf8.DecodeRuneInString(p.rest); p.rest != "" && alphanumeric(next) {
		p.field()
	}
	return nil
}

func (p *parser) number() error {
	end := 1
	for end < len(p.rest) && (p.rest[end] == '.' || p.rest[end] >= '0' && p.rest[end] <= '9') {
		end++
	}
	text := p.take(end)
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		p.add(node{kind: constantNode, constant: document.NewInt(i)})
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%s is not a number", text)
	}
	p.add(node{kind: constantNode, constant: document.NewFloat(f)})
	return nil
}

func (p *parser) quoted(quote byte) error {
	end := 1
	for {
		switch {
		case end >= len(p.rest) || p.rest[end] == '\n':
			return errors.New("a string is not closed")
		case p.rest[end] == quote && p.rest[end-1] != '\\':
			text, err := unquoted(p.take(end + 1))
			p.add(node{kind: constantNode, constant: document.NewString(text)})
			return err
		}
		end++
	}
}

func unquoted(text string) (string, error) {
	quote, rest := text[0], text[1:len(text)-1]
	var b strings.Builder
	for rest != "" {
		r, _, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil {
			return "", fmt.Errorf("invalid string %s", text)
		}
		b.WriteRune(r)
		rest = tail
	}
	return b.String(), nil
}

var (
	quotedKey  = regexp.MustCompile(`^'([^']*)'$`)
	sliceText  = regexp.MustCompile(`^(-?\d*)(:-?\d*)?(:-?\d*)?$`)
	comparison = regexp.MustCompile(`^([^!<>=]+)([!<>=]+)(.+?)$`)
)

// brackets parses an index, a slice, a quoted key or a union of these.
func (p *parser) brackets() error {
	end := strings.IndexAny(p.rest, "]\n")
	if end < 0 || p.rest[end] == '\n' {
		return errors.New("a bracket is not closed")
	}
	text := p.take(end + 1)
	if text = text[1:end]; text == "*" {
		text = ":"
	}
	if parts := strings.Split(text, ","); len(parts) > 1 {
		union := node{kind: unionNode}
		for _, part := range parts {
			alternative, err := parsePath("[" + strings.Trim(part, " ") + "]")
			if err != nil {
				return err
			}
			union.paths = append(union.paths, alternative)
		}
		p.add(union)
		return nil
	}
	if key := quotedKey.FindStringSubmatch(text); key != nil {
		fields, err := parsePath("." + key[1])
		p.path = append(p.path, fields...)
		return err
	}
	return p.slice(text)
}

func (p *parser) slice(text string) error {
	values := sliceText.FindStringSubmatch(text)
	if values == nil {
		return fmt.Errorf("[%s] is neither an index nor a quoted key", text)
	}
	n := node{kind: sliceNode}
	for i, value := range values[1:] {
		b := &n.bounds[i]
		switch value = strings.TrimPrefix(value, ":"); {
		case value != "":
			var err error
			if b.n, err = strconv.Atoi(value); err != nil {
				return fmt.Errorf("[%s]: %s is not a number", text, value)
			}
			b.known = true
		case i == 1 && values[2] == "":
			*b = bound{n: n.bounds[0].n + 1, known: true, derived: true}
		}
	}
	p.add(n)
	return nil
}

// filter parses [?(…)], which compares two paths or constants, or selects the items that have
// a field.
func (p *parser) filter() error {
	p.take(len("[?("))
	end, quote, closed := 0, byte(0), false
	for ; ; end++ {
		if end >= len(p.rest) || p.rest[end] == '\n' {
			return errors.New("a filter is not closed")
		}
		c := p.rest[end]
		switch {
		case (c == '"' || c == '\'') && quote == 0:
			quote = c
		case quote != 0 && c == quote && p.rest[end-1] != '\\':
			closed = true
		}
		if c == ')' && (quote != 0) == closed {
			break
		}
	}
	text := p.take(end)
	if !strings.HasPrefix(p.rest, ")]") {
		return errors.New("a filter is not closed by ]")
	}
	p.take(len(")]"))
	n := node{kind: filterNode}
	sides := []string{text}
	if parts := comparison.FindStringSubmatch(text); parts != nil {
		n.name, sides = parts[2], []string{parts[1], parts[3]}
	}
	for _, side := range sides {
		parsed, err := parsePath(side)
		if err != nil {
			return err
		}
		n.paths = append(n.paths, parsed)
	}
	p.add(n)
	return nil
}
