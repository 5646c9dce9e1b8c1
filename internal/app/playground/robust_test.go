package playground

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestMalformedRequestGetsErrorResponse checks that any malformed request gets an error
// response and does not affect the next request.
func TestMalformedRequestGetsErrorResponse(t *testing.T) {
	braces := strings.Repeat("{", 3<<20)
	for _, c := range []struct{ why, request, want string }{
		{"an empty input", "", "not JSON"},
		{"not JSON", "{", "not JSON"},
		{"nested braces as a request", braces, "not JSON"},
		{"invalid UTF-8", "{\"call\":\"run\xff\"}", "no call"},
		{"an unknown call", `{"call":"fly"}`, "no call fly"},
		{"an unknown field", `{"call":"run","input":{"scenari":{}}}`, `input has no field "scenari"`},
		{"a wrong type", `{"call":"run","input":{"scenario":{"steps":[{"body":1}]}}}`, "input.scenario.steps[0].body must be a string"},
		{"a text that is not a scenario", `{"call":"import","input":{"text":"a: ["}}`, "YAML"},
		{"a scenario of a later version", `{"call":"import","input":{"text":"scenario: patchlab.dev/v9"}}`, "version of the format"},
		{"an unknown Kubernetes version", `{"call":"run","input":{"scenario":{"kubernetes":"9.9"}}}`, "9.9"},
		{"a step that does not exist", `{"call":"line","input":{"at":3}}`, "no such step"},
		{"a negative step", `{"call":"way","input":{"at":-1}}`, "no such step"},
		{"a conflict that does not exist", `{"call":"way","input":{"at":1,"scenario":{"steps":[{"actor":"a","do":"apply","body":"{}"}]}}}`, "no such conflict"},
		{"too many steps", `{"call":"run","input":{"scenario":{"steps":[` + strings.Repeat(`{},`, maxSteps) + `{}]}}}`, "1000 steps"},
	} {
		e := New()
		got := string(e.Handle([]byte(c.request)))
		if !strings.HasPrefix(got, `{"error":`) || !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), c.want) || !utf8.ValidString(got) {
			t.Errorf("%s: answers %.300s, want an error with %q", c.why, got, c.want)
		}
		var out RunOutput
		must(t, e, "run", RunInput{Scenario: twoManagers(), At: 2, Against: 1}, &out)
		if len(out.Conflicts) != 1 {
			t.Errorf("%s: the next request fails", c.why)
		}
	}
}

// TestInvalidStepDoesNotAffectOthers checks that an invalid step or definition is
// reported and that the other steps run.
func TestInvalidStepDoesNotAffectOthers(t *testing.T) {
	for _, c := range []struct{ why, body, want string }{
		{"3 MiB of nested braces", strings.Repeat("{", 3<<20), "nests deeper"},
		{"3 MiB of nested lists in YAML", strings.Repeat("- ", 3<<19), "nests deeper"},
		{"3 MiB of nested lists in JSON", strings.Repeat("[", 3<<20), "nests deeper"},
		{"more than 3 MiB", "a: " + strings.Repeat("x", 3<<20), "larger than"},
		{"an empty input", "", "the step has no body; write or paste a manifest or a patch"},
		{"two documents", "a: 1\n---\nb: 1", "a single document"},
		{"a scalar", "17", ""},
		{"a list", "[]", ""},
		{"exponentially growing aliases", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]", ""},
		{"an unknown kind", "apiVersion: v1\nkind: Nothing\nmetadata: {name: x}", "no kind \"Nothing\""},
		{"a control character", "apiVersion: v1\nkind: \x01", ""},
	} {
		s := twoManagers()
		s.Steps[0], s.Steps[1] = s.Steps[1], s.Steps[0]
		s.Steps = append(s.Steps, Step{Actor: "alice", Do: "apply", Body: c.body}, Step{Actor: "alice", Do: "apply", Body: configMap + "  size: xl\n"})
		s.Definitions = []string{c.body}
		var out RunOutput
		must(t, New(), "run", RunInput{Scenario: s, At: 4, Against: 3}, &out)
		if r := out.Steps[2]; r.OK || r.Message == "" || !strings.Contains(r.Message, c.want) {
			t.Errorf("%s: the step's message is %.300q, want %q", c.why, r.Message, c.want)
		}
		if len(out.Steps[2].Message) > 2000 {
			t.Errorf("%s: a message of %d bytes", c.why, len(out.Steps[2].Message))
		}
		if r := out.Steps[3]; r.Code != 200 || out.Object == nil {
			t.Errorf("%s: the step after it answers %+v", c.why, r)
		}
		if d := out.Definitions[0]; d.OK || d.Mark.Message == "" {
			t.Errorf("%s: accepted as a definition", c.why)
		}
	}
}

