package playground

import (
	"go/format"
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"
)

// commandsOf returns a patch for each way to set a ConfigMap's colour, by name.
func commandsOf(t *testing.T, actor, value string) map[string]Patch {
	t.Helper()
	s := Scenario{Steps: []Step{colours("alice", "apply", "  colour: blue\n")}}
	e := New()
	var out PatchesOutput
	must(t, e, "patches", PatchesInput{Scenario: s, At: 1, Actor: actor, Edited: edited(t, e, s, "colour: blue", "colour: "+value)}, &out)
	all := map[string]Patch{}
	for _, p := range out.Patches {
		all[p.Do] = p
	}
	return all
}

func TestPatchCommands(t *testing.T) {
	all := commandsOf(t, "alice", "red")
	for do, want := range map[string][]string{
		"json-patch": {"kubectl patch --type=json --field-manager=alice --namespace=default configmaps/settings --patch-file=/dev/stdin <<'EOF'\n- op: replace",
			"curl -X PATCH 'http://127.0.0.1:8001/api/v1/namespaces/default/configmaps/settings?fieldManager=alice' \\\n  -H 'Content-Type: application/json-patch+json' \\\n  --data-binary '[{\"op\":\"replace\"",
			`schema.GroupVersionResource{Group: "", Version: "v1", Resource: "configmaps"}`},
		"merge-patch":     {"--type=merge", "application/merge-patch+json' \\\n  --data-binary '{\"data\":{\"colour\":\"red\"}}'", "types.MergePatchType"},
		"strategic-patch": {"--type=strategic", "application/strategic-merge-patch+json", "types.StrategicMergePatchType"},
		"apply":           {"kubectl apply --server-side --field-manager=alice --namespace=default -f -", "application/apply-patch+yaml' \\\n  --data-binary 'apiVersion: v1\n", "types.ApplyPatchType"},
	} {
		p := all[do]
		for i, text := range []string{p.Kubectl, p.Curl, p.Go} {
			if !strings.Contains(text, want[i]) {
				t.Errorf("%s has no %q:\n%s", do, want[i], text)
			}
		}
	}
}

// TestCommandsQuoteValues checks that the quoting in exported shell commands and Go code
// preserves every value.
func TestCommandsQuoteValues(t *testing.T) {
	for _, value := range []string{`"it's $HOME"`, "'back`tick'", `"quote\" \\ $(id) ; end"`} {
		for do, p := range commandsOf(t, `al'ice $(id)`, value) {
			if do == "apply" && p.OK {
				t.Errorf("%s of another manager does not conflict", value)
			}
			fset := token.NewFileSet()
			if _, err := parser.ParseFile(fset, "x.go", p.Go, 0); err != nil {
				t.Errorf("%s: %v\n%s", do, err, p.Go)
			} else if formatted, err := format.Source([]byte(p.Go)); err != nil || string(formatted) != p.Go {
				t.Errorf("%s: not as gofmt has it: %v\n%s", do, err, p.Go)
			}
			for _, text := range []string{p.Kubectl, p.Curl} {
				// The shell only reads the command, and prints its last word.
				script := "kubectl() { :; }\ncurl() { for last; do :; done; printf %s \"$last\"; }\n" + text
				out, err := exec.Command("sh", "-euc", script).Output()
				if err != nil {
					t.Errorf("%s: %v\n%s", do, err, text)
				}
				if text == p.Curl && do == "merge-patch" && !strings.HasPrefix(string(out), `{"data":{"colour":`) {
					t.Errorf("%s: the shell reads %q of\n%s", do, out, text)
				}
			}
		}
	}
}

// The Go test made from a scenario is valid Go, and sends the requests of its steps.
func TestScenarioAsGoTest(t *testing.T) {
	s := Scenario{Title: "Two managers", Actors: []Actor{{Name: "alice"}}, Steps: []Step{colours("alice", "apply", "  colour: blue\n")}}
	var out TextOutput
	must(t, New(), "goTest", ScenarioInput{Scenario: s}, &out)
	if _, err := parser.ParseFile(token.NewFileSet(), "x_test.go", out.Text, 0); err != nil || !strings.Contains(out.Text, "func Test") || !strings.Contains(out.Text, "colour") {
		t.Errorf("%v\n%s", err, out.Text)
	}
}
