package defaults

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

// Rule is one default rule from a rule file.
type Rule struct {
	// Type is the name of the type that the rule belongs to, as in schema.Type:
	// "io.k8s.api.core.v1.PodSpec".
	Type string
	// Field is the path of the field in that type, such as "ports[].protocol".
	Field string
	// Value is the value of the field as written in the file: JSON, "copy" and a path,
	// "call" and a function name, or "rounded" or "nothing".
	Value string
	// When is the state of the field in which the rule applies: "missing", "empty",
	// "always", or "new": always in a new object, never in an update.
	When string
	// Condition is a further condition, "" for none.
	Condition string
	// Feature is the feature gate that must be off for a rule that drops fields, "" for
	// default rules.
	Feature string
	// Since and Until are the first and last minor version of Kubernetes 1 that has the
	// rule, 0 for no bound.
	Since, Until int
	// File and Line are the location of the rule.
	File string
	Line int

	field      []step
	value      value
	conditions []condition
	single     bool // sets one field of one object
}

// String returns the rule in the syntax of rule files.
func (r *Rule) String() string {
	op := " = "
	if r.value.members {
		op = " += "
	}
	s := r.Field + op + r.Value
	if r.When != "missing" {
		s += " when " + r.When
	}
	if r.Condition != "" {
		s += " if " + r.Condition
	}
	if r.Feature != "" {
		s += " off " + r.Feature
	}
	if r.Since > 0 {
		s += " since 1." + strconv.Itoa(r.Since)
	}
	if r.Until > 0 {
		s += " until 1." + strconv.Itoa(r.Until)
	}
	return s
}

// A step enters an object's field by name and, if each is set, every item of that list or
// member of that map.
type step struct {
	name string
	each bool
}

// A source is the path of a value: from the object of the rule's type or, if near is set,
// from the innermost list item on the path to the field.
type source struct {
	near bool
	keys []string
}

func (s source) find(far, near document.Value) document.Value {
	if s.near {
		return near.Lookup(s.keys...)
	}
	return far.Lookup(s.keys...)
}

type value struct {
	json    document.Value
	copy    *source
	call    function
	arg     source
	rounded bool
	nothing bool
	members bool // +=: adds the members that the field lacks
}

type condition struct {
	of     source
	test   test
	is     document.Value
	negate bool
}

type test uint8

const (
	isMissing test = iota
	isEmpty
	isEqual
	isAlone // the object has no member other than the named one
)

// all parses the rule files once.
var all = sync.OnceValues(func() ([]*Rule, error) {
	var rules []*Rule
	for _, file := range files() {
		more, err := parseRules(file.name, file.text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, more...)
	}
	return rules, nil
})

// parseRules parses a rule file; rules/README.md describes the syntax.
func parseRules(file, text string) ([]*Rule, error) {
	var rules []*Rule
	var types []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] != ' ' && line[0] != '\t':
			types = typeNames(trimmed)
		case types == nil:
			return nil, fmt.Errorf("%s:%d: a rule needs a type before it", file, n)
		default:
			for _, t := range types {
				r, err := parseRule(trimmed)
				if err != nil {
					return nil, fmt.Errorf("%s:%d: %w", file, n, err)
				}
				r.Type, r.File, r.Line = t, file, n
				rules = append(rules, r)
			}
		}
	}
	return rules, nil
}

// typeNames parses a header: one or several comma-separated packages and the names of types
// in them: "api.core.v1 Container EphemeralContainer".
func typeNames(header string) []string {
	var names []string
	words := strings.Fields(header)
	for pkg := range strings.SplitSeq(words[0], ",") {
		for _, w := range words[1:] {
			names = append(names, "io.k8s."+pkg+"."+w)
		}
	}
	return names
}

var errRule = errors.New("not a rule")

func parseRule(s string) (*Rule, error) {
	r := &Rule{When: "missing"}
	var err error
	if head, tail, ok := cutLast(s, " until 1."); ok {
		if r.Until, err = strconv.Atoi(tail); err != nil {
			return nil, err
		}
		s = head
	}
	if head, tail, ok := cutLast(s, " since 1."); ok {
		if r.Since, err = strconv.Atoi(tail); err != nil {
			return nil, err
		}
		s = head
	}
	s, r.Feature, _ = cutLast(s, " off ")
	s, r.Condition, _ = cutLast(s, " if ")
	if head, tail, ok := cutLast(s, " when "); ok {
		s, r.When = head, tail
	}
	field, val, ok := strings.Cut(s, " = ")
	if !ok {
		if field, val, ok = strings.Cut(s, " += "); !ok {
			return nil, fmt.Errorf("%w: %q has no =", errRule, s)
		}
		r.value.members = true
	}
	r.Field, r.Value = strings.TrimSpace(field), strings.TrimSpace(val)
	if r.field, err = parseSteps(r.Field); err != nil {
		return nil, err
	}
	if err := r.value.parse(r.Value); err != nil {
		return nil, err
	}
	r.single = !r.value.nothing && !r.value.rounded && !r.value.members && !slices.ContainsFunc(r.field, func(s step) bool { return s.each })
	if r.Condition == "" {
		return r, nil
	}
	for c := range strings.SplitSeq(r.Condition, " and ") {
		cond, err := parseCondition(c)
		if err != nil {
			return nil, err
		}
		r.conditions = append(r.conditions, cond)
	}
	return r, nil
}

