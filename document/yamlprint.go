package document

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

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

// YAMLScalar returns a scalar as YAML writes it on one line, and whether it is so
// simple that this can be told without the emitter: numbers, booleans, null and
// strings of letters, digits and a few signs.
func (v Value) YAMLScalar() (text string, ok bool) {
	switch v.Kind() {
	case Null, Bool, Number:
		return string(v.JSON()), true
	case String:
	default:
		return "", false
	}
	s, _ := v.Text()
	if s == "" || s[0] == ':' || s[0] == '-' || s[0] == '.' || s[len(s)-1] == ':' {
		return "", false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '-' || c > ':') && (c < 'A' || c > 'Z') && c != '_' {
			return "", false
		}
	}
	if yamlNeedsQuotes(s) {
		return `"` + s + `"`, true
	}
	return s, true
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
	case yamlNeedsQuotes(s) || !plainScalar(s):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// yamlNeedsQuotes reports whether a reader of YAML 1.1 or 1.2 may take text for
// something other than a string.
func yamlNeedsQuotes(s string) bool {
	return resolvePlain(s).kind != String || s == "<<" || s == "=" || likeNumber(s)
}

// likeNumber reports whether some reader of YAML may take text that is a string
// for a number (to base 60, 0o17, 1__0) or a time. It may say yes to a few more.
func likeNumber(s string) bool {
	t := strings.TrimLeft(s, "+-._")
	whole := digits(t)
	if whole == 0 {
		return false
	}
	if len(t) > 2 && t[0] == '0' && strings.IndexByte("xob", t[1]) >= 0 {
		return strings.Trim(t[2:], "0123456789abcdefABCDEF_") == ""
	}
	if whole == 4 && strings.HasPrefix(t[4:], "-") { // a date
		return strings.Trim(t, "0123456789-:.+TtZz ") == ""
	}
	if strings.Count(t, ".") > 1 { // a version
		return false
	}
	mantissa := strings.TrimLeft(t, "0123456789._:")
	if mantissa != "" && (mantissa[0] == 'e' || mantissa[0] == 'E') {
		mantissa = strings.TrimLeft(mantissa[1:], "+-")
		return strings.Trim(mantissa, "0123456789_") == ""
	}
	return mantissa == ""
}

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
