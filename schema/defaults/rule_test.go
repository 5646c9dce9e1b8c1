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
			t.Errorf("%s is not the file of that name: %v", file.name, err)
		}
	}
	if !slices.Equal(names, read) {
		t.Errorf("read are %v, there are %v", read, names)
	}
}

func TestInvalidRulesAreRefused(t *testing.T) {
	for _, c := range []struct{ rule, reason string }{
		{"a", "there is no ="},
		{"a = ", "there is no value"},
		{"a = b", "b is no JSON"},
		{"a = call nobody", "there is no such function"},
		{"a. = 1", "a name is missing"},
		{`a["b = 1`, "the key is not closed"},
		{"a = copy b[].c", "more than one value"},
		{"a = 1 if b", "the condition says nothing"},
		{"a = 1 if b is c", "c is no JSON"},
		{"a = 1 if b seems 1", "no such test"},
		{"a = 1 since 1.x", "no version"},
	} {
		if r, err := parseRule(c.rule); err == nil {
			t.Errorf("%q is read as %s; but %s", c.rule, r, c.reason)
		}
	}
	if _, err := parseRules("x.rules", "    a = 1\n"); err == nil {
		t.Error("a rule without a type is read")
	}
}
