package server

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestWordsAboutPatchedObjects checks the end of messages about the result of a patch, as kube-apiserver 1.36.3 sent them.
// They begin with the whole object, whose members are in another order here, so that the recordings leave them out.
func TestWordsAboutPatchedObjects(t *testing.T) {
	s := local(t, Options{})
	ask(s, "POST", "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"a"},"data":{"k":"v"}}`, "Content-Type", "application/json")
	const parse = "couldn't get version/kind; json parse error: "
	for _, c := range []struct{ reason, patch, want string }{
		{"a kind that is not registered", `{"kind":"X"}`, `no kind "X" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`},
		{"kinds are compared by case", `{"kind":"configmap"}`, `no kind "configmap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`},
		{"a version that does not exist", `{"apiVersion":"v2"}`, `no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"`},
		{"a group without the kind", `{"apiVersion":"apps/v1"}`, `no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:111"`},
		{"a group that does not exist", `{"apiVersion":"foo/v1"}`, `no kind "ConfigMap" is registered for version "foo/v1" in scheme "pkg/runtime/scheme.go:111"`},
		{"a version that cannot be split", `{"apiVersion":"a/b/c","kind":"X"}`, "unexpected GroupVersion string: a/b/c"},
		{"a kind without a conversion", `{"apiVersion":"apps/v1","kind":"Deployment"}`, "converting (v1.Deployment) to (core.ConfigMap): unknown conversion"},
		{"a list of the kind", `{"kind":"ConfigMapList"}`, "converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion"},
		{"a kind that is no string", `{"kind":1}`, parse + "json: cannot unmarshal number into Go struct field .kind of type string"},
		{"a kind that is no string, in an object that quotes the message about it", `{"kind":1,"data":{"k":"the patched object has a number as its kind, expected a string"}}`,
			parse + "json: cannot unmarshal number into Go struct field .kind of type string"},
		{"a version that is no string", `{"apiVersion":[]}`, parse + "json: cannot unmarshal array into Go struct field .apiVersion of type string"},
	} {
		got := ask(s, "PATCH", "/api/v1/namespaces/default/configmaps/a", c.patch, "Content-Type", "application/merge-patch+json")
		var status struct {
			Message string
			Details struct{ Causes []struct{ Message string } }
		}
		if err := json.Unmarshal(got.Body.Bytes(), &status); err != nil || got.Code != 422 || len(status.Details.Causes) != 1 {
			t.Errorf("%s: %d %s", c.reason, got.Code, got.Body)
			continue
		}
		for _, message := range []string{status.Message, status.Details.Causes[0].Message} {
			if !strings.HasSuffix(message, `": `+c.want) {
				t.Errorf("%s: %s\nwant it to end in %s", c.reason, message, c.want)
			}
		}
	}
}

// A body that is too large to be decoded twice, and could take much memory, has the engine's own message.
func TestLargeBodyIsNotDecodedAgain(t *testing.T) {
	s := local(t, Options{})
	ask(s, "POST", "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"a"}}`, "Content-Type", "application/json")
	for _, c := range []struct{ reason, patch, want string }{
		{"a small patch", `{"x":1e400}`, "json: cannot unmarshal number 1e400 into Go value of type float64"},
		{"a large patch", `{"x":1e400,"y":"` + strings.Repeat("y", 64<<10) + `"}`, "the number is out of range"},
		{"a large patch that is not JSON needs no memory", `{"x":1e400,"y":"` + strings.Repeat("y", 64<<10) + `"`, "unexpected end of JSON input"},
	} {
		got := ask(s, "PATCH", "/api/v1/namespaces/default/configmaps/a", c.patch, "Content-Type", "application/merge-patch+json")
		if got.Code != 400 || !strings.Contains(got.Body.String(), c.want) {
			t.Errorf("%s: %d %.300s\nwant %s", c.reason, got.Code, got.Body, c.want)
		}
	}
}
