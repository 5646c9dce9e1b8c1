package document

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxAliasGrowth bounds what the aliases of a YAML input may make of it: this
// many times its own size, and a megabyte more.
const maxAliasGrowth = 10

// Read reads a stream of documents, YAML or JSON, as kubectl reads a file: what
// is valid JSON is JSON, anything else YAML. Empty documents are left out.
// An error is a *SyntaxError.
func Read(data []byte, opts Options) ([]*Document, error) {
	if err := opts.tooLarge(len(data)); err != nil {
		return nil, err
	}
	var jsonErr error
	if looksLikeJSON(data) {
		d, err := Parse(data, opts)
		if err == nil {
			return []*Document{d}, nil
		}
		if errors.Is(err, ErrDuplicateKey) || errors.Is(err, ErrTooDeep) {
			return nil, err
		}
		jsonErr = err
	}
	docs, err := readYAML(data, opts, false)
	if err != nil && jsonErr != nil {
		return nil, jsonErr
	}
	return docs, err
}

// ParseYAML reads the first document of a YAML input as the API server reads
// the body of an apply request: by the rules of YAML 1.1, also where it is JSON
// (yes is true, 010 is 8, 1.0 is the integer 1). What follows the first
// document is not looked at; an empty input is null. An error is a *SyntaxError.
func ParseYAML(data []byte, opts Options) (*Document, error) {
	if err := opts.tooLarge(len(data)); err != nil {
		return nil, err
	}
	if looksLikeJSON(data) && sameInYAML(data) {
		o := opts
		o.Duplicates = DuplicatesRefused // YAML counts lines and keys in its own way
		if d, err := Parse(data, o); err == nil {
			return d, nil
		}
	}
	docs, err := readYAML(data, opts, true)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return parse(&Document{source: "null", opts: opts})
	}
	return docs[0], nil
}

func looksLikeJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}

// sameInYAML reports whether JSON text is sure to mean the same as YAML 1.1:
// plain ASCII, no \u escapes, no tabs, no numbers with fraction or exponent or
// more digits than an int64 is sure to hold, no keys longer than YAML allows
// (1,024 characters). It may say no where it could say yes.
func sameInYAML(data []byte) bool {
	digits := 0
	for i := 0; i < len(data); i++ {
		c := data[i]
		if c >= '0' && c <= '9' {
			if digits++; digits > 18 {
				return false
			}
			continue
		}
		if digits > 0 && (c == '.' || c == 'e' || c == 'E') {
			return false
		}
		digits = 0
		switch {
		case c == '"':
			start := i
			for i++; i < len(data) && data[i] != '"'; i++ {
				if d := data[i]; d < 0x20 || d >= 0x7f || d == '\\' && i+1 < len(data) && data[i+1] == 'u' {
					return false
				}
				if data[i] == '\\' {
					i++
				}
			}
			if i-start > 1000 && i+1 < len(data) && data[i+1] == ':' {
				return false
			}
		case c == '\t' || c == '\r' || c >= 0x7f:
			return false
		}
	}
	return true
}

func readYAML(data []byte, opts Options, firstOnly bool) ([]*Document, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []*Document
	for {
		var n yaml.Node
		err := decodeNode(dec, &n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, yamlError(err, opts)
		}
		c := yamlConverter{opts: opts, budget: maxAliasGrowth*len(data) + 1<<20}
		if err := c.node(&n, 0); err != nil {
			return nil, err
		}
		if string(c.out) != "null" || firstOnly {
			o := opts
			if o.Duplicates == DuplicatesMerged {
				o.Duplicates = DuplicatesLast // merging is a matter of JSON into Go structs
			}
			d, err := parse(&Document{source: string(c.out), opts: o, marks: c.marks})
			if err != nil {
				return nil, err
			}
			docs = append(docs, d)
		}
		if firstOnly {
			return docs, nil
		}
	}
}

