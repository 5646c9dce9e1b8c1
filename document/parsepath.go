package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PathError reports that a text is not a path. It wraps ErrPath.
type PathError struct {
	Text   string // the whole text
	Offset int    // byte offset of the error
	Reason string
}

// Error returns the text, the position in characters from 1, and the reason.
func (e *PathError) Error() string {
	return fmt.Sprintf("invalid path %q: character %d: %s", e.Text, utf8.RuneCountInString(e.Text[:e.Offset])+1, e.Reason)
}

// Unwrap returns ErrPath.
func (e *PathError) Unwrap() error { return ErrPath }

// ParsePath parses a path in any of the forms that Kubernetes tools use:
//
//	.spec.containers[0].image                 with or without the first dot
//	{.spec.replicas}, $.spec.replicas         kubectl's JSONPath
//	.metadata.labels["a.b/c"], ['a.b/c']      quoted names
//	.metadata.labels.a\.b/c                   an escaped dot within a name
//	.resources.limits[cpu]                    the API server's messages
//	.spec.containers[name="app"].image        an item by its key fields
//	.ports[containerPort=80,protocol=TCP]     in any order; quotes are required for
//	                                          strings that parse as another type
//	.spec.containers[?(@.name=="app")].image  the same as a JSONPath filter
//	.metadata.finalizers[="a"]                an item of a set by its value
//	f:spec.f:containers.k:{"name":"app"}      managedFields, see ParseElement
//
// "." is the empty path. Expressions that can match several parts, such as [*] and "..",
// are not paths. An error is a *PathError.
func ParsePath(text string) (Path, error) {
	p := pathParser{whole: text, s: strings.ToValidUTF8(text, "\uFFFD")}
	p.s = strings.TrimSpace(p.s)
	if strings.HasPrefix(p.s, "{") && strings.HasSuffix(p.s, "}") {
		p.s = p.s[1 : len(p.s)-1]
	}
	if rest, ok := strings.CutPrefix(p.s, "$"); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		p.s = rest
		if rest == "" {
			return Path{}, nil
		}
	}
	switch p.s {
	case "":
		return nil, p.fail("a path is required; the path of the whole object is \".\"")
	case ".":
		return Path{}, nil
	}
	for p.i < len(p.s) {
		s, err := p.step()
		if err != nil {
			return nil, err
		}
		p.path = append(p.path, s)
	}
	return p.path, nil
}

type pathParser struct {
	whole string // for errors
	s     string
	i     int
	path  Path
}

func (p *pathParser) fail(reason string) *PathError {
	// p.s is a substring of whole unless invalid UTF-8 was replaced.
	return &PathError{Text: p.whole, Offset: min(max(strings.Index(p.whole, p.s), 0)+p.i, len(p.whole)), Reason: reason}
}

// step parses one step and the dot before it.
func (p *pathParser) step() (Step, error) {
	dot := p.s[p.i] == '.' || len(p.path) > 0 && p.s[p.i] == '/' && p.atElement(p.i+1)
	if dot {
		p.i++
	}
	switch {
	case p.i == len(p.s):
		return Step{}, p.fail("expected a field name after the last dot")
	case p.s[p.i] == '[':
		p.i++
		return p.bracket()
	case p.atElement(p.i):
		return p.element("")
	case !dot && len(p.path) > 0:
		return Step{}, p.fail("expected a dot or an opening bracket")
	case p.s[p.i] == '.':
		return Step{}, p.fail("\"..\" matches more than one field; write every field of the path")
	case p.s[p.i] == '*':
		return Step{}, p.fail("\"*\" matches more than one field; name one of them")
	}
	name, err := p.name("")
	return FieldStep(name), err
}

// atElement reports whether a managedFields path element begins at i.
func (p *pathParser) atElement(i int) bool {
	return i+1 < len(p.s) && strings.IndexByte("fkvi", p.s[i]) >= 0 && p.s[i+1] == ':'
}

