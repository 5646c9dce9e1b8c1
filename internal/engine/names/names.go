// Package names validates the names that Kubernetes uses: of objects, labels, ports,
// environment variables and so on (RFC 1123, RFC 1035, RFC 6335, and qualified names as
// defined by apimachinery's validation).
//
// Each function returns "" for a valid name, and otherwise the requirement, worded to
// follow the name in a message: `"A": must consist of …`.
package names

import "strings"

// The maximum lengths of names in characters.
const (
	MaxLabel     = 63
	MaxSubdomain = 253
	maxPortName  = 15
)

func isLowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// IsAlphanumeric reports whether c is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool { return isLowerOrDigit(c) || c >= 'A' && c <= 'Z' }

// DNSLabel requires at most 63 lower-case letters, digits and inner dashes (RFC 1123).
func DNSLabel(s string) string {
	if len(s) > MaxLabel {
		return "must be no more than 63 characters"
	}
	if !isDNSLabel(s) {
		return "must consist of lower case letters, digits and '-', and begin and end with a letter or digit (an RFC 1123 label)"
	}
	return ""
}

func isDNSLabel(s string) bool {
	if s == "" || !isLowerOrDigit(s[0]) || !isLowerOrDigit(s[len(s)-1]) {
		return false
	}
	for i := 1; i < len(s)-1; i++ {
		if !isLowerOrDigit(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// DNSLabel1035 requires a label that begins with a letter (RFC 1035).
func DNSLabel1035(s string) string {
	if len(s) > MaxLabel {
		return "must be no more than 63 characters"
	}
	if !isDNSLabel(s) || s[0] <= '9' {
		return "must consist of lower case letters, digits and '-', begin with a letter and end with a letter or digit (an RFC 1035 label)"
	}
	return ""
}

// DNSSubdomain requires labels separated by dots, at most 253 characters in total. (The
// length of each label is not limited.)
func DNSSubdomain(s string) string {
	if len(s) > MaxSubdomain {
		return "must be no more than 253 characters"
	}
	for rest, more := s, true; more; {
		var label string
		label, rest, more = strings.Cut(rest, ".")
		if !isDNSLabel(label) {
			return "must consist of lower case letters, digits, '-' and '.', and begin and end with a letter or digit (an RFC 1123 subdomain)"
		}
	}
	return ""
}

// WildcardSubdomain requires "*." and a DNS subdomain.
func WildcardSubdomain(s string) string {
	rest, found := strings.CutPrefix(s, "*.")
	if len(s) > MaxSubdomain {
		return "must be no more than 253 characters"
	}
	if !found || DNSSubdomain(rest) != "" {
		return "must be '*.' followed by a DNS subdomain"
	}
	return ""
}

// DomainPrefixedPath requires a DNS subdomain, a slash and the path of a URL:
// "example.com/name".
func DomainPrefixedPath(s string) string {
	domain, path, found := strings.Cut(s, "/")
	switch {
	case s == "":
		return "must not be empty"
	case !found || domain == "" || path == "":
		return "must be a domain, '/' and a path (such as 'example.com/name')"
	}
	if why := DNSSubdomain(domain); why != "" {
		return "the domain " + why
	}
	if strings.Trim(path, letters+digits+"%/:@!$&'()*+,;=~_.-") != "" {
		return "the path may contain only characters that are valid in URL paths"
	}
	return ""
}

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	letters = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// PathSegment requires a name that can be a segment of a URL path.
func PathSegment(s string) string {
	switch {
	case s == "." || s == "..":
		return "may not be '" + s + "'"
	case strings.Contains(s, "/"):
		return "may not contain '/'"
	case strings.Contains(s, "%"):
		return "may not contain '%'"
	}
	return ""
}

// PathSegmentPrefix validates the prefix of a generated name like PathSegment. Unlike a
// name, a prefix may be "." or "..".
func PathSegmentPrefix(s string) string {
	if s == "." || s == ".." {
		return ""
	}
	return PathSegment(s)
}

// QualifiedName requires a name of at most 63 letters, digits, '-', '_' and '.', optionally
// after a DNS subdomain and a slash. Several reasons, which the API server reports one by one,
// are separated by newlines.
func QualifiedName(s string) string {
	why := ""
	prefix, name, found := strings.Cut(s, "/")
	if !found {
		name = s
	} else {
		if strings.Contains(name, "/") {
			return "must be a name, with or without a DNS subdomain and '/' before it"
		}
		if prefix == "" {
			why = "the part before '/' must not be empty"
		} else if why = DNSSubdomain(prefix); why != "" {
			why = "the part before '/' " + why
		}
	}
	const wrongText = "the name must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit"
	switch {
	case name == "":
		return reasons(why, "the name must not be empty", wrongText)
	case len(name) > MaxLabel && !isNameText(name):
		return reasons(why, "the name must be no more than 63 characters", wrongText)
	case len(name) > MaxLabel:
		return reasons(why, "the name must be no more than 63 characters")
	case !isNameText(name):
		return reasons(why, wrongText)
	}
	return why
}

// reasons joins the reasons why a name is invalid.
func reasons(all ...string) string {
	if all[0] == "" {
		all = all[1:]
	}
	return strings.Join(all, "\n")
}

func isNameText(s string) bool {
	if !IsAlphanumeric(s[0]) || !IsAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !IsAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// LabelValue requires a qualified name without a prefix, or "". Several reasons are separated
// by newlines.
func LabelValue(s string) string {
	const tooLong = "must be no more than 63 characters"
	const wrongText = "must be empty or consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit"
	switch {
	case s == "":
		return ""
	case len(s) > MaxLabel && !isNameText(s):
		return reasons(tooLong, wrongText)
	case len(s) > MaxLabel:
		return tooLong
	case !isNameText(s):
		return wrongText
	}
	return ""
}

// PortName requires an IANA service name (RFC 6335, section 5.1).
func PortName(s string) string {
	const why = "must have at most 15 lower case letters, digits and single '-' between them, and a letter among them"
	if len(s) > maxPortName {
		return why
	}
	letter, last := false, byte('-')
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			letter = true
		case c == '-' && last == '-', c != '-' && (c < '0' || c > '9'):
			return why
		}
		last = s[i]
	}
	if !letter || last == '-' {
		return why
	}
	return ""
}

// EnvironmentVariable requires printable ASCII characters other than '='.
func EnvironmentVariable(s string) string {
	if s == "" {
		return "must not be empty"
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '=' {
			return "must consist of printable ASCII characters other than '='"
		}
	}
	return ""
}

// CIdentifier requires letters, digits and '_', not beginning with a digit.
func CIdentifier(s string) string {
	if s == "" || strings.Trim(s, letters+digits+"_") != "" || s[0] <= '9' {
		return "must consist of letters, digits and '_', and not begin with a digit"
	}
	return ""
}

// ConditionReason requires a letter followed by letters, digits, '_', ',' and ':', not
// ending with ',' or ':'.
func ConditionReason(s string) string {
	if s == "" || !strings.Contains(letters, s[:1]) || strings.Trim(s, letters+digits+"_,:") != "" || strings.Contains(",:", s[len(s)-1:]) {
		return "must begin with a letter, consist of letters, digits, '_', ',' and ':', and not end with ',' or ':'"
	}
	return ""
}

// ConfigMapKey requires a valid file name: letters, digits, '-', '_' and '.'.
func ConfigMapKey(s string) string {
	if s == "" || len(s) > MaxSubdomain || s == "." || strings.HasPrefix(s, "..") || strings.Trim(s, letters+digits+"-_.") != "" {
		return "must consist of letters, digits, '-', '_' and '.', not begin with '..' nor be '.', and have no more than 253 characters"
	}
	return ""
}

// MaskPrefix returns the prefix of a generated name in a form that can be validated as a
// name: without the text after a final dash, which is not known yet.
func MaskPrefix(prefix string) string {
	if len(prefix) > 1 && prefix[len(prefix)-1] == '-' {
		return prefix[:len(prefix)-2] + "a"
	}
	return prefix
}