// decodeNode turns what the YAML library panics with into an error.
func decodeNode(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("yaml: the document cannot be read")
		}
	}()
	return dec.Decode(n)
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func yamlError(err error, opts Options) error {
	text := err.Error()
	e := &SyntaxError{Position: Position{Name: opts.Name}, Err: ErrSyntax}
	m := yamlLine.FindStringSubmatch(text)
	if m != nil {
		text = text[len(m[0]):]
		e.Position.Line, _ = strconv.Atoi(m[1])
		if e.Position.Line > 0 {
			e.Position.Column = 1
		}
	}
	e.Reason = "invalid YAML: " + text
	return e
}

// yamlConverter writes a YAML tree as JSON text and notes where its parts stood.
type yamlConverter struct {
	opts   Options
	out    []byte
	marks  []mark
	budget int // bytes that may still be written
}

func (c *yamlConverter) fail(n *yaml.Node, reason string, cause error) error {
	return &SyntaxError{Position: Position{Name: c.opts.Name, Line: n.Line, Column: n.Column}, Reason: reason, Err: cause}
}

func (c *yamlConverter) node(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return c.fail(n, "lists and objects nest deeper than 10000 levels", ErrTooDeep)
	}
	if len(c.out) > c.budget {
		return c.fail(n, "the aliases of the document make it too large", ErrTooLarge)
	}
	c.marks = append(c.marks, mark{len(c.out), n.Line, n.Column})
	switch n.Kind {
	case yaml.DocumentNode:
		return c.node(n.Content[0], depth)
	case yaml.AliasNode:
		if n.Alias == nil {
			return c.fail(n, "the alias "+n.Value+" has no anchor", ErrSyntax)
		}
		return c.node(n.Alias, depth+1)
	case yaml.SequenceNode:
		c.out = append(c.out, '[')
		for i, kid := range n.Content {
			if i > 0 {
				c.out = append(c.out, ',')
			}
			if err := c.node(kid, depth+1); err != nil {
				return err
			}
		}
		c.out = append(c.out, ']')
		return nil
	case yaml.MappingNode:
		return c.mapping(n, depth)
	case yaml.ScalarNode:
		return c.scalar(n)
	}
	c.out = append(c.out, "null"...) // an empty document
	return nil
}

// yamlMember is a key of a mapping with its value; merged says that it came by
// a merge key (<<).
type yamlMember struct {
	name       string
	key, value *yaml.Node
	merged     bool
}

func (c *yamlConverter) mapping(n *yaml.Node, depth int) error {
	var members []yamlMember
	if err := c.gather(n, false, depth, &members); err != nil {
		return err
	}
	last := make(map[string]int, len(members))
	for i, m := range members {
		if j, twice := last[m.name]; twice {
			if !m.merged && !members[j].merged && c.opts.Duplicates == DuplicatesRefused {
				return c.fail(m.key, "key \""+m.name+"\" stands twice in one object", ErrDuplicateKey)
			}
			if (m.merged || members[j].merged) && c.opts.Duplicates == DuplicatesRefused {
				members[j].value = nil // to override what was merged is what merging is for
			}
		}
		last[m.name] = i
	}
	c.out = append(c.out, '{')
	first := true
	for _, m := range members {
		if m.value == nil {
			continue
		}
		if !first {
			c.out = append(c.out, ',')
		}
		first = false
		c.marks = append(c.marks, mark{len(c.out), m.key.Line, m.key.Column})
		c.out = append(AppendQuoted(c.out, m.name), ':')
		if err := c.node(m.value, depth+1); err != nil {
			return err
		}
	}
	c.out = append(c.out, '}')
	return nil
}

// gather lists a mapping's members in order, those of merged mappings in place.
func (c *yamlConverter) gather(n *yaml.Node, merged bool, depth int, members *[]yamlMember) error {
	if depth > maxDepth || len(*members) > c.budget {
		return c.fail(n, "the merges of the document make it too large", ErrTooLarge)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Value == "<<" && (k.Style == 0 || k.Tag == "!!merge") {
			if err := c.merge(v, depth, members); err != nil {
				return err
			}
			continue
		}
		name, err := c.key(k)
		if err != nil {
			return err
		}
		*members = append(*members, yamlMember{name, k, v, merged})
	}
	return nil
}