func cutLast(s, sep string) (head, tail string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimSpace(s[i+len(sep):]), true
}

// parseSteps parses a path: names separated by dots, [] after a name for its items or
// members, and ["…"] for a key that is not a plain name.
func parseSteps(s string) ([]step, error) {
	var steps []step
	for s != "" {
		s = strings.TrimPrefix(s, ".")
		switch {
		case strings.HasPrefix(s, "[]") && len(steps) > 0:
			steps[len(steps)-1].each = true
			s = s[2:]
		case strings.HasPrefix(s, `["`):
			end := strings.Index(s, `"]`)
			if end < 0 {
				return nil, fmt.Errorf("%w: %s is not closed", errRule, s)
			}
			steps = append(steps, step{name: s[2:end]})
			s = s[end+2:]
		default:
			end := strings.IndexAny(s, ".[")
			if end < 0 {
				end = len(s)
			}
			if end == 0 {
				return nil, fmt.Errorf("%w: an empty name in a path", errRule)
			}
			steps = append(steps, step{name: s[:end]})
			s = s[end:]
		}
	}
	return steps, nil
}

func parseSource(s string) (source, error) {
	s = strings.TrimSpace(s)
	steps, err := parseSteps(s)
	src := source{near: strings.HasPrefix(s, ".")}
	for _, st := range steps {
		if st.each {
			return src, fmt.Errorf("%w: %s leads to more than one value", errRule, s)
		}
		src.keys = append(src.keys, st.name)
	}
	return src, err
}

func (v *value) parse(s string) error {
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "nothing":
		v.nothing = true
	case "rounded":
		v.rounded = true
	case "call":
		name, arg, _ := strings.Cut(rest, " ")
		v.call = functions(name)
		if v.call == nil {
			return fmt.Errorf("%w: there is no function %q", errRule, name)
		}
		var err error
		v.arg, err = parseSource(arg)
		return err
	case "copy":
		src, err := parseSource(rest)
		v.copy = &src
		return err
	default:
		d, err := document.Parse([]byte(s), document.Options{})
		if err != nil {
			return fmt.Errorf("%w: the value %s: %w", errRule, s, err)
		}
		v.json = d.Root
	}
	return nil
}

func parseCondition(s string) (condition, error) {
	s = strings.TrimSpace(s)
	var c condition
	var err error
	if rest, ok := strings.CutPrefix(s, "nothing but "); ok {
		c.test = isAlone
		c.of, err = parseSource(rest)
		return c, err
	}
	of, how, ok := strings.Cut(s, " ")
	if !ok {
		return c, fmt.Errorf("%w: the condition %q", errRule, s)
	}
	if c.of, err = parseSource(of); err != nil {
		return c, err
	}
	switch how {
	case "missing", "given":
		c.test, c.negate = isMissing, how == "given"
		return c, nil
	case "empty", "not empty":
		c.test, c.negate = isEmpty, how == "not empty"
		return c, nil
	}
	text, ok := strings.CutPrefix(how, "is ")
	if rest, not := strings.CutPrefix(text, "not "); not {
		text, c.negate = rest, true
	}
	d, err := document.Parse([]byte(text), document.Options{})
	if !ok || err != nil {
		return c, fmt.Errorf("%w: the condition %q", errRule, s)
	}
	c.test, c.is = isEqual, d.Root
	return c, nil
}

func (c *condition) holds(far, near document.Value) bool {
	v := c.of.find(far, near)
	var yes bool
	switch c.test {
	case isMissing:
		yes = !v.Exists() || v.IsNull()
	case isEmpty:
		yes = empty(v)
	case isEqual:
		yes = document.Equal(v, c.is)
	case isAlone:
		within := far
		if c.of.near {
			within = near
		}
		yes = within.Len() == 0 || within.Len() == 1 && v.Exists()
	}
	return yes != c.negate
}
