// Package labels parses label selectors.
package labels

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// A Selector is a list of requirements that labels must all meet, in the syntax of the
// API's labelSelector parameter, separated by commas:
//
//	a=b, a==b, a!=b, a in (b,c), a notin (b,c), a, !a, a>1, a<1
//
// An empty list matches everything.
type Selector []requirement

type requirement struct {
	key      string
	operator string // "in", "notin", "exists", "absent", ">" or "<"
	values   []string
	number   int64 // for > and <
}

// Matches reports whether an object's labels meet every requirement.
func (s Selector) Matches(labels document.Value) bool {
	for i := range s {
		if !s[i].matches(labels) {
			return false
		}
	}
	return true
}

func (r *requirement) matches(labels document.Value) bool {
	label := labels.Get(r.key)
	switch r.operator {
	case "exists":
		return label.Exists()
	case "absent":
		return !label.Exists()
	case "notin":
		return !label.Exists() || !slices.Contains(r.values, label.StringOr(""))
	case "in":
		return label.Exists() && slices.Contains(r.values, label.StringOr(""))
	}
	n, err := strconv.ParseInt(label.StringOr(""), 10, 64)
	if err != nil {
		return false
	}
	return r.operator == ">" && n > r.number || r.operator == "<" && n < r.number
}

// Parse parses a labelSelector parameter. The messages of errors are apimachinery's (labels.Parse),
// which clients print.
func Parse(text string) (Selector, error) {
	text, _, _ = strings.Cut(text, "\x00")
	p := &parser{rest: text}
	var s Selector
	p.next()
	if p.token != "" && !p.word && p.token != "!" {
		return nil, fmt.Errorf("found '%s', expected: !, identifier, or 'end of string'", p.token)
	}
	for p.token != "" {
		r, err := p.requirement()
		if err != nil {
			return nil, fmt.Errorf("unable to parse requirement: %w", err)
		}
		s = append(s, r)
		if p.token == "" {
			break
		}
		if p.token != "," {
			return nil, fmt.Errorf("found '%s', expected: ',' or 'end of string'", p.token)
		}
		if p.next(); !p.word && p.token != "!" {
			return nil, fmt.Errorf("found '%s', expected: identifier after ','", p.token)
		}
	}
	return s, nil
}

// parser is a parser with one token of lookahead; the token is "" at the end.
type parser struct {
	rest  string
	token string
	word  bool // the token is a word, not an operator
}

const signs = "!=,()<>"

func (p *parser) next() {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	n := strings.IndexAny(p.rest, signs+" \t\r\n")
	switch {
	case n < 0:
		n = len(p.rest)
	case n == 0:
		n = 1
		if strings.HasPrefix(p.rest, "!=") || strings.HasPrefix(p.rest, "==") {
			n = 2
		}
		p.token, p.rest, p.word = p.rest[:n], p.rest[n:], false
		return
	}
	p.token, p.rest = p.rest[:n], p.rest[n:]
	p.word = p.token != ""
}

// take returns the current token and advances to the next.
func (p *parser) take() string {
	t := p.token
	p.next()
	return t
}

func (p *parser) requirement() (requirement, error) {
	absent := p.token == "!"
	if absent {
		p.next()
	}
	if !p.word {
		return requirement{}, fmt.Errorf("found '%s', expected: identifier", p.token)
	}
	r := requirement{key: p.take(), operator: "exists"}
	if why := names.QualifiedName(r.key); why != "" {
		return r, errors.New(invalidLabel("<nil>", r.key, why))
	}
	if absent {
		r.operator = "absent"
		return r, nil
	}
	if p.token == "" || p.token == "," {
		return r, nil
	}
	var err error
	switch sign := p.take(); sign {
	case "=", "==":
		r.operator = "in"
		r.values, err = p.value()
	case "!=":
		r.operator = "notin"
		r.values, err = p.value()
	case "in", "notin":
		r.operator = sign
		r.values, err = p.set()
	case ">", "<":
		r.operator = sign
		r.values, err = p.value()
	default:
		return r, fmt.Errorf("found '%s', expected: in, notin, =, ==, !=, gt, lt", sign)
	}
	if err == nil {
		err = r.check()
	}
	return r, err
}

// check validates the values and sets the number.
func (r *requirement) check() error {
	var found []string
	for i, v := range r.values {
		at := "values[" + strconv.Itoa(i) + "]"
		if r.operator == ">" || r.operator == "<" {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				found = append(found, invalidLabel(at, v, "for 'Gt', 'Lt' operators, the value must be an integer"))
			}
			r.number = n
		}
		if why := names.LabelValue(v); why != "" {
			found = append(found, invalidLabel(at+"["+r.key+"]", v, why))
		}
	}
	if len(found) == 0 {
		return nil
	}
	if len(found) == 1 {
		return errors.New(found[0])
	}
	return errors.New("[" + strings.Join(found, ", ") + "]")
}

// invalidLabel returns the message of an invalid key or value; reasons are separated by line breaks.
func invalidLabel(field, value, reasons string) string {
	return field + ": Invalid value: " + strconv.Quote(value) + ": " + strings.ReplaceAll(reasons, "\n", "; ")
}

func (p *parser) value() ([]string, error) {
	if p.token == "" || p.token == "," {
		return []string{""}, nil
	}
	if !p.word {
		return nil, fmt.Errorf("found '%s', expected: identifier", p.token)
	}
	return []string{p.take()}, nil
}

// set parses values in parentheses, and returns them in order and without duplicates; an omitted
// value is the empty string.
func (p *parser) set() ([]string, error) {
	if p.token != "(" {
		return nil, fmt.Errorf("found '%s' expected: '('", p.token)
	}
	p.next()
	if !p.word && p.token != "," && p.token != ")" {
		return nil, fmt.Errorf("found '%s', expected: ',', ')' or identifier", p.token)
	}
	var values []string
	for {
		v := ""
		if p.word {
			v = p.take()
		}
		values = append(values, v)
		switch {
		case p.token == ")":
			p.next()
			slices.Sort(values)
			return slices.Compact(values), nil
		case p.token != ",":
			return nil, fmt.Errorf("found '%s', expected: ',' or ')'", p.token)
		}
		if p.next(); !p.word && p.token != "," && p.token != ")" {
			return nil, fmt.Errorf("found '%s', expected: ',', or identifier", p.token)
		}
	}
}