// merge handles the value of a merge key: a mapping or a list of mappings, of
// which the first counts most.
func (c *yamlConverter) merge(v *yaml.Node, depth int, members *[]yamlMember) error {
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	switch {
	case v != nil && v.Kind == yaml.MappingNode:
		return c.gather(v, true, depth+1, members)
	case v != nil && v.Kind == yaml.SequenceNode:
		for _, item := range slices.Backward(v.Content) {
			if item.Kind == yaml.AliasNode {
				item = item.Alias
			}
			if item == nil || item.Kind != yaml.MappingNode {
				return c.fail(v, "a merge key takes mappings only", ErrSyntax)
			}
			if err := c.gather(item, true, depth+1, members); err != nil {
				return err
			}
		}
		return nil
	}
	return c.fail(v, "a merge key takes a mapping or a list of mappings", ErrSyntax)
}

// key turns a scalar key into text: numbers and booleans as they print.
func (c *yamlConverter) key(k *yaml.Node) (string, error) {
	if k.Kind == yaml.AliasNode && k.Alias != nil {
		k = k.Alias
	}
	if k.Kind != yaml.ScalarNode {
		return "", c.fail(k, "a key must be a string, not a list or an object", ErrSyntax)
	}
	if name, ok := infiniteKey(k); ok {
		return name, nil
	}
	s, err := c.resolve(k)
	if err != nil {
		return "", err
	}
	switch s.kind {
	case Null:
		return "", c.fail(k, "a key must not be null", ErrSyntax)
	case Number:
		if s.float {
			f, _ := strconv.ParseFloat(s.text, 64)
			return strconv.FormatFloat(f, 'g', -1, 32), nil
		}
		if _, err := strconv.ParseInt(s.text, 10, 64); err != nil {
			return "", c.fail(k, "a key must not be an integer of more than 64 bits; quote it", ErrSyntax)
		}
	}
	return s.text, nil
}

// infiniteKey names the keys that are no finite numbers, which stand for
// themselves; as values they have no place in an object.
func infiniteKey(k *yaml.Node) (string, bool) {
	if k.Style != 0 {
		return "", false
	}
	switch strings.ToLower(k.Value) {
	case ".nan":
		return ".nan", resolvePlain(k.Value).kind == Absent
	case ".inf", "+.inf":
		return ".inf", resolvePlain(k.Value).kind == Absent
	case "-.inf":
		return "-.inf", resolvePlain(k.Value).kind == Absent
	}
	return "", false
}

func (c *yamlConverter) scalar(n *yaml.Node) error {
	s, err := c.resolve(n)
	if err != nil {
		return err
	}
	if s.kind == String {
		c.out = AppendQuoted(c.out, s.text)
		return nil
	}
	c.out = append(c.out, s.text...)
	return nil
}

// yamlScalar is a scalar's kind and its text, in JSON's form where it is no string.
type yamlScalar struct {
	kind  Kind
	text  string
	float bool
}

func (c *yamlConverter) resolve(n *yaml.Node) (yamlScalar, error) {
	str := yamlScalar{kind: String, text: n.Value}
	if n.Style&yaml.TaggedStyle == 0 {
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			return str, nil
		}
		s := resolvePlain(n.Value)
		if s.kind == Absent {
			return s, c.fail(n, "a number that is infinite or none has no place in an object", ErrSyntax)
		}
		return s, nil
	}
	tag := n.ShortTag()
	switch tag {
	case "!!binary":
		b, err := base64.StdEncoding.DecodeString(n.Value)
		if err != nil {
			return str, c.fail(n, "!!binary needs base64", ErrSyntax)
		}
		return yamlScalar{kind: String, text: string(b)}, nil
	case "!!null", "!!bool", "!!int", "!!float":
		s := resolvePlain(n.Value)
		want := map[string]Kind{"!!null": Null, "!!bool": Bool, "!!int": Number, "!!float": Number}[tag]
		if s.kind != want || tag == "!!int" && s.float {
			return s, c.fail(n, "cannot read \""+n.Value+"\" as "+tag, ErrSyntax)
		}
		return s, nil
	}
	return str, nil
}

