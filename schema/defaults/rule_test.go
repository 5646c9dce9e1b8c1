package defaults

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
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
		case "missing", "empty", "always":
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
