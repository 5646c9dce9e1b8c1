package names

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// details returns the details of field errors, as the functions of this package do.
func details(errs field.ErrorList) []string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Detail)
	}
	return texts
}

// underscored returns what apimachinery says about a search path.
func underscored(s string) []string { return validation.IsDNS1123SubdomainWithUnderscore(s) }

// reference are the functions of apimachinery with the same results: the requirements that a name
// does not meet.
var reference = map[string]struct{ ours, theirs any }{
	"label":             {DNSLabel, validation.IsDNS1123Label},
	"RFC 1035 label":    {DNSLabel1035, validation.IsDNS1035Label},
	"subdomain":         {DNSSubdomain, validation.IsDNS1123Subdomain},
	"search path":       {SearchPath, underscored},
	"wildcard":          {WildcardSubdomain, validation.IsWildcardDNS1123Subdomain},
	"qualified name":    {QualifiedName, validation.IsQualifiedName},
	"label value":       {LabelValue, validation.IsValidLabelValue},
	"port name":         {PortName, validation.IsValidPortName},
	"variable":          {EnvironmentVariable, validation.IsRelaxedEnvVarName},
	"former variable":   {FormerEnvironmentVariable, validation.IsEnvVarName},
	"identifier":        {CIdentifier, validation.IsCIdentifier},
	"key of ConfigMaps": {ConfigMapKey, validation.IsConfigMapKey},
	"path in a domain": {DomainPrefixedPath, func(s string) []string {
		if s == "" { // required
			return []string{"must not be empty"}
		}
		return details(validation.IsDomainPrefixedPath(nil, s))
	}},
}

// checkReference compares the requirements that the functions report, with their words and their
// order.
func checkReference(t *testing.T, s string) {
	t.Helper()
	for of, f := range reference {
		got := f.ours.(func(string) string)(s)
		if want := strings.Join(f.theirs.(func(string) []string)(s), "\n"); got != want {
			t.Errorf("%s %q:\ngot  %s\nwant %s", of, s, got, want)
		}
	}
	wrong := ConditionReason(s)
	if valid := regexp.MustCompile("^" + reasonPattern + "$").MatchString(s); valid != (wrong == "") {
		t.Errorf("condition reason %q: %s", s, wrong)
	}
}

func names() []string {
	long := strings.Repeat("a", 64)
	return []string{
		"", "a", "A", "1", "-", "a-", "-a", "a-b", "a--b", "a.b", ".a", "a.", "a..b", "a_b", "_a", "a_", "_", "a/b", "/a", "a/", "a/b/c", "A/b",
		"example.com/a", "example.com/a_b.c", "EX/a", "*.example.com", "*", "*.", "*.A", ".", "..", "..a", ".a.", "a b", "é", "a\n", "a=b", "A=", "%", "a%b",
		"http", "80", "a1", "ABC", "abcdefghijklmnop", "abcdefghijklmno", long, long + "/" + long, strings.Repeat(long+".", 4) + "a",
		strings.Repeat("a.", 130) + "/a", strings.Repeat("a.", 126) + "a", "example.com/" + long, "a,b", "a:b", "a:", "example.com/a b", "example.com/~a",
	}
}

// TestReference: programs compare the messages of the API server, so the requirements are worded
// as apimachinery words them.
func TestReference(t *testing.T) {
	for _, s := range names() {
		checkReference(t, s)
	}
}

func FuzzReference(f *testing.F) {
	for _, s := range names() {
		f.Add(s)
	}
	f.Fuzz(checkReference)
}

// TestUnprintable compares the errors with recorded ones.
func TestUnprintable(t *testing.T) {
	for _, tc := range []struct {
		c    rune
		at   int
		want string
	}{
		{0, 1, "invalid character U+0000 (at position 1)"},
		{'\n', 0, "invalid character U+000A (at position 0)"},
		{'\u00a0', 2, "invalid character U+00A0 (at position 2)"},
		{'\U000e0001', 12, "invalid character U+E0001 (at position 12)"},
	} {
		if got := Unprintable(tc.c, tc.at); got != tc.want {
			t.Errorf("%U: got %q, want %q", tc.c, got, tc.want)
		}
	}
}
