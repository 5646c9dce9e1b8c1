package document

import "strings"

// longestKey is the maximum length of a simple key in kubectl's output. A longer or
// multi-line key is printed after a question mark, with its value on a separate line.
const longestKey = 128

// YAML returns the value as a YAML document in kubectl's format: block style, lists not
// indented, keys sorted. An absent value is printed as null.
func (v Value) YAML() []byte {
	var p yamlPrinter
	if s, ok := v.Text(); ok {
		p.text(s, yamlStyleOf(s), 2)
	} else {
		p.node(v, 0)
	}
	p.endLine()
	return p.out
}

// YAMLScalar returns a scalar as single-line YAML. ok is false for collections and for
// multi-line text.
func (v Value) YAMLScalar() (text string, ok bool) {
	switch v.Kind() {
	case Null, Bool, Number:
		return string(v.JSON()), true
	case String:
		s, _ := v.Text()
		style := yamlStyleOf(s)
		if style == plainStyle {
			return s, true
		}
		return string(appendYAMLText(nil, s, style)), style != literalStyle
	}
	return "", false
}

// yamlPrinter writes YAML in block style. It leaves the line of a value open, except after
// literal blocks.
type yamlPrinter struct{ out []byte }

// node prints a value on a line with the given indentation.
func (p *yamlPrinter) node(v Value, indent int) {
	switch v.Kind() {
	case Object:
		p.object(v, indent)
	case List:
		p.list(v, indent)
	case String:
		s, _ := v.Text()
		p.text(s, yamlStyleOf(s), indent)
	case Absent:
		p.out = append(p.out, "null"...)
	default:
		p.out = v.AppendJSON(p.out)
	}
}

func (p *yamlPrinter) object(v Value, indent int) {
	if v.Len() == 0 {
		p.out = append(p.out, "{}"...)
		return
	}
	first := true
	for key, kid := range v.Members() {
		if !first {
			p.newLine(indent)
		}
		first = false
		style := yamlStyleOf(key)
		if len(key) > longestKey || !singleLine(key, style) {
			p.out = append(p.out, "? "...)
			p.text(key, style, indent+2)
			p.newLine(indent)
			p.out = append(p.out, ": "...)
			p.node(kid, indent+2)
			continue
		}
		p.text(key, style, indent)
		p.out = append(p.out, ':')
		switch {
		case kid.Len() == 0:
			p.out = append(p.out, ' ')
			p.node(kid, indent+2)
		case kid.Kind() == List:
			p.newLine(indent)
			p.list(kid, indent)
		default:
			p.newLine(indent + 2)
			p.object(kid, indent+2)
		}
	}
}

func (p *yamlPrinter) list(v Value, indent int) {
	if v.Len() == 0 {
		p.out = append(p.out, "[]"...)
		return
	}
	for i, kid := range v.Items() {
		if i > 0 {
			p.newLine(indent)
		}
		p.out = append(p.out, "- "...)
		p.node(kid, indent+2)
	}
}

// text prints a string; the lines of a literal block are indented by indent.
func (p *yamlPrinter) text(s string, style yamlStyle, indent int) {
	if style != literalStyle {
		p.out = appendYAMLText(p.out, s, style)
		return
	}
	p.out = append(p.out, '|')
	switch {
	case !strings.HasSuffix(s, "\n"):
		p.out = append(p.out, '-')
	case strings.HasSuffix(s, "\n\n"):
		p.out = append(p.out, '+')
	}
	p.out = append(p.out, '\n')
	for line := range strings.Lines(s) {
		if line != "\n" {
			p.indent(indent)
		}
		p.out = append(p.out, line...)
	}
}

func (p *yamlPrinter) newLine(indent int) {
	p.endLine()
	p.indent(indent)
}

// endLine ends a line unless a literal block has ended it already.
func (p *yamlPrinter) endLine() {
	if p.out[len(p.out)-1] != '\n' {
		p.out = append(p.out, '\n')
	}
}

func (p *yamlPrinter) indent(n int) {
	for range n {
		p.out = append(p.out, ' ')
	}
}
