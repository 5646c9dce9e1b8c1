package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// A labelSelector is a list of requirements that labels must all meet, in the syntax of the
// API's labelSelector parameter, separated by commas:
//
//	a=b, a==b, a!=b, a in (b,c), a notin (b,c), a, !a, a>1, a<1
//
// An empty list matches everything.
type labelSelector []labelRequirement

type labelRequirement struct {
	key      string
	operator string // "in", "notin", "exists", "absent", ">" or "<"
	values   []string
	number   int64 // for > and <
}

// matches reports whether an object's labels meet every requirement.
func (s labelSelector) matches(labels document.Value) bool {
	for i := range s {
		if !s[i].matches(labels) {
			return false
		}
	}
	return true
}

func (r *labelRequirement) matches(labels document.Value) bool {
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

// parseLabels parses a labelSelector parameter. The messages of errors are apimachinery's (labels.Parse),
// which clients print.
func parseLabels(text string) (labelSelector, error) {
	text, _, _ = strings.Cut(text, "\x00")
	p := &labelParser{rest: text}
	var s labelSelector
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

// labelParser is a parser with one token of lookahead; the token is "" at the end.
type labelParser struct {
	rest  string
	token string
	word  bool // the token is a word, not an operator
}

const labelSigns = "!=,()<>"

func (p *labelParser) next() {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	n := strings.IndexAny(p.rest, labelSigns+" \t\r\n")
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
func (p *labelParser) take() string {
	t := p.token
	p.next()
	return t
}

func (p *labelParser) requirement() (labelRequirement, error) {
	absent := p.token == "!"
	if absent {
		p.next()
	}
	if !p.word {
		return labelRequirement{}, fmt.Errorf("found '%s', expected: identifier", p.token)
	}
	r := labelRequirement{key: p.take(), operator: "exists"}
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
func (r *labelRequirement) check() error {
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
	return errors.New(aggregate(found))
}

// invalidLabel returns the message of an invalid key or value; reasons are separated by line breaks.
func invalidLabel(field, value, reasons string) string {
	c := invalidValue(field, strconv.Quote(value), strings.ReplaceAll(reasons, "\n", "; "))
	return c.Field + ": " + c.Message
}

func (p *labelParser) value() ([]string, error) {
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
func (p *labelParser) set() ([]string, error) {
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