var yamlFloat = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// resolvePlain says what a plain scalar means in YAML 1.1 as the API server
// reads it. Absent stands for infinities and NaN.
func resolvePlain(s string) yamlScalar {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return yamlScalar{kind: Null, text: "null"}
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return yamlScalar{kind: Bool, text: "true"}
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return yamlScalar{kind: Bool, text: "false"}
	case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF":
		return yamlScalar{}
	}
	str := yamlScalar{kind: String, text: s}
	if c := s[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return str
	}
	if s[0] == '.' {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return floatScalar(f)
		}
		return str
	}
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return yamlScalar{kind: Number, text: strconv.FormatInt(i, 10)}
	}
	if u, err := strconv.ParseUint(plain, 0, 64); err == nil {
		return yamlScalar{kind: Number, text: strconv.FormatUint(u, 10)}
	}
	if yamlFloat.MatchString(plain) {
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return floatScalar(f)
		}
	}
	return str
}

func floatScalar(f float64) yamlScalar {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return yamlScalar{}
	}
	return yamlScalar{kind: Number, text: string(appendFloat(nil, f)), float: true}
}

// YAML returns the value as a YAML document in the form that kubectl prints:
// block style, lists not indented, keys sorted.
func (v Value) YAML() []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	// Neither call fails: the tree is well formed and the buffer takes all.
	_ = e.Encode(yamlNode(v))
	_ = e.Close()
	return b.Bytes()
}

func yamlNode(v Value) *yaml.Node {
	switch v.Kind() {
	case Object:
		n := &yaml.Node{Kind: yaml.MappingNode}
		if v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for k, kid := range v.Members() {
			n.Content = append(n.Content, yamlString(k), yamlNode(kid))
		}
		return n
	case List:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		if v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, kid := range v.Items() {
			n.Content = append(n.Content, yamlNode(kid))
		}
		return n
	case String:
		s, _ := v.Text()
		return yamlString(s)
	case Absent:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(v.JSON())}
}

// yamlString writes text so that YAML 1.1 and 1.2 both read it as a string.
func yamlString(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case strings.Contains(s, "\n"):
		if literalSafe(s) {
			n.Style = yaml.LiteralStyle
		} else {
			n.Style = yaml.DoubleQuotedStyle
		}
	case resolvePlain(s).kind != String || s == "<<" || s == "=" || yamlSexagesimal.MatchString(s) || yamlOtherNumber.MatchString(s) || !plainScalar(s):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// yamlSexagesimal are numbers to base 60, which YAML 1.1 has and some readers know.
var yamlSexagesimal = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)

// yamlOtherNumber are what other readers take for a number or a time.
var yamlOtherNumber = regexp.MustCompile(`^([-+]?0[xob][0-9a-fA-F_]+|\d{4}-\d\d?-\d\d?([Tt ].*)?|[-+]?[._]*[0-9][0-9._]*([eE][-+]?[0-9_]+)?)$`)

func plainScalar(s string) bool {
	for _, r := range s {
		if r < 0x20 || r == 0x7f || r == utf8.RuneError || r == 0xfeff || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return false
		}
	}
	return true
}

// literalSafe reports whether a text of several lines can stand as a literal
// block and be read back the same.
func literalSafe(s string) bool {
	if s[0] == '\n' || s[0] == ' ' || s[0] == '\t' {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasSuffix(line, " ") || !plainScalar(strings.ReplaceAll(line, "\t", "")) || strings.HasPrefix(line, "\t") {
			return false
		}
	}
	return true
}