// element parses a managedFields path element. The name of a field extends to the next
// element, to a character in until, or to an opening bracket.
func (p *pathParser) element(until string) (Step, error) {
	from := p.i
	p.i += 2
	switch p.s[from] {
	case 'f', 'i':
		for p.i < len(p.s) {
			c := p.s[p.i]
			if c == '[' || strings.IndexByte(until, c) >= 0 || (c == '.' || c == '/') && p.atElement(p.i+1) {
				break
			}
			p.i++
		}
	default:
		p.i += jsonLen(p.s[p.i:])
	}
	s, _, err := ParseElement(p.s[from:p.i])
	if err != nil {
		at := p.i
		p.i = from
		e := p.fail(strings.TrimPrefix(err.Error(), ErrPath.Error()+": "))
		p.i = at
		return Step{}, e
	}
	return s, nil
}

// jsonLen returns the length of the JSON value at the start of s, which may be invalid: a
// string, the text up to the matching bracket, or a word.
func jsonLen(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			i += stringLen(s[i:]) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i
			}
		case ',', '/', ')', '&':
			if depth == 0 {
				return i
			}
		case '.':
			if depth == 0 && (i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9') {
				return i
			}
		}
	}
	return len(s)
}

// stringLen returns the length of the quoted string at the start of s, including quotes, or
// len(s) if it is not terminated.
func stringLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// name parses an unquoted name. A backslash escapes the next character; the characters in
// also need no escape.
func (p *pathParser) name(also string) (string, error) {
	var b strings.Builder
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		switch {
		case r == '\\' && p.i+1 < len(p.s):
			p.i++
			r, n = utf8.DecodeRuneInString(p.s[p.i:])
		case r < utf8.RuneSelf && plainName(string(r)), r == '/', strings.ContainsRune(also, r), r >= utf8.RuneSelf && unicode.IsGraphic(r) && !unicode.IsSpace(r):
		case b.Len() > 0 && strings.ContainsRune(" .[]=,<>!", r):
			return b.String(), nil
		default:
			return "", p.fail(fmt.Sprintf("%q cannot be part of a field name here; write such a name in brackets and quotes, as in [\"a b\"]", r))
		}
		b.WriteRune(r)
		p.i += n
	}
	return b.String(), nil
}

// bracket parses the text in brackets, after the opening one.
func (p *pathParser) bracket() (s Step, err error) {
	rest := p.s[p.i:]
	switch {
	case rest == "":
		return Step{}, p.fail("missing closing bracket")
	case rest[0] == ']':
		return Step{}, p.fail("expected an index, a name or a key in the brackets")
	case rest[0] == '*':
		return Step{}, p.fail("[*] matches every item; select one by index or key")
	case strings.HasPrefix(rest, "?("):
		s, err = p.filter()
	case rest[0] == '=':
		p.i++
		var v Value
		if v, err = p.value(); err == nil {
			s, err = ValueStep(v)
		}
	case p.atElement(p.i):
		s, err = p.element("]")
	default:
		s, err = p.indexNameOrKey()
	}
	if err != nil {
		return Step{}, p.wrap(err)
	}
	if p.i >= len(p.s) || p.s[p.i] != ']' {
		return Step{}, p.fail("expected a closing bracket")
	}
	p.i++
	return s, nil
}

func (p *pathParser) wrap(err error) error {
	if e, ok := err.(*PathError); ok {
		return e
	}
	return p.fail(strings.TrimPrefix(err.Error(), ErrPath.Error()+": "))
}

