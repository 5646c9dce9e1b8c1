//go:build !js || lab

package playground

import (
	"strings"
	"testing"
)

const (
	blue = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: blue\n"
	red  = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: red\n"
)

func labChange(t *testing.T, e *Engine, in LabChangeInput) *LabChangeOutput {
	t.Helper()
	out, err := e.labChange(&in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLabAppliesAndNamesOwners(t *testing.T) {
	e := New()
	made := labChange(t, e, LabChangeInput{Change: blue, Action: "apply", FieldManager: "alice"})
	if made.Refusal != nil || !made.Created || !made.Changed || made.Target.Name != "settings" {
		t.Fatalf("%+v", made)
	}
	if len(made.Owners) != 1 || made.Owners[0].Path != ".data.colour" || len(made.Owners[0].Managers) != 1 || made.Managers[0].Name != "alice" {
		t.Errorf("owners %+v of %+v", made.Owners, made.Managers)
	}
	if !strings.Contains(made.YAML, "  colour: blue\n") || !strings.HasPrefix(made.Object, "{") {
		t.Errorf("object %s\n%s", made.Object, made.YAML)
	}
	same := labChange(t, e, LabChangeInput{Live: made.Object, Change: blue, Action: "apply", FieldManager: "alice"})
	if same.Created || same.Changed || len(same.Changes) != 0 {
		t.Errorf("applied again: %+v", same)
	}
	patched := labChange(t, e, LabChangeInput{Live: made.YAML, Change: `[{"op":"replace","path":"/data/colour","value":"green"}]`, Action: "patch", FieldManager: "carol"})
	if patched.Action != "json-patch" || len(patched.Changes) != 1 {
		t.Fatalf("%+v", patched)
	}
	if c := patched.Changes[0]; c.Path != ".data.colour" || c.Before != `"blue"` || c.After != `"green"` || c.OwnersAfter[0] != "carol" {
		t.Errorf("%+v", c)
	}
}

func TestLabReturnsConflictsAsData(t *testing.T) {
	e := New()
	live := labChange(t, e, LabChangeInput{Change: blue, Action: "apply", FieldManager: "alice"}).Object
	out := labChange(t, e, LabChangeInput{Live: live, Change: red, Action: "apply", FieldManager: "bob"})
	if out.Refusal == nil || out.Refusal.Code != 409 || len(out.Conflicts) != 1 || out.Object != "" {
		t.Fatalf("%+v", out)
	}
	c := out.Conflicts[0]
	if c.Path != ".data.colour" || c.Manager.Name != "alice" || c.Live != `"blue"` || c.Wanted != `"red"` || c.Line != 6 || len(c.Ways) != 3 {
		t.Errorf("%+v", c)
	}
	forced := labChange(t, e, LabChangeInput{Live: live, Change: red, Action: "apply", FieldManager: "bob", Force: true})
	if forced.Refusal != nil || !strings.Contains(forced.Object, `"colour":"red"`) {
		t.Errorf("%+v", forced)
	}
}

func TestLabRefusals(t *testing.T) {
	for _, c := range []struct {
		why  string
		in   LabChangeInput
		code int
		text string
		at   [2]int // line and column
	}{
		{"a field that the kind does not have", LabChangeInput{Change: blue + "spice: hot\n", Action: "apply"}, 500, "spice", [2]int{7, 8}},
		{"a value of another type", LabChangeInput{Live: blue, Change: blue + "  size: 3\n", Action: "apply"}, 500, "size", [2]int{7, 9}},
		{"an option that the action does not have", LabChangeInput{Live: blue, Change: red, Action: "update", Subresource: "scale"}, 0, "subresource", [2]int{}},
		{"an update without a live object", LabChangeInput{Change: red, Action: "update"}, 0, "settings", [2]int{1, 1}},
	} {
		out := labChange(t, New(), c.in)
		if out.Refusal == nil || out.Refusal.Code != c.code || !strings.Contains(out.Refusal.Message, c.text) {
			t.Errorf("%s: %+v", c.why, out.Refusal)
			continue
		}
		if at := [2]int{out.Refusal.Line, out.Refusal.Column}; at != c.at || len(out.Refusal.Fields) > 0 && out.Refusal.Fields[0].Column != c.at[1] {
			t.Errorf("%s: at %v, want %v: %+v", c.why, at, c.at, out.Refusal)
		}
	}
}

// TestLabErrors checks that input that cannot be parsed is an error of the call.
func TestLabErrors(t *testing.T) {
	for request, want := range map[string]string{
		`{"call":"labChange","input":{"change":"a: [","action":"apply"}}`:                 `"line":1`,
		`{"call":"labChange","input":{"change":"","action":"apply"}}`:                     "the change has no document",
		`{"call":"labChange","input":{"change":"a: 1","action":"conquer"}}`:               "unknown action conquer",
		`{"call":"run","input":{"at":"1"}}`:                                               "must be an integer",
		`{"call":"labChange","input":{"force":1}}`:                                        "must be a boolean",
		`{"call":"labKinds","input":{"lab":{"definitions":{}}}}`:                          "must be a list",
		`{"call":"labKinds","input":{"lab":{"kubernetes":1}}}`:                            "must be a string",
		`{"call":"labKinds","input":{"lab":{"kubernetes":"1.2"}}}`:                        "1.2",
		`{"call":"labKinds","input":{"lab":{"definitions":["kind: ConfigMap"]}}}`:         "definition 1",
		`{"call":"labOwners","input":{"object":"a: 1"}}`:                                  "apiVersion and kind",
		`{"call":"labExplain","input":{"object":"apiVersion: v1\nkind: Pod","path":"["}}`: "path",
	} {
		if got := string(New().Handle([]byte(request))); !strings.HasPrefix(got, `{"error":`) || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", request, got, want)
		}
	}
}

func TestLabExplainsFields(t *testing.T) {
	e := New()
	live := labChange(t, e, LabChangeInput{Change: blue, Action: "apply", FieldManager: "alice"}).Object
	one, err := e.labExplain(&LabObjectInput{Object: live, Path: ".data.colour"})
	if err != nil || len(one.Fields) != 1 {
		t.Fatalf("%+v %v", one, err)
	}
	if f := one.Fields[0]; f.Value != `"blue"` || f.Line != 3 || len(f.Managers) != 1 || one.Managers[0].Name != "alice" {
		t.Errorf("%+v", f)
	}
	all, err := e.labExplain(&LabObjectInput{Object: live})
	if err != nil || len(all.Fields) < 6 {
		t.Errorf("%+v %v", all, err)
	}
	if _, err := e.labExplain(&LabObjectInput{Object: live, Path: ".data.size"}); err == nil {
		t.Error("an absent field is explained")
	}
	owners, err := e.labOwners(&LabObjectInput{Object: live, Path: ".data.colour"})
	if err != nil || len(owners.Owners) != 1 || len(owners.Owners[0].Managers) != 1 {
		t.Errorf("%+v %v", owners, err)
	}
	differ, err := e.labCompare(&LabCompareInput{Before: blue, After: red})
	if err != nil || len(differ.Changes) != 1 || differ.Changes[0].After != `"red"` {
		t.Errorf("%+v %v", differ, err)
	}
}

// TestLabIsReused checks that equal options reuse one Lab, because parsing CRDs is slow.
func TestLabIsReused(t *testing.T) {
	e := New()
	options := LabOptions{Kubernetes: "1.33"}
	first, err := e.labOf(options)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := e.labOf(LabOptions{Kubernetes: "1.33"}); again != first {
		t.Error("a new Lab was created for equal options")
	}
	if other, _ := e.labOf(LabOptions{Kubernetes: "1.34"}); other == first {
		t.Error("the Lab was reused for another version")
	}
}
