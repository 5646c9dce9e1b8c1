package explain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/explain"
)

// TestReasonsOfOtherSpellings checks what is said of a request with another spelling of the current
// value, which changes nothing or conflicts.
func TestReasonsOfOtherSpellings(t *testing.T) {
	const quota = `{apiVersion: v1, kind: ResourceQuota, metadata: {name: a}, spec: {hard: {cpu: VALUE}}}`
	const settings = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {cpu: VALUE}}`
	const (
		unchanged = "The API server stores the canonical form"
		unowned   = "does not become an owner"
	)
	for _, c := range []struct {
		why, object, by string
		action          patchlab.Action
		value           string
		text, no, hint  string
	}{
		{"the owner applies the same quantity", quota, "alice", patchlab.ActionApply, `"1000m"`, unchanged, unowned, ""},
		{"a merge patch with the same quantity", quota, "bob", patchlab.ActionMergePatch, `"1000m"`, unowned, "", ""},
		{"another manager applies the same quantity", quota, "bob", patchlab.ActionApply, `"1000m"`, "another value", "", `write "1" to share the field`},
		{"another manager applies the same number", quota, "bob", patchlab.ActionApply, `1`, "another value", "", `write "1" to share the field`},
		{"another manager applies another quantity", quota, "bob", patchlab.ActionApply, `"2"`, "another value", "", ""},
		{"another manager applies no quantity", quota, "bob", patchlab.ActionApply, `"x"`, "another value", "", ""},
		{"another manager applies a text that looks like the same quantity", settings, "bob", patchlab.ActionApply, `"1000m"`, "another value", "", ""},
	} {
		lab, err := patchlab.New(patchlab.Options{})
		if err != nil {
			t.Fatal(err)
		}
		body := func(value string) patchlab.Input {
			return patchlab.Bytes([]byte(strings.ReplaceAll(c.object, "VALUE", value)))
		}
		live, err := lab.Apply(nil, body(`"1"`), patchlab.ApplyOptions{FieldManager: "alice"})
		if err != nil {
			t.Fatal(err)
		}
		for result, err := range lab.Run(live.After, body(c.value), patchlab.Change{Action: c.action, FieldManager: c.by, Explain: true}) {
			var refused *patchlab.Error
			var reasons []explain.Reason
			if errors.As(err, &refused) {
				reasons = refused.Reasons()
			} else if err == nil {
				reasons = result.Reasons()
			}
			found := false
			for _, r := range reasons {
				if !strings.HasSuffix(r.Path.String(), ".cpu") {
					continue
				}
				found = true
				if !strings.Contains(r.Text, c.text) || c.no != "" && strings.Contains(r.Text, c.no) || !strings.HasSuffix(r.Hint, c.hint) || (r.Hint == "") != (c.hint == "") {
					t.Errorf("%s: %s, hint %q", c.why, r.Text, r.Hint)
				}
			}
			if !found {
				t.Errorf("%s: no reason (%v)", c.why, err)
			}
		}
	}
}
