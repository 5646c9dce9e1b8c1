package patch_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchlab-dev/patchlab/patch"
)

// suite reads an external test suite and skips the test if it is not available. The tables
// of this package cover the same rules.
func suite(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "shared", "suites", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s is not there; the project's own tables are run all the same", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// serverAnswers lists the cases of the JSON Patch suite, by index, for which kube-apiserver
// has another result: the result, "" for a refusal, and the reason.
var serverAnswers = map[string]map[int]struct{ answer, why string }{
	"json-patch-tests.json": {
		11: {"", "the whole cannot be added, only replaced"},
		12: {"", "the whole cannot be added, only replaced"},
		19: {`{"bar":[1,2,"5"]}`, "a negative index counts from the end"},
		63: {"", "the whole cannot be added, only replaced"},
		77: {`[1,null]`, "a missing value is null"},
		78: {`[null]`, "a missing value is null"},
		79: {`[null]`, "a missing value is null"},
		82: {`{"foo":null}`, "copy of a missing member copies null"},
		87: {`["foo","bar"]`, "an index may have leading zeros"},
		88: {`["foo","bar"]`, "an index may have leading zeros"},
	},
}

func TestJSONPatchSuite(t *testing.T) {
	for _, name := range []string{"json-patch-tests.json", "json-patch-spec-tests.json"} {
		t.Run(name, func(t *testing.T) {
			var cases []struct {
				Comment, Error       string
				Doc, Patch, Expected json.RawMessage
				Disabled             bool
			}
			suite(t, name, &cases)
			run := 0
			for i, c := range cases {
				if c.Disabled || c.Doc == nil || c.Patch == nil {
					continue
				}
				run++
				got, err := byJSON(parse(t, string(c.Doc)), parse(t, string(c.Patch)))
				answer := ""
				if err == nil {
					answer = got.String()
				}
				want := ""
				if c.Error == "" {
					want = string(c.Doc)
					if c.Expected != nil {
						want = string(c.Expected)
					}
					want = parse(t, want).String()
				}
				if other, ok := serverAnswers[name][i]; ok {
					if answer == want {
						t.Errorf("case %d is listed as one that kube-apiserver answers otherwise: %s", i, other.why)
					}
					want = other.answer
				}
				if answer != want {
					t.Errorf("case %d %q: %s on %s gives %q, %v; wanted %q %s", i, c.Comment, c.Patch, c.Doc, answer, err, want, c.Error)
				}
			}
			t.Logf("%d cases", run)
		})
	}
}

func TestMergePatchTable(t *testing.T) {
	var cases []struct{ Original, Patch, Result json.RawMessage }
	suite(t, "rfc7386-appendix-a.json", &cases)
	for i, c := range cases {
		got, err := byMerge(parse(t, string(c.Original)), parse(t, string(c.Patch)))
		if parse(t, string(c.Patch)).Kind().String() != "object" {
			if !errors.Is(err, patch.ErrMalformed) {
				t.Errorf("case %d: kube-apiserver refuses %s, got %s", i, c.Patch, got)
			}
			continue
		}
		want := parse(t, string(c.Result)).String()
		if err != nil || got.String() != want {
			t.Errorf("case %d: %s on %s gives %s, %v; wanted %s", i, c.Patch, c.Original, got, err, want)
		}
	}
}
