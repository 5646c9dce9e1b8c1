// Package sarif checks that the output of 'patchlab lint -o sarif' is valid.
package sarif

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaModule is a module with the SARIF 2.1.0 schema, as published by OASIS, in its
// test data. It is downloaded but not linked.
const schemaModule = "github.com/securego/gosec/v2@v2.30.0"

// sarifSchema returns the compiled SARIF schema.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", schemaModule).Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", schemaModule, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(module.Dir, "report", "sarif", "testdata", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// log has the fields of a SARIF log that GitHub uses.
type log struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
				}
			}
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine int }
				}
			}
			PartialFingerprints map[string]string
		}
	}
}

// TestSARIF checks findings of all severities, and a log without findings, against the
// SARIF schema and against the additional requirements of GitHub code scanning.
func TestSARIF(t *testing.T) {
	schema := sarifSchema(t)
	bin := filepath.Join(t.TempDir(), "patchlab")
	build := exec.Command("go", "build", "-o", bin, "./cmd/patchlab")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	files := map[string]string{
		"bad one.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports: [{port: 80, protocol: TCP}, {port: 80}]\n  selector: {}\n  type: null\n",
		"good.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{"bad one.yaml": 5, "good.yaml": 0} {
		lint := exec.Command(bin, "lint", name, "-o", "sarif")
		lint.Dir = dir
		out, err := lint.Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var l log
		if err := json.Unmarshal(out, &l); err != nil {
			t.Fatal(err)
		}
		forGitHub(t, name, l, want)
	}
}

func forGitHub(t *testing.T, name string, l log, want int) {
	t.Helper()
	if len(l.Runs) != 1 || len(l.Runs[0].Results) != want || l.Runs[0].Results == nil {
		t.Fatalf("%s: %d runs, want one with %d results", name, len(l.Runs), want)
	}
	rules := l.Runs[0].Tool.Driver.Rules
	for _, r := range rules {
		if r.ID == "" || r.ShortDescription.Text == "" || len(r.ShortDescription.Text) > 1024 || r.FullDescription.Text == "" || len(r.FullDescription.Text) > 1024 || r.Help.Text == "" {
			t.Errorf("rule %+v lacks a text, or has one that is too long", r)
		}
	}
	seen := map[string]bool{}
	for _, r := range l.Runs[0].Results {
		if r.RuleIndex < 0 || rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		at := r.Locations[0].PhysicalLocation
		u, err := url.Parse(at.ArtifactLocation.URI)
		if err != nil || u.IsAbs() || strings.HasPrefix(u.Path, "/") || u.Path != name || at.Region.StartLine < 1 {
			t.Errorf("%s: a result is at %+v", name, at)
		}
		for _, f := range r.PartialFingerprints {
			if seen[f] {
				t.Errorf("%s: two results have the fingerprint %s", name, f)
			}
			seen[f] = true
		}
	}
}
