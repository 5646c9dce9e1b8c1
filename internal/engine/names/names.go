// Package names validates the names that Kubernetes uses: of objects, labels, ports,
// environment variables and so on (RFC 1123, RFC 1035, RFC 6335, and qualified names as
// defined by apimachinery's validation).
//
// Each function returns "" for a valid name, and otherwise the requirements that it does not
// meet, worded to follow the name in a message: `"A": must consist of …`. The API server
// reports each of them as a cause of its own, so several are separated by newlines. The words
// are those of the API server, since tests and scripts compare them.
package names

import (
	"strconv"
	"strings"
)

// The maximum lengths of names in characters.
const (
	MaxLabel     = 63
	MaxSubdomain = 253
	maxPortName  = 15
)

// Regular expressions that messages show. Names are matched by functions of this package, which
// are faster.
const (
	labelPattern      = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	label1035Pattern  = `[a-z]([-a-z0-9]*[a-z0-9])?`
	subdomainPattern  = labelPattern + `(\.` + labelPattern + `)*`
	searchPattern     = `_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?`
	wildcardPattern   = `\*\.` + subdomainPattern
	namePattern       = `([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]`
	valuePattern      = `(` + namePattern + `)?`
	fileNamePattern   = `[-._a-zA-Z0-9]+`
	identifierPattern = `[A-Za-z_][A-Za-z0-9_]*`
	urlPathPattern    = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
	reasonPattern     = `[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?`
)

// The requirements that several functions share.
const (
	lengthOfLabel     = "must be no more than 63 characters"
	lengthOfSubdomain = "must be no more than 253 characters"
	bytesOfLabel      = "must be no more than 63 bytes"
	bytesOfSubdomain  = "must be no more than 253 bytes"
	notEmpty          = "must be non-empty"
	ends              = ", and must start and end with an alphanumeric character"
	pattern           = "regex used for validation is '"
	rfcSubdomain      = " RFC 1123 subdomain must consist of "
	dashOrDot         = "alphanumeric characters, '-' or '.'" + ends + " (e.g. '"
	exampleSubdomain  = "xample.com', " + pattern + subdomainPattern + "')"
	textOfSubdomain   = "a lowercase" + rfcSubdomain + "lower case " + dashOrDot + "e" + exampleSubdomain
	textOfName        = "must consist of alphanumeric characters, '-', '_' or '.'" + ends +
		" (e.g. 'MyName',  or 'my.name',  or '123-abc', " + pattern + namePattern + "')"
)

// also adds a requirement to the unmet ones in why, unless it is met.
func also(why string, met bool, text string) string {
	switch {
	case met:
		return why
	case why == "":
		return text
	}
	return why + "\n" + text
}

func isLowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// IsAlphanumeric reports whether c is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool { return isLowerOrDigit(c) || c >= 'A' && c <= 'Z' }

// DNSLabel requires at most 63 lower-case letters, digits and inner dashes (RFC 1123).
func DNSLabel(s string) string {
	why := also("", len(s) <= MaxLabel, lengthOfLabel)
	if isDNSSubdomain(s) {
		return also(why, !strings.Contains(s, "."), "must not contain dots")
	}
	return also(why, false, "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'"+ends+
		" (e.g. 'my-name',  or '123-abc', "+pattern+labelPattern+"')")
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
	why := also("", len(s) <= MaxLabel, lengthOfLabel)
	return also(why, isDNSLabel(s) && s[0] > '9', "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "+
		"start with an alphabetic character, and end with an alphanumeric character"+
		" (e.g. 'my-name',  or 'abc-123', "+pattern+label1035Pattern+"')")
}

// DNSSubdomain requires labels separated by dots, at most 253 characters in total. (The
// length of each label is not limited.)
func DNSSubdomain(s string) string {
	why := also("", len(s) <= MaxSubdomain, lengthOfSubdomain)
	return also(why, isDNSSubdomain(s), textOfSubdomain)
}

