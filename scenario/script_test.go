package scenario_test

import (
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
