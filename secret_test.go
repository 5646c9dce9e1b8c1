package patchlab_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab"
)

// TestMessagesHaveNoValuesOfSecrets refuses changes of a Secret for reasons that show a value for any
// other kind, or have it in their fields.
func TestMessagesHaveNoValuesOfSecrets(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const live = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n","uid":"u"},"data":{"p":"bGl2ZS1wYXNzd29yZA=="}}`
	for _, test := range []struct {
		why, change, want string
		action            patchlab.Action
	}{
		{"a failed test shows both values", `[{"op":"test","path":"/data/p","value":"cGF0Y2hlZA=="}]`, "the object has another value", patchlab.ActionJSONPatch},
		{"a number is shown by its text", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"stringData":{"p":81734502}}`, "expected a string, got a number", patchlab.ActionApply},
		{"a long string is cut", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"data":"81734502 81734502 81734502 81734502 81734502 8"}`, "got a string", patchlab.ActionApply},
		{"a conflict has the live value and the wanted one", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"data":{"p":"cGF0Y2hlZA=="}}`, "conflict with", patchlab.ActionApply},
		{"a value that is not base64", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"data":{"p":"81734502 "}}`, "base64", patchlab.ActionUpdate},
		{"a number out of range is refused before its kind is known", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"stringData":{"p":1,"p":81734502e400}}`, "in quotes", patchlab.ActionApply},
		{"a template", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"data":{"p":"{{ 81734502 }}"}}`, "a template", patchlab.ActionUpdate},
		{"quotes and line breaks in a string", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"data":"a\" 81734502\n\\\" 81734502"}`, "got a string", patchlab.ActionApply},
		{"a string in a list", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"stringData":{"p":["81734502"]}}`, "list", patchlab.ActionCreate},
		{"a string in an object", `{"stringData":{"p":{"k":"81734502"}}}`, "object", patchlab.ActionStrategicPatch},
		{"a test of all data", `[{"op":"test","path":"/data","value":{"p":"cGF0Y2hlZA=="}}]`, "the object has another value", patchlab.ActionJSONPatch},
		{"a value that is not the JSON that the type requires", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"},"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"{81734502"}}`, ".dockerconfigjson", patchlab.ActionUpdate},
		{"a merge patch is decoded as a whole", `{"stringData":{"p":81734502.5}}`, "a number", patchlab.ActionMergePatch},
	} {
		for _, err := range lab.Run(patchlab.Bytes([]byte(live)), patchlab.Bytes([]byte(test.change)), patchlab.Change{Action: test.action}) {
			if err == nil {
				t.Errorf("%s: no error", test.why)
				continue
			}
			messages := err.Error()
			var refused *patchlab.Error
			if errors.As(err, &refused) {
				for _, f := range refused.Fields {
					messages += "\n" + f.Message + "\n" + f.Hint
				}
				for _, note := range refused.Notes {
					messages += "\n" + note.String()
				}
			}
			for _, value := range []string{"bGl2ZS1wYXNzd29yZA", "cGF0Y2hlZA", "81734502"} {
				if strings.Contains(messages, value) {
					t.Errorf("%s: a message has %s: %s", test.why, value, messages)
				}
			}
			if !strings.Contains(messages, test.want) {
				t.Errorf("%s: %s, want %q", test.why, messages, test.want)
			}
		}
	}
}