func TestErrorsHaveLines(t *testing.T) {
	for _, c := range []struct {
		why, do, body string
		line, column  int
	}{
		{"invalid YAML", "apply", "apiVersion: v1\nkind: [", 2, 0},
		{"an unknown field of an apply", "apply", configMap + "  a: b\nspice: 1\n", 7, 8},
		{"an unknown field of an update", "update", configMap + "  a: b\nspice: 1\n", 7, 8},
		{"a value of the wrong type", "apply", configMap + "  a: b\n  c: 4\n", 7, 6},
		{"a wrong type in a merge patch", "merge-patch", "data:\n  a: {}\n", 2, 6},
		{"no name", "apply", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {}\n", 3, 1},
		{"no name in an update", "update", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n", 3, 0},
		{"no metadata", "apply", "apiVersion: v1\nkind: ConfigMap\n", 1, 1},
		{"an invalid name", "apply", strings.Replace(configMap, "settings", "Settings!", 1), 4, 9},
	} {
		s := twoManagers()
		s.Steps = append(s.Steps[:1], Step{Actor: "bob", Do: c.do, Body: c.body})
		var out RunOutput
		must(t, New(), "run", RunInput{Scenario: s, At: 2}, &out)
		r := out.Steps[1]
		if r.OK || len(r.Marks) == 0 {
			t.Errorf("%s: %+v", c.why, r)
			continue
		}
		if m := r.Marks[0]; m.Line != c.line || c.column > 0 && m.Column != c.column {
			t.Errorf("%s: marked at %d:%d, want %d:%d (%s)", c.why, m.Line, m.Column, c.line, c.column, m.Message)
		}
	}
}

// TestObjectStaysWhileTyping checks that a step that concerns no object shows the object as the step
// before it left it.
func TestObjectStaysWhileTyping(t *testing.T) {
	for _, c := range []struct{ why, body string }{
		{"a manifest without a name yet", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  na"},
		{"invalid YAML", "apiVersion: v1\nkind: ["},
		{"an unknown kind", strings.Replace(configMap, "ConfigMap", "ConfigMa", 1) + "  a: b\n"},
		{"an API version without the kind", strings.Replace(configMap, "v1", "apps/v1", 1) + "  a: b\n"},
		{"nesting beyond the limit", strings.Repeat("[", 2000)},
	} {
		s := twoManagers()
		s.Steps = append(s.Steps[:1], Step{Actor: "bob", Do: "apply", Body: c.body})
		e := New()
		var first, out RunOutput
		must(t, e, "run", RunInput{Scenario: s, At: 1}, &first)
		must(t, e, "run", RunInput{Scenario: s, At: 2, Against: 1}, &out)
		if out.Steps[1].OK {
			t.Fatalf("%s: answers %+v", c.why, out.Steps[1])
		}
		if out.Object == nil || out.Object.ResourceVersion != first.Object.ResourceVersion || len(out.Rows) != len(first.Rows) {
			t.Errorf("%s: shows %+v with %d rows, want %+v with %d", c.why, out.Object, len(out.Rows), first.Object, len(first.Rows))
		}
		if out.Changed != 0 || len(out.Conflicts) != 0 {
			t.Errorf("%s: %d changes and %d conflicts of a refused step", c.why, out.Changed, len(out.Conflicts))
		}
	}
}

// FuzzHandle checks that no request makes the engine panic and that each response is
// JSON.
func FuzzHandle(f *testing.F) {
	f.Add(`{"call":"run","input":{"scenario":{"steps":[{"actor":"a","do":"apply","body":"a: 1"}]},"at":1}}`)
	f.Add(`{"call":"patches","input":{"at":1,"edited":"a: 1"}}`)
	f.Add(`{"call":"script","input":{"scenario":{"steps":[{"actor":"a","do":"delete","target":{"kind":"Pod","apiVersion":"v1"}}]}}}`)
	f.Fuzz(func(t *testing.T, request string) {
		if len(request) > 1<<16 {
			t.Skip("long requests only take long")
		}
		if got := New().Handle([]byte(request)); !strings.HasPrefix(string(got), `{"error":{`) && !strings.HasPrefix(string(got), `{"output":{`) {
			t.Errorf("answers %.200s", got)
		}
	})
}

// FuzzSteps sends every request about two arbitrary steps. None may cause an internal
// error, and an exported scenario must be imported unchanged.
func FuzzSteps(f *testing.F) {
	f.Add("apply", "apply", "", configMap+"  a: b\n", configMap+"  a: c # d\n", "data: {}")
	f.Add("create", "json-patch", "", configMap, `[{"op":"add","path":"/data","value":{"a":"b"}}]`, "[]")
	f.Add("client-side-apply", "update", "status", largeDeployment(1), largeDeployment(2), "a: [")
	f.Add("force-apply", "delete", "scale", "kind: Service\napiVersion: v1\nmetadata: {name: x}\nspec: {ports: [{port: 1}]}", "", "null")
	f.Fuzz(func(t *testing.T, do1, do2, subresource, body1, body2, edited string) {
		if len(body1)+len(body2)+len(edited) > 1<<15 {
			t.Skip("long texts only take long")
		}
		s := Scenario{Actors: []Actor{{Name: "a"}, {Name: "b"}}, Steps: []Step{{Actor: "a", Do: do1, Body: body1}, {Actor: "b", Do: do2, Subresource: subresource, Body: body2}}}
		e := New()
		asked := func(name string, in, out any) bool {
			failure := ask(t, e, name, in, out)
			if failure != nil && strings.Contains(failure.Message, "fault in patchlab") {
				t.Fatalf("%s: %s", name, failure.Message)
			}
			return failure == nil
		}
		var out RunOutput
		if !asked("run", RunInput{Scenario: s, At: 2, Against: 1}, &out) {
			t.Fatal("the scenario was not run")
		}
		asked("line", LineInput{Scenario: s, At: 2, Line: len(out.Rows)}, &LineOutput{})
		asked("managed", ManagedInput{Scenario: s, At: 2}, &ManagedOutput{})
		asked("patches", PatchesInput{Scenario: s, At: 2, Edited: edited, Actor: "b"}, &PatchesOutput{})
		asked("script", ScenarioInput{Scenario: s}, &TextOutput{})
		for _, w := range []string{"force", "drop", "adopt"} {
			asked("way", WayInput{Scenario: s, At: 2, Conflict: -1, Way: w}, &WayOutput{})
		}
		var file TextOutput
		var again ScenarioOutput
		if asked("export", ScenarioInput{Scenario: s}, &file) && asked("import", TextInput(file), &again) && utf8.ValidString(body1+body2) {
			if got := again.Scenario.Steps; got[0].Body != body1 || got[1].Body != body2 {
				t.Fatalf("bodies %q and %q were imported as %q", body1, body2, got)
			}
		}
	})
}