// indexNameOrKey parses 0, "a/b", cpu or name="app",….
func (p *pathParser) indexNameOrKey() (Step, error) {
	if c := p.s[p.i]; c == '-' || c >= '0' && c <= '9' {
		if n := strings.IndexByte(p.s[p.i:], ']'); n > 0 {
			if i, err := strconv.Atoi(p.s[p.i : p.i+n]); err == nil && i >= 0 {
				p.i += n
				return IndexStep(i), nil
			} else if err == nil {
				return Step{}, p.fail("an index counts from 0 and cannot be negative")
			}
		}
	}
	name, err := p.keyName()
	if err != nil {
		return Step{}, err
	}
	if p.i >= len(p.s) || p.s[p.i] != '=' {
		return FieldStep(name), nil
	}
	var key ObjectBuilder
	for seen := map[string]bool{}; ; {
		if seen[name] {
			return Step{}, p.fail(fmt.Sprintf("the key field %q is given twice", name))
		}
		seen[name] = true
		p.i++
		v, err := p.value()
		if err != nil {
			return Step{}, err
		}
		key.Set(name, v)
		if p.i >= len(p.s) || p.s[p.i] != ',' {
			return KeyStep(key.Object())
		}
		p.i++
		if name, err = p.keyName(); err != nil {
			return Step{}, err
		}
		if p.i >= len(p.s) || p.s[p.i] != '=' {
			return Step{}, p.fail("a key field requires a value, as in name=\"app\"")
		}
	}
}

// keyName parses a name within brackets, quoted or not.
func (p *pathParser) keyName() (string, error) {
	if p.i < len(p.s) && (p.s[p.i] == '"' || p.s[p.i] == '\'') {
		return p.quoted()
	}
	name, err := p.name(".")
	if err == nil && name == "" {
		err = p.fail("expected a name")
	}
	return name, err
}

// quoted parses a string in double quotes, with JSON's escapes, or in single quotes, where
// a backslash quotes the next character.
func (p *pathParser) quoted() (string, error) {
	n := stringLen(p.s[p.i:])
	text := p.s[p.i : p.i+n]
	if n < 2 || text[n-1] != text[0] {
		return "", p.fail("the string that begins here has no closing quote")
	}
	if text[0] == '\'' {
		var b strings.Builder
		for i := 1; i < n-1; i++ {
			if text[i] == '\\' && i+1 < n-1 {
				i++
			}
			b.WriteByte(text[i])
		}
		p.i += n
		return b.String(), nil
	}
	v, err := parseElementValue(text)
	if err != nil {
		return "", p.fail("not a JSON string: " + text)
	}
	p.i += n
	return v.StringOr(""), nil
}

// value parses the value of a key field or set item: JSON, a single-quoted string, or a
// word that is not a value of another type.
func (p *pathParser) value() (Value, error) {
	if p.i >= len(p.s) {
		return Value{}, p.fail("expected a value after \"=\"")
	}
	if c := p.s[p.i]; c == '"' || c == '\'' {
		text, err := p.quoted()
		return NewString(text), err
	}
	n := jsonLen(p.s[p.i:])
	if v, err := parseElementValue(p.s[p.i : p.i+n]); err == nil {
		p.i += n
		return v, nil
	}
	text, err := p.keyName()
	return NewString(text), err
}

// filter parses ?(@.name=="app" && @.protocol=="TCP").
func (p *pathParser) filter() (Step, error) {
	const usage = "unsupported JSONPath filter; use [?(@.name==\"app\")], which selects a single item"
	var key ObjectBuilder
	p.i += len("?(")
	for {
		p.skip(" ")
		if !p.skip("@.") {
			return Step{}, p.fail(usage)
		}
		name, err := p.name("")
		if err != nil {
			return Step{}, err
		}
		p.skip(" ")
		if !p.skip("==") {
			return Step{}, p.fail(usage)
		}
		p.skip(" ")
		v, err := p.value()
		if err != nil {
			return Step{}, err
		}
		key.Set(name, v)
		p.skip(" ")
		if p.skip(")") {
			return KeyStep(key.Object())
		}
		if !p.skip("&&") {
			return Step{}, p.fail(usage)
		}
	}
}

func (p *pathParser) skip(s string) bool {
	if !strings.HasPrefix(p.s[p.i:], s) {
		return false
	}
	p.i += len(s)
	return true
}
