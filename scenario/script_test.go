package scenario_test

import (
	"os"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/scenario"
)

// TestScriptOfBodyWithDelimiter: a line of a body does not end the here-document that the body is in.
func TestScriptOfBodyWithDelimiter(t *testing.T) {
	const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: \"one\nEOF\nEOF_\ntwo\"}\n"
	s := &scenario.Scenario{Actors: []scenario.Actor{{Name: "alice"}}, Steps: []scenario.Step{{Actor: "alice", Do: scenario.Apply, Body: body}}}
	results, err := scenario.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if script := string(scenario.Script(s, results)); !strings.Contains(script, " <<'EOF__'\n"+body+"EOF__\n") {
		t.Errorf("script:\n%s", script)
	}
}

// TestScript compares the commands of a scenario, which a person runs, with testdata/script.sh: objects in the order in which they
// can be created, with their status and managers, steps for objects with and without a namespace or a group, names that a shell
// must not read, and a step that no command has.
func TestScript(t *testing.T) {
	text, err := os.ReadFile("testdata/script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(text, "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	results, err := scenario.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/script.sh")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(scenario.Script(s, results)); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
