package scenario

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// expectFile returns firstConflict with an expectation in its second step and a third step.
func expectFile(second string) string {
	head, tail, _ := strings.Cut(firstConflict, "- actor: bob\n  do: force-apply")
	return head + second + "- actor: bob\n  do: force-apply" + tail
}

func checked(t *testing.T, text string) (*Scenario, []Result, [][]Mismatch) {
	t.Helper()
	s, err := Parse([]byte(text), "f")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	results, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	found := make([][]Mismatch, len(results))
	for i := range results {
		if e := s.Steps[i].Expect; e != nil {
			found[i] = e.Check(&results[i])
		}
	}
	return s, results, found
}

func TestExpectationsAreCompared(t *testing.T) {
	for _, c := range []struct{ expect, want string }{
		{"conflict", ""},
		{"refused", ""},
		{"ok", `result: expected ok, got 409 Conflict: Apply failed with 1 conflict: conflict with "alice": .data.a`},
		{"denied", `result: expected denied, got 409 Conflict`},
		{"{code: 409, reason: Conflict, message: conflict with}", ""},
		{"{code: 422}", "code: expected 422, got 409 Conflict"},
		{"{reason: Invalid}", "reason: expected Invalid, got Conflict"},
		{"{message: something else}", `message: expected "something else", got "Apply failed`},
		{"{conflicts: {.data.a: alice}}", ""},
		{"{conflicts: {data.a: [alice]}}", ""},
		{"{conflicts: {.data.a: [carol]}}", "conflicts over .data.a: expected carol, got alice"},
		{"{conflicts: {.data.b: [alice]}}", "conflicts: expected .data.b with alice, got none there\nconflicts: expected none over .data.a, got alice"},
		{"{result: conflict, object: {data: {a: '1', c: null}}}", ""},
		{"{result: conflict, object: {data: {a: '2', b: null, c: x}}}", "object.data.a: expected \"2\", got \"1\"\nobject.data.b: expected null, got \"1\"\nobject.data.c: expected \"x\", got nothing"},
		{"{result: conflict, whole: {apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: default}, data: {a: '1', b: '1'}}}", ""},
		{"{result: conflict, whole: {apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: default}, data: {a: '1'}}}", `whole.data.b: expected nothing, got "1"`},
		{"{result: conflict, owners: {.data.a: alice, .data.b: [alice]}}", ""},
		{"{result: conflict, owners: {.data.a: [alice, bob]}}", "owners of .data.a: expected alice, bob, got alice"},
		{"{result: conflict, owners: {.data.a: []}}", "owners of .data.a: expected nobody, got alice"},
		{"{result: conflict, owners: {.data.z: [bob]}}", "owners of .data.z: expected bob, got "},
		{"{result: conflict, absent: true}", "absent: expected no object, got an object"},
		{"{result: conflict, warnings: [x]}", `warnings: expected "x", got none`},
		{"{owners: {.data.a: alice}}", "result: expected ok, got 409"},
	} {
		_, _, found := checked(t, expectFile("  expect: "+c.expect+"\n"))
		var lines []string
		for _, m := range found[1] {
			lines = append(lines, m.String())
		}
		got := strings.Join(lines, "\n")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || strings.Count(got, "\n") != strings.Count(c.want, "\n") {
			t.Errorf("%s: %s\nwant %s", c.expect, got, c.want)
		}
	}
}

func TestStepWithoutExpectationMatchesAnyResult(t *testing.T) {
	var none *Expectation
	if found := none.Check(&Result{Code: 409}); found != nil {
		t.Errorf("found %v", found)
	}
}

func TestUnchangedOutcome(t *testing.T) {
	again := firstConflict + "- actor: bob\n  do: force-apply\n  body: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: cm}\n    data: {a: \"2\"}\n"
	for expect, want := range map[string]int{"unchanged": 0, "ok": 0, "refused": 1} {
		if _, _, found := checked(t, again+"  expect: "+expect+"\n"); len(found[3]) != want {
			t.Errorf("%s of an apply that changes nothing: %v", expect, found[3])
		}
	}
	if _, _, found := checked(t, firstConflict+"  expect: unchanged\n"); len(found[2]) != 1 {
		t.Error("a change was reported as unchanged")
	}
}

