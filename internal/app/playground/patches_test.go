package playground

import (
	"strings"
	"testing"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: example.com/web:1
`

// edited runs a scenario with a Deployment and returns its text with old replaced by
// new.
func edited(t *testing.T, e *Engine, s Scenario, old, new string) string {
	t.Helper()
	var out RunOutput
	must(t, e, "run", RunInput{Scenario: s, At: len(s.Steps)}, &out)
	var lines []string
	for _, r := range out.Rows {
		if r.Mark != "removed" {
			lines = append(lines, r.Text)
		}
	}
	text := strings.Join(lines, "\n") + "\n"
	if !strings.Contains(text, old) {
		t.Fatalf("the object has no %q:\n%s", old, text)
	}
	return strings.Replace(text, old, new, 1)
}

func TestPatchesOfEachTypeForOneEdit(t *testing.T) {
	s := Scenario{Actors: []Actor{{Name: "alice"}, {Name: "bob"}}, Steps: []Step{{Actor: "alice", Do: "apply", Body: deployment}}}
	for _, c := range []struct {
		why, actor, old, new string
		want                 map[string]string // substring of the body, by kind of patch
		fails                map[string]string // substring of the message, for kinds of patch that cannot make the edit
	}{
		{"a value changed by its owner", "alice", "replicas: 2", "replicas: 3",
			map[string]string{"json-patch": "/spec/replicas", "merge-patch": "replicas: 3", "strategic-patch": "replicas: 3", "apply": "image: example.com/web:1"}, nil},
		{"a value changed by another manager", "bob", "replicas: 2", "replicas: 3", nil, map[string]string{"apply": "conflict with \"alice\""}},
		{"a field without an owner", "bob", "dnsPolicy: ClusterFirst", "dnsPolicy: Default",
			map[string]string{"apply": "dnsPolicy: Default", "merge-patch": "dnsPolicy: Default"}, nil},
		{"one item of a keyed list", "alice", "image: example.com/web:1", "image: example.com/web:2",
			map[string]string{"strategic-patch": "name: web", "merge-patch": "terminationMessagePath", "json-patch": "/spec/template/spec/containers/0/image"}, nil},
	} {
		e := New()
		var out PatchesOutput
		must(t, e, "patches", PatchesInput{Scenario: s, At: 1, Actor: c.actor, Edited: edited(t, e, s, c.old, c.new)}, &out)
		if len(out.Patches) != 4 {
			t.Fatalf("%s: %d patches", c.why, len(out.Patches))
		}
		for _, p := range out.Patches {
			if fails := c.fails[p.Do]; p.OK != (fails == "") || !strings.Contains(p.Message, fails) {
				t.Errorf("%s: %s: %+v", c.why, p.Do, p)
			}
			if !strings.Contains(p.Body, c.want[p.Do]) {
				t.Errorf("%s: %s is\n%swhich has no %q", c.why, p.Do, p.Body, c.want[p.Do])
			}
		}
	}
}

func TestPatchOfInvalidObjectHasPosition(t *testing.T) {
	s := Scenario{Steps: []Step{{Actor: "alice", Do: "apply", Body: deployment}}}
	var out PatchesOutput
	if f := ask(t, New(), "patches", PatchesInput{Scenario: s, At: 1, Actor: "alice", Edited: "a: 1\nb: ["}, &out); f == nil || f.Line != 2 {
		t.Errorf("failure %+v, want one at line 2", f)
	}
}
