package defaults

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/schema"
)

func TestParseRules(t *testing.T) {
	rules, err := List()
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, file := range files() {
		size += len(file.text)
	}
	if len(rules) < 150 || size > 50<<10 {
		t.Errorf("%d rules in %d bytes; wanted are at least 150 in at most 50 KiB", len(rules), size)
	}
	for _, r := range rules {
		again, err := parseRule(r.String())
		if err != nil || again.String() != r.String() {
			t.Errorf("%s:%d: %s is read again as %v, %v", r.File, r.Line, r, again, err)
		}
		switch r.When {
		case "missing", "empty", "always", "new":
		default:
			t.Errorf("%s:%d: when %q", r.File, r.Line, r.When)
		}
	}
}

func TestEveryRuleFileIsParsed(t *testing.T) {
	names, err := filepath.Glob("rules/*.rules")
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	for _, file := range files() {
		read = append(read, "rules/"+file.name)
		if on, err := os.ReadFile("rules/" + file.name); err != nil || string(on) != file.text {
			t.Errorf("%s does not have the text of its file: %v", file.name, err)
		}
	}
	if !slices.Equal(names, read) {
		t.Errorf("parsed %v, want all of %v", read, names)
	}
}

func TestInvalidRulesAreRefused(t *testing.T) {
	for _, c := range []struct{ rule, reason string }{
		{"a", "a rule needs ="},
		{"a = ", "the value is missing"},
		{"a = b", "the value is not JSON"},
		{"a = call nobody", "the function is unknown"},
		{"a. = 1", "a name is missing"},
		{`a["b = 1`, "the key is not closed"},
		{"a = copy b[].c", "the path leads to several values"},
		{"a = 1 if b", "the condition has no test"},
		{"a = 1 if b is c", "the operand is not JSON"},
		{"a = 1 if b seems 1", "the test is unknown"},
		{"a = 1 since 1.x", "the version is invalid"},
	} {
		if r, err := parseRule(c.rule); err == nil {
			t.Errorf("%q was parsed as %s although %s", c.rule, r, c.reason)
		}
	}
	if _, err := parseRules("x.rules", "    a = 1\n"); err == nil {
		t.Error("a rule without a type was accepted")
	}
}

// A rule for a type or field that no version of Kubernetes has would be passed over.
func TestRulesNameExistingFields(t *testing.T) {
	rules, err := List()
	if err != nil {
		t.Fatal(err)
	}
	if missing := unknownNames(t, rules); len(missing) > 0 {
		t.Errorf("no version has what these rules name: %s", strings.Join(missing, "; "))
	}
	misspelt, err := parseRules("x.rules", `api.core.v1 Pot
    spec.nodeName = ""
api.core.v1 PodSpec
    schedulerNaem = "x"
    schedulerName = copy hostnam
    schedulerName = "x" if hostnam missing
    containers[].image = copy .imag
    schedulerName = "x" until 1.2
`)
	if err != nil {
		t.Fatal(err)
	}
	if missing := unknownNames(t, misspelt); len(missing) != len(misspelt) {
		t.Errorf("found %s, want each of %v", strings.Join(missing, "; "), misspelt)
	}
}

// unknownNames returns the rules of which no version that they are for has all fields.
func unknownNames(t *testing.T, rules []*Rule) []string {
	known := map[*Rule]bool{}
	for _, version := range schema.Versions() {
		catalog, err := schema.Builtin(version)
		if err != nil {
			t.Fatal(err)
		}
		minor, err := strconv.Atoi(strings.TrimPrefix(version, "1."))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			of, ok := catalog.Named(r.Type)
			if ok && minor >= r.Since && (r.Until == 0 || minor <= r.Until) && hasFields(of, r) {
				known[r] = true
			}
		}
	}
	var missing []string
	for _, r := range rules {
		if !known[r] {
			missing = append(missing, where(r)+" "+r.Type+" "+r.String())
		}
	}
	return missing
}

// hasFields reports whether a type has all fields that a rule names.
func hasFields(of *schema.Type, r *Rule) bool {
	to, near := of, of
	for _, s := range r.field {
		if to = to.Map.Member(s.name); to == nil {
			return false
		}
		if s.each && to.List != nil {
			to, near = to.List.Elem, to.List.Elem
		} else if s.each {
			to, near = to.Map.Elem, to.Map.Elem
		}
	}
	sources := []source{r.value.arg}
	if r.value.copy != nil {
		sources = append(sources, *r.value.copy)
	}
	for _, c := range r.conditions {
		sources = append(sources, c.of)
	}
	return !slices.ContainsFunc(sources, func(s source) bool {
		at := of
		if s.near {
			at = near
		}
		for _, key := range s.keys {
			if at = at.Map.Member(key); at == nil {
				return true
			}
		}
		return false
	})
}
