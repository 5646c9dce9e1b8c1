package explain_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/explain"
)

var update = flag.Bool("update", false, "rewrite what the tests compare with")

// TestRulesPageIsCurrent compares the table in doc/rules.md with the rules.
func TestRulesPageIsCurrent(t *testing.T) {
	const name, heading = "../doc/rules.md", "## The rules\n"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	above, table, ok := strings.Cut(string(page), heading)
	if !ok {
		t.Fatalf("%s has no %q", name, heading)
	}
	var b strings.Builder
	b.WriteString("\n| rule | what happens | what one might have expected instead |\n|---|---|---|\n")
	seen := map[explain.Rule]bool{}
	for _, r := range explain.Rules() {
		if seen[r.Name] {
			t.Errorf("rule %q is there twice", r.Name)
		}
		seen[r.Name] = true
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, r.What, r.Expected)
	}
	if *update {
		if err := os.WriteFile(name, []byte(above+heading+b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != b.String() {
		t.Errorf("%s does not list the rules as they are; go test ./explain -run TestRulesPageIsCurrent -update", name)
	}
}
