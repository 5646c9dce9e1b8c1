// Package names validates the names that Kubernetes uses: of objects, labels, ports,
// environment variables and so on (RFC 1123, RFC 1035, RFC 6335, and qualified names as
// defined by apimachinery's validation).
//
// Each function returns "" for a valid name, and otherwise the requirements that it does not
// meet, worded to follow the name in a message: `"A": must consist of …`. The API server
// reports each of them as a cause of its own, so several are separated by newlines.
package names

import "strings"

// The maximum lengths of names in characters.
const (
	MaxLabel     = 63
	MaxSubdomain = 253
	maxPortName  = 15
)

// The requirements that several functions share.
const (
	labelLength     = "must be no more than 63 characters"
	subdomainLength = "must be no more than 253 characters"
	subdomainText   = "must consist of lower case letters, digits, '-' and '.', and begin and end with a letter or digit (an RFC 1123 subdomain)"
)

// unmet joins those requirements that are not met.
func unmet(requirements ...requirement) string {
	why := ""
	for _, r := range requirements {
		if r.met {
			continue
		}
		if why != "" {
			why += "\n"
		}
		why += r.text
	}
	return why
}

type requirement struct {
	met  bool
	text string
}

func isLowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// IsAlphanumeric reports whether c is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool { return isLowerOrDigit(c) || c >= 'A' && c <= 'Z' }

// DNSLabel requires at most 63 lower-case letters, digits and inner dashes (RFC 1123).
func DNSLabel(s string) string {
	return unmet(requirement{len(s) <= MaxLabel, labelLength},
		requirement{isDNSLabel(s), "must consist of lower case letters, digits and '-', and begin and end with a letter or digit (an RFC 1123 label)"})
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
	return unmet(requirement{len(s) <= MaxLabel, labelLength},
		requirement{isDNSLabel(s) && s[0] > '9', "must consist of lower case letters, digits and '-', begin with a letter and end with a letter or digit (an RFC 1035 label)"})
}

// DNSSubdomain requires labels separated by dots, at most 253 characters in total. (The
// length of each label is not limited.)
func DNSSubdomain(s string) string {
	return unmet(requirement{len(s) <= MaxSubdomain, subdomainLength}, requirement{isDNSSubdomain(s), subdomainText})
}

func isDNSSubdomain(s string) bool {
	for rest, more := s, true; more; {
		var label string
		if label, rest, more = strings.Cut(rest, "."); !isDNSLabel(label) {
			return false
		}
	}
	return true
}

// WildcardSubdomain requires "*." and a DNS subdomain.
func WildcardSubdomain(s string) string {
	rest, found := strings.CutPrefix(s, "*.")
	return unmet(requirement{len(s) <= MaxSubdomain, subdomainLength},
		requirement{found && isDNSSubdomain(rest), "must be '*.' followed by a DNS subdomain"})
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
	return unmet(requirement{len(domain) <= MaxSubdomain, "the domain " + subdomainLength},
		requirement{isDNSSubdomain(domain), "the domain " + subdomainText},
		requirement{strings.Trim(path, letters+digits+"%/:@!$&'()*+,;=~_.-") == "", "the path may contain only characters that are valid in URL paths"})
}

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	letters = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// PathSegment requires a name that can be a segment of a URL path.
func PathSegment(s string) string {
	if s == "." || s == ".." {
		return "may not be '" + s + "'"
	}
	return unmet(requirement{!strings.Contains(s, "/"), "may not contain '/'"}, requirement{!strings.Contains(s, "%"), "may not contain '%'"})
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
// after a DNS subdomain and a slash.
func QualifiedName(s string) string {
	prefix, name, found := strings.Cut(s, "/")
	if !found {
		name = s
	} else if strings.Contains(name, "/") {
		return "must be a name, with or without a DNS subdomain and '/' before it"
	}
	return unmet(requirement{!found || prefix != "", "the part before '/' must not be empty"},
		requirement{len(prefix) <= MaxSubdomain || !found, "the part before '/' " + subdomainLength},
		requirement{!found || prefix == "" || isDNSSubdomain(prefix), "the part before '/' " + subdomainText},
		requirement{name != "", "the name must not be empty"},
		requirement{len(name) <= MaxLabel, "the name " + labelLength},
		requirement{isNameText(name), "the name must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit"})
}

func isNameText(s string) bool {
	if s == "" || !IsAlphanumeric(s[0]) || !IsAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !IsAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// LabelValue requires a qualified name without a prefix, or "".
func LabelValue(s string) string {
	return unmet(requirement{len(s) <= MaxLabel, labelLength},
		requirement{s == "" || isNameText(s), "must be empty or consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit"})
}

// PortName requires an IANA service name (RFC 6335, section 5.1).
func PortName(s string) string {
	return unmet(requirement{len(s) <= maxPortName, "must be no more than 15 characters"},
		requirement{s != "" && strings.Trim(s, lower+digits+"-") == "", "must consist of lower case letters, digits and '-'"},
		requirement{strings.ContainsAny(s, lower), "must contain a letter"},
		requirement{!strings.Contains(s, "--"), "must not contain '--'"},
		requirement{strings.Trim(s, "-") == s, "must not begin or end with '-'"})
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
	return unmet(requirement{len(s) <= MaxSubdomain, subdomainLength},
		requirement{s != "" && strings.Trim(s, letters+digits+"-_.") == "", "must consist of letters, digits, '-', '_' and '.'"},
		requirement{s != "." && !strings.HasPrefix(s, ".."), "must not be '.' or begin with '..'"})
}

// MaskPrefix returns the prefix of a generated name in a form that can be validated as a
// name: without the text after a final dash, which is not known yet.
func MaskPrefix(prefix string) string {
	if len(prefix) > 1 && prefix[len(prefix)-1] == '-' {
		return prefix[:len(prefix)-2] + "a"
	}
	return prefix
}
