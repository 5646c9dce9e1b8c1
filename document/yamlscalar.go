package document

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlScalar is the kind and text of a scalar; the text of anything but a string is JSON.
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
			return s, c.fail(n, "infinities and NaN are not valid in an object", ErrSyntax)
		}
		return s, nil
	}
	tag := n.ShortTag()
	switch tag {
	case "!!binary":
		b, err := base64.StdEncoding.DecodeString(n.Value)
		if err != nil {
			return str, c.fail(n, "the value of !!binary must be base64", ErrSyntax)
		}
		return yamlScalar{kind: String, text: string(b)}, nil
	case "!!null", "!!bool", "!!int", "!!float":
		s := resolvePlain(n.Value)
		want := map[string]Kind{"!!null": Null, "!!bool": Bool, "!!int": Number, "!!float": Number}[tag]
		if s.kind != want || tag == "!!int" && s.float {
			return s, c.fail(n, "the value is not a valid "+tag, ErrSyntax)
		}
		return s, nil
	}
	return str, nil
}

// resolvePlain resolves a plain scalar by the rules of YAML 1.1 as the API server applies
// them. Absent means infinity or NaN.
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
	if binary, ok := strings.CutPrefix(plain, "0b"); ok {
		if i, err := strconv.ParseInt(binary, 2, 64); err == nil { // 0b-1 is -1
			return yamlScalar{kind: Number, text: strconv.FormatInt(i, 10)}
		}
	}
	if decimal(plain) {
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

// decimal reports whether s is a YAML 1.1 float: digits with a decimal point, and an
// exponent.
func decimal(s string) bool {
	s = strings.TrimLeft(strings.TrimLeft(s, "+"), "-")
	whole := digits(s)
	rest := s[whole:]
	fraction := 0
	if strings.HasPrefix(rest, ".") {
		fraction = digits(rest[1:])
		rest = rest[1+fraction:]
	}
	if whole == 0 && fraction == 0 {
		return false
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest[1:], "+"), "-")
		n := digits(rest)
		return n > 0 && n == len(rest)
	}
	return rest == ""
}

// digits returns the number of digits at the start of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