// CaselessSubdomain is DNSSubdomain that permits upper case.
func CaselessSubdomain(s string) string {
	why := also("", len(s) <= MaxSubdomain, bytesOfSubdomain)
	return also(why, isDNSSubdomain(strings.ToLower(s)), "an"+rfcSubdomain+dashOrDot+"E"+exampleSubdomain)
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

// SearchPath requires a DNS subdomain whose labels may contain underscores and begin with one.
func SearchPath(s string) string {
	why := also("", len(s) <= MaxSubdomain, lengthOfSubdomain)
	return also(why, isSearchPath(s), "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.'"+ends+
		" (e.g. 'example.com', "+pattern+searchPattern+`(\.`+searchPattern+")*')")
}

func isSearchPath(s string) bool {
	for rest, more := s, true; more; {
		var label string
		label, rest, more = strings.Cut(rest, ".")
		label = strings.TrimPrefix(label, "_")
		if label == "" || label[0] == '_' || label[len(label)-1] == '_' || !isDNSLabel(strings.ReplaceAll(label, "_", "a")) {
			return false
		}
	}
	return true
}

// WildcardSubdomain requires "*." and a DNS subdomain.
func WildcardSubdomain(s string) string {
	rest, found := strings.CutPrefix(s, "*.")
	why := also("", len(s) <= MaxSubdomain, lengthOfSubdomain)
	return also(why, found && isDNSSubdomain(rest), "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "+
		"which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"+
		" (e.g. '*.example.com', "+pattern+wildcardPattern+"')")
}

// InvalidPath begins the requirement of [DomainPrefixedPath] for the path.
const InvalidPath = "Invalid path"

// DomainPrefixedPath requires a DNS subdomain, a slash and the path of a URL:
// "example.com/name".
func DomainPrefixedPath(s string) string {
	domain, path, found := strings.Cut(s, "/")
	switch {
	case s == "":
		return "must not be empty"
	case !found || domain == "" || path == "":
		return `must be a domain-prefixed path (such as "acme.io/foo")`
	}
	why := also("", len(domain) <= MaxSubdomain, lengthOfSubdomain)
	why = also(why, isDNSSubdomain(domain), textOfSubdomain)
	return also(why, strings.Trim(path, letters+digits+"%/:!$&'()*+,;=~_.-") == "", InvalidPath+" ("+pattern+urlPathPattern+"')")
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
	why := also("", !strings.Contains(s, "/"), "may not contain '/'")
	return also(why, !strings.Contains(s, "%"), "may not contain '%'")
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
		return "a valid label key " + textOfName + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
	}
	why := also("", !found || prefix != "", "prefix part "+notEmpty)
	why = also(why, len(prefix) <= MaxSubdomain || !found, "prefix part "+bytesOfSubdomain)
	why = also(why, !found || prefix == "" || isDNSSubdomain(prefix), "prefix part "+textOfSubdomain)
	why = also(why, name != "", "name part "+notEmpty)
	why = also(why, len(name) <= MaxLabel, "name part "+bytesOfLabel)
	return also(why, isNameText(name), "name part "+textOfName)
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
	why := also("", len(s) <= MaxLabel, bytesOfLabel)
	return also(why, s == "" || isNameText(s), "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'"+ends+
		" (e.g. 'MyValue',  or 'my_value',  or '12345', "+pattern+valuePattern+"')")
}

// PortName requires an IANA service name (RFC 6335, section 5.1).
func PortName(s string) string {
	why := also("", len(s) <= maxPortName, "must be no more than 15 characters")
	why = also(why, s != "" && strings.Trim(s, lower+digits+"-") == "", "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
	why = also(why, strings.ContainsAny(s, lower), "must contain at least one letter (a-z)")
	why = also(why, !strings.Contains(s, "--"), "must not contain consecutive hyphens")
	return also(why, strings.Trim(s, "-") == s, "must not begin or end with a hyphen")
}

// EnvironmentVariable requires printable ASCII characters other than '='.
func EnvironmentVariable(s string) string {
	if s == "" {
		return "environment variable name " + notEmpty
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '=' {
			return "a valid environment variable name must consist only of printable ASCII characters other than '='"
		}
	}
	return ""
}

// CIdentifier requires letters, digits and '_', not beginning with a digit.
func CIdentifier(s string) string {
	if s == "" || strings.Trim(s, letters+digits+"_") != "" || s[0] <= '9' {
		return "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'" +
			" (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', " + pattern + identifierPattern + "')"
	}
	return ""
}

// ConditionReason requires a letter followed by letters, digits, '_', ',' and ':', not
// ending with ',' or ':'.
func ConditionReason(s string) string {
	if s == "" || !strings.Contains(letters, s[:1]) || strings.Trim(s, letters+digits+"_,:") != "" || strings.Contains(",:", s[len(s)-1:]) {
		return "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', " +
			"and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', " +
			pattern + reasonPattern + "')"
	}
	return ""
}

// ConfigMapKey requires a valid file name: letters, digits, '-', '_' and '.'.
func ConfigMapKey(s string) string {
	why := also("", len(s) <= MaxSubdomain, lengthOfSubdomain)
	why = also(why, s != "" && strings.Trim(s, letters+digits+"-_.") == "", "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"+
		" (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', "+pattern+fileNamePattern+"')")
	return notFolder(why, s)
}

// FormerEnvironmentVariable requires letters, digits, '-', '_' and '.', not beginning with a digit,
// as Kubernetes does until 1.31.
func FormerEnvironmentVariable(s string) string {
	isName := s != "" && strings.Trim(s, letters+digits+"-_.") == "" && !strings.Contains(digits, s[:1])
	return notFolder(also("", isName, "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit"+
		" (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', "+pattern+"[-._a-zA-Z][-._a-zA-Z0-9]*')"), s)
}

// notFolder adds the requirement that a name does not refer to a folder above.
func notFolder(why, s string) string {
	if s == "." || s == ".." {
		return also(why, false, "must not be '"+s+"'")
	}
	return also(why, !strings.HasPrefix(s, ".."), "must not start with '..'")
}

// MaskPrefix returns the prefix of a generated name in a form that can be validated as a
// name: without the text after a final dash, which is not known yet.
func MaskPrefix(prefix string) string {
	if len(prefix) > 1 && prefix[len(prefix)-1] == '-' {
		return prefix[:len(prefix)-2] + "a"
	}
	return prefix
}

// Unprintable returns the message for an unprintable character in the name of a field manager, at an offset in bytes.
func Unprintable(c rune, at int) string {
	code := strings.ToUpper(strconv.FormatInt(int64(c), 16))
	return "invalid character U+" + strings.Repeat("0", max(0, 4-len(code))) + code + " (at position " + strconv.Itoa(at) + ")"
}
