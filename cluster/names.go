package cluster

import "strings"

// The syntax of names in Kubernetes (RFC 1123, and qualified names as
// apimachinery's validation has them). Each function returns "" for a good name
// and otherwise what is wanted, in words.

const (
	maxLabel     = 63
	maxSubdomain = 253
)

func isLowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

func isAlphanumeric(c byte) bool { return isLowerOrDigit(c) || c >= 'A' && c <= 'Z' }

// dnsLabel wants lower-case letters, digits and inner dashes, at most 63.
func dnsLabel(s string) string {
	if len(s) > maxLabel {
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

// dnsSubdomain wants labels joined by dots, at most 253 characters together.
func dnsSubdomain(s string) string {
	if len(s) > maxSubdomain {
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

// pathSegment wants anything that may stand between two slashes of a URL.
func pathSegment(s string) string {
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

// pathSegmentPrefix is pathSegment for the beginning of a name: dots may follow.
func pathSegmentPrefix(s string) string {
	if s == "." || s == ".." {
		return ""
	}
	return pathSegment(s)
}

// qualifiedName wants a name of at most 63 letters, digits, '-', '_' and '.',
// with or without a DNS subdomain and a slash before it.
func qualifiedName(s string) string {
	prefix, name, found := strings.Cut(s, "/")
	if !found {
		name = s
	} else {
		if strings.Contains(name, "/") {
			return "must be a name, with or without a DNS subdomain and '/' before it"
		}
		if prefix == "" {
			return "the part before '/' must not be empty"
		}
		if why := dnsSubdomain(prefix); why != "" {
			return "the part before '/' " + why
		}
	}
	if name == "" {
		return "the name must not be empty"
	}
	if len(name) > maxLabel {
		return "the name must be no more than 63 characters"
	}
	if !isNameText(name) {
		return "the name must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit"
	}
	return ""
}

func isNameText(s string) bool {
	if !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// labelValue wants the text of a qualified name without a prefix, or nothing.
func labelValue(s string) string {
	if s == "" {
		return ""
	}
	if len(s) > maxLabel {
		return "must be no more than 63 characters"
	}
	if !isNameText(s) {
		return "must be empty or consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit"
	}
	return ""
}

// masked makes a prefix that ends with a dash a name, for judging it: something
// will follow the dash.
func masked(prefix string) string {
	if len(prefix) > 1 && prefix[len(prefix)-1] == '-' {
		return prefix[:len(prefix)-2] + "a"
	}
	return prefix
}