func TestExpectationsAreParsedStrictly(t *testing.T) {
	for _, c := range []struct{ expect, want string }{
		{"sad", `unknown outcome "sad"; expected ok, unchanged, refused, conflict, denied`},
		{"{}", "expect is empty"},
		{"{cod: 1}", `an expectation has no field "cod"`},
		{"{code: yes}", "code must be an HTTP status code"},
		{"{owners: [a]}", "owners must be an object of paths"},
		{"{owners: {'.a[': b}}", "owners: "},
		{"{object: text}", "object must be an object, found a string"},
		{"{absent: 1}", "absent must be true or false"},
		{"{warnings: [1]}", "a warning must be a string"},
		{"3", "expected an expectation as an object, found a number"},
	} {
		if _, err := Parse([]byte(expectFile("  expect: "+c.expect+"\n")), "f"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.expect, err, c.want)
		}
	}
}

// TestRewriteKeepsCommentsAndOtherText: Rewrite replaces the expectations by the results and keeps
// comments and the rest of the file.
func TestRewriteKeepsCommentsAndOtherText(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"an outcome", "  expect: ok # the first guess\n", "  expect: conflict # the first guess\n"},
		{"a quoted outcome", "  expect: \"ok\"\n", "  expect: conflict\n"},
		{"fields in lines", "  expect:\n    # why\n    code: 200 # hm\n    reason: Invalid\n\n  # after\n", "  expect:\n    # why\n    code: 409 # hm\n    reason: Conflict\n\n  # after\n"},
		{"fields in braces", "  expect: {code: 200, reason: 'Invalid'} # x\n", "  expect: {code: 409, reason: Conflict} # x\n"},
		{"managers in brackets", "  expect:\n    conflicts: {.data.a: [bob]} # y\n", "  expect:\n    conflicts: {.data.a: [alice]} # y\n"},
		{"other conflicts", "  expect:\n    conflicts:\n      .data.b: [alice]\n    # end\n    code: 409\n", "  expect:\n    conflicts:\n      .data.a:\n      - alice\n    # end\n    code: 409\n"},
		{"a part of the object", "  expect:\n    result: conflict\n    object:\n      data:\n        a: \"7\" # seven\n        c: x\n", "  expect:\n    result: conflict\n    object:\n      data:\n        a: \"1\" # seven\n        c: null\n"},
		{"an empty expectation", "", "  expect:\n    conflicts:\n      .data.a:\n      - alice\n    result: conflict\n"},
	} {
		in := expectFile(c.in)
		s, results, _ := checked(t, in)
		expect := make([]*Expectation, len(results))
		expect[1] = s.Steps[1].Expect.Observed(&results[1])
		out, err := Rewrite([]byte(in), "f", expect)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if string(out) != expectFile(c.want) {
			t.Errorf("%s: rewritten as\n%s\nwant\n%s", c.why, out, expectFile(c.want))
		}
		if _, _, found := checked(t, string(out)); len(found[1]) > 0 {
			t.Errorf("%s: after rewriting it differs: %v", c.why, found[1])
		}
	}
}

func TestRewriteErrors(t *testing.T) {
	for _, text := range []string{"", "steps:", "steps: {a: 1}", "steps: [{do: apply}]"} {
		_, err := Rewrite([]byte(text), "f", []*Expectation{nil, {Result: Refused}})
		if err == nil || !errors.Is(err, ErrInvalid) || !strings.HasSuffix(err.Error(), ": the expectation of step 2 cannot be written: the scenario has no such step") {
			t.Errorf("Rewrite of %q: %v", text, err)
		}
	}
	text := "scenario: patchlab.dev/v1\nactors: [{name: a}]\nsteps:\n- &first\n  actor: a\n  do: delete\n  target: {apiVersion: v1, kind: ConfigMap, name: x}\n- *first\n"
	_, err := Rewrite([]byte(text), "f", []*Expectation{nil, {Result: Refused}})
	if err == nil || !strings.Contains(err.Error(), "the expectation of step 2 cannot be rewritten") {
		t.Error(err)
	}
}

// TestEmptyExpectation: an expectation without fields is that the step succeeds, and is written so
// that Parse reads it.
func TestEmptyExpectation(t *testing.T) {
	s, _, _ := checked(t, expectFile("  expect: conflict\n"))
	s.Steps[1].Expect = &Expectation{}
	back, err := Parse(s.YAML(), "")
	if err != nil || back.Steps[1].Expect.Result != Succeeded {
		t.Fatalf("%s\n%v", s.YAML(), err)
	}
}

func TestExpectationsRoundTrip(t *testing.T) {
	s, _, _ := checked(t, expectFile("  expect: {result: conflict, code: 409, conflicts: {.data.a: [alice]}, owners: {.data.b: []}, object: {data: {a: \"1\"}}, warnings: [w]}\n"))
	back, err := Parse(s.YAML(), "")
	if err != nil || !document.Equal(back.Steps[1].Expect.value(), s.Steps[1].Expect.value()) {
		t.Errorf("read back as %s (%v)", back.Steps[1].Expect.value(), err)
	}
}
