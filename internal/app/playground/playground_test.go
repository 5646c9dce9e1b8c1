package playground

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
)

// ask sends a request as the page does and decodes the response into out.
func ask(t testing.TB, e *Engine, name string, in, out any) *Failure {
	t.Helper()
	d, err := document.Parse(e.Handle(request(name, in)), document.Options{MaxBytes: -1})
	if err != nil {
		t.Fatalf("%s answers no JSON: %v", name, err)
	}
	if f := d.Root.Get("error"); f.Exists() {
		var failure Failure
		if err := (&decoder{}).read(f, reflect.ValueOf(&failure).Elem(), "error"); err != nil {
			t.Fatal(err)
		}
		return &failure
	}
	if err := decodeOutput(d.Root.Get("output"), out); err != nil {
		t.Fatal(err)
	}
	return nil
}

// request encodes a request as the page does.
func request(name string, in any) []byte {
	return append((&encoder{}).append([]byte(`{"call":"`+name+`","input":`), reflect.ValueOf(in)), '}')
}

// must calls ask and fails the test on a failure.
func must(t *testing.T, e *Engine, name string, in, out any) {
	t.Helper()
	if f := ask(t, e, name, in, out); f != nil {
		t.Fatalf("%s: %+v", name, *f)
	}
}

// decodeOutput decodes a response into a pointer to a struct with pointer fields.
func decodeOutput(v document.Value, out any) error {
	into := reflect.ValueOf(out).Elem()
	for i := range into.NumField() {
		f := into.Field(i)
		at := v.Get(fieldName(into.Type().Field(i)))
		if f.Kind() == reflect.Pointer {
			if at.IsNull() {
				continue
			}
			f.Set(reflect.New(f.Type().Elem()))
			f = f.Elem()
		}
		if err := (&decoder{}).read(at, f, "output"); err != nil {
			return err
		}
	}
	return nil
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n"

// twoManagers returns a scenario with a conflict: bob applies another value to a field
// that alice owns.
func twoManagers() Scenario {
	return Scenario{
		Actors: []Actor{{Name: "alice"}, {Name: "bob"}},
		Steps: []Step{
			{Actor: "alice", Do: "apply", Body: configMap + "  colour: blue\n  size: s\n"},
			{Actor: "bob", Do: "apply", Body: configMap + "  # bob's wish\n  colour: red\n  shape: round\n"},
		},
	}
}

func TestRunReportsConflictWithPosition(t *testing.T) {
	var out RunOutput
	must(t, New(), "run", RunInput{Scenario: twoManagers(), At: 2, Against: 1}, &out)
	if !out.Steps[0].OK || out.Steps[0].Code != 201 || out.Steps[1].OK || out.Steps[1].Code != 409 {
		t.Fatalf("steps %+v", out.Steps)
	}
	want := []Mark{{Line: 7, Column: 11, Message: `conflict with "alice": .data.colour`}}
	if !reflect.DeepEqual(out.Steps[1].Marks, want) {
		t.Errorf("marks %+v, want %+v", out.Steps[1].Marks, want)
	}
	if len(out.Conflicts) != 1 || out.Conflicts[0].Live != `"blue"` || out.Conflicts[0].Wanted != `"red"` || len(out.Conflicts[0].Ways) != 3 {
		t.Errorf("conflicts %+v", out.Conflicts)
	} else if owner := out.Conflicts[0].Owner; owner.Name != "alice" || owner.Operation != "Apply" || owner.Subresource != "" {
		t.Errorf("owner %+v", owner)
	}
	if out.Object == nil || out.Object.ResourceVersion == "" || len(out.Object.Managers) != 1 {
		t.Errorf("object %+v", out.Object)
	}
}

// TestUnappliedPatches distinguishes patches that cannot be applied to the object from patches
// whose result is invalid: the API server refuses both with code 422.
func TestUnappliedPatches(t *testing.T) {
	for _, c := range []struct {
		patch     string
		unapplied bool
		why       string
	}{
		{`[{"op": "test", "path": "/data/colour", "value": "red"}]`, true, "a failed test"},
		{`[{"op": "increment", "path": "/data/colour"}]`, true, "an unknown op"},
		{`[{"op": "remove", "path": "/data/shape"}]`, true, "a field that does not exist"},
		{`[{"op": "add", "path": "/metadata/labels", "value": {"a": "-"}}]`, false, "an invalid label"},
		{`[{"op": "add", "path": "/data", "value": 7}]`, false, "a value of another type"},
	} {
		s := twoManagers()
		s.Steps[1] = Step{Actor: "bob", Do: "json-patch", Body: c.patch}
		var out RunOutput
		must(t, New(), "run", RunInput{Scenario: s, At: 2, Against: 1}, &out)
		if r := out.Steps[1]; r.Code != 422 || r.Unapplied != c.unapplied {
			t.Errorf("%s: code %d, unapplied %v: %s", c.why, r.Code, r.Unapplied, r.Message)
		}
	}
}

// TestNotesOfConflicts checks the notes on conflicts over values that do not differ in what they mean.
func TestNotesOfConflicts(t *testing.T) {
	const policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: web}\nspec:\n  podSelector: {}\n  ingress:\n  - ports: [{port: 80"
	const quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: web}\nspec: {hard: {cpu: "
	for _, c := range []struct{ why, before, body, want string }{
		{"an atomic list without a default", policy + ", protocol: TCP}]\n", policy + "}]\n", `not in the manifest: [0].ports[0].protocol: "TCP"; an atomic field is compared as a whole`},
		{"the same quantity", quota + "'1'}}\n", quota + "1000m}}\n", `the two are the same quantity, but an apply compares values as they are written; write "1" to share the field`},
		{"another quantity", quota + "'1'}}\n", quota + "2000m}}\n", ""},
	} {
		var out RunOutput
		must(t, New(), "run", RunInput{Scenario: Scenario{
			Actors: []Actor{{Name: "alice"}, {Name: "bob"}},
			Steps:  []Step{{Actor: "alice", Do: "apply", Body: c.before}, {Actor: "bob", Do: "apply", Body: c.body}},
		}, At: 2, Against: 1}, &out)
		if len(out.Conflicts) != 1 || out.Conflicts[0].Note != c.want {
			t.Errorf("%s: conflicts %+v, want the note %q", c.why, out.Conflicts, c.want)
		}
	}
}

func TestWaysOutOfAConflict(t *testing.T) {
	for _, c := range []struct{ way, do, line, owners string }{
		{"force", "force-apply", "  colour: red", "bob"},
		{"drop", "apply", "  colour: blue", "alice"},
		{"adopt", "apply", "  colour: blue", "alice,bob"},
	} {
		e := New()
		var out WayOutput
		must(t, e, "way", WayInput{Scenario: twoManagers(), At: 2, Conflict: 0, Way: c.way}, &out)
		if out.Step.Do != c.do || !out.Result.OK {
			t.Errorf("%s: step %+v, result %+v", c.way, out.Step, out.Result)
		}
		s := twoManagers()
		s.Steps[1] = out.Step
		var after RunOutput
		must(t, e, "run", RunInput{Scenario: s, At: 2, Against: 1}, &after)
		if got := owners(&after, c.line); got != c.owners {
			t.Errorf("%s: %q belongs to %q, want %q", c.way, c.line, got, c.owners)
		}
		for i, r := range after.Rows { // a dry-run step is not stored
			if strings.HasPrefix(r.Text, "  resourceVersion: ") {
				after.Rows[i].Text = out.Rows[i].Text
			}
		}
		if !reflect.DeepEqual(out.Rows, after.Rows) {
			t.Errorf("%s: the preview is\n%+v\nbut the result is\n%+v", c.way, out.Rows, after.Rows)
		}
	}
}

// owners returns the managers of the line with the given text, or "none" if there is no
// such line.
func owners(out *RunOutput, text string) string {
	for _, r := range out.Rows {
		if r.Text == text && r.Mark != "removed" {
			var names []string
			for _, m := range r.Owners {
				names = append(names, out.Object.Managers[m].Name)
			}
			return strings.Join(names, ",")
		}
	}
	return "none"
}

func TestLineHasTimeOfOwnership(t *testing.T) {
	s := twoManagers()
	s.Steps = append(s.Steps, Step{Actor: "bob", Do: "force-apply", Body: s.Steps[1].Body}, Step{Actor: "alice", Do: "apply", Body: configMap + "  size: m\n"})
	e := New()
	var out RunOutput
	must(t, e, "run", RunInput{Scenario: s, At: 4, Against: 3}, &out)
	for _, c := range []struct {
		text         string
		owner, since int
	}{
		{"  colour: red", 0, 3},
		{"  size: m", 1, 1},
	} {
		for _, r := range out.Rows {
			if r.Text != c.text {
				continue
			}
			var line LineOutput
			must(t, e, "line", LineInput{Scenario: s, At: 4, Line: r.Line}, &line)
			if len(line.Owners) != 1 || line.Owners[0].Since != c.since || line.Owners[0].Manager != c.owner || line.Merges != "single value" {
				t.Errorf("%s: %+v", c.text, line)
			}
		}
	}
}

// TestCachedRunEqualsFreshRun checks that the engine's cache of previous steps
// does not change a response, whatever the preceding requests were.
func TestCachedRunEqualsFreshRun(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 28))
	forward, backward := 0, 0
	for name, whole := range examples(t) {
		kept := New()
		current := whole
		for range 60 {
			current = changed(random, whole, current)
			in := RunInput{Scenario: current, At: random.IntN(len(current.Steps) + 1)}
			in.Against = in.At - 1 - random.IntN(2)
			if kept.last != nil {
				if r, err := kept.resumed(t.Context(), &current); err != nil {
					t.Fatal(err)
				} else if r == kept.last {
					forward++
				} else if len(r.results) > 0 {
					backward++
				}
			}
			var a, b RunOutput
			must(t, kept, "run", in, &a)
			must(t, New(), "run", in, &b)
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%s: at %d of %d an incremental run returns\n%+v\na new run\n%+v", name, in.At, len(current.Steps), a, b)
			}
		}
	}
	if forward < 50 || backward < 50 {
		t.Errorf("only %d incremental runs forwards and %d backwards", forward, backward)
	}
}

// changed returns the scenario after one random edit.
func changed(random *rand.Rand, whole, s Scenario) Scenario {
	s.Steps = slices.Clone(s.Steps)
	switch n := len(s.Steps); random.IntN(5) {
	case 0:
		if n > 0 {
			s.Steps = s.Steps[:n-1]
		}
	case 1, 2:
		s.Steps = append(s.Steps, whole.Steps[random.IntN(len(whole.Steps))])
	default:
		if n > 0 {
			i := n - 1 - random.IntN(min(n, 2))
			s.Steps[i] = whole.Steps[random.IntN(len(whole.Steps))]
			s.Steps[i].Actor = []string{"alice", "bob"}[random.IntN(2)]
		}
	}
	return s
}

func TestAtomicObjectRowsHaveItsOwners(t *testing.T) {
	s := Scenario{Steps: []Step{{Actor: "alice", Do: "apply", Body: deployment}, {Actor: "bob", Do: "merge-patch", Body: "spec:\n  replicas: 7\n"}}}
	e := New()
	var out RunOutput
	must(t, e, "run", RunInput{Scenario: s, At: 2, Against: 1}, &out)
	for i, r := range out.Rows {
		if r.Text != "    matchLabels:" {
			continue
		}
		for _, row := range out.Rows[i : i+2] { // matchLabels and app, both in the atomic selector
			var line LineOutput
			must(t, e, "line", LineInput{Scenario: s, At: 2, Line: row.Line}, &line)
			if len(line.Owners) != 1 || out.Object.Managers[line.Owners[0].Manager].Name != "alice" || line.Owners[0].Since != 1 {
				t.Errorf("%s is owned by %+v", row.Text, line.Owners)
			}
		}
		return
	}
	t.Error("no selector")
}

// TestRowEncoderAgreesWithGenericEncoder compares the output of the specialized encoder of rows
// with that of the generic encoder.
func TestRowEncoderAgreesWithGenericEncoder(t *testing.T) {
	rows := []Row{{Text: "a: \"<b>\"", Mark: "added", Line: 3, Owners: []int{0, 12}, Below: []int{1}}, {}}
	var want []byte
	for _, r := range rows {
		want = (&encoder{}).append(append(want, ','), reflect.ValueOf(r))
	}
	want = append(append([]byte{'['}, want[1:]...), ']')
	if got := appendRows(nil, rows); string(got) != string(want) {
		t.Errorf("rows are written as\n%s\nwant\n%s", got, want)
	}
}

// TestReferencesToTexts sends requests that refer to texts of the previous one, and one that
// refers to a text that the engine does not have any more.
func TestReferencesToTexts(t *testing.T) {
	e := New()
	ask := func(request string) string { return string(e.Handle([]byte(request))) }
	body := func(text string) string {
		return `{"scenario":{"steps":[{"actor":"a","do":"apply","body":` + text + `}]},"at":1}`
	}
	quoted := string(document.AppendQuoted(nil, configMap+"  colour: blue\n"))
	want := ask(`{"call":"run","input":` + body(quoted) + `}`)
	if !strings.Contains(want, "colour: blue") {
		t.Fatal(want)
	}
	if got := ask(`{"call":"run","texts":[{"id":7,"text":` + quoted + `}],"input":` + body(`{"text":7}`) + `}`); got != want {
		t.Errorf("a text that was sent with the request: %s, want %s", got, want)
	}
	if got := ask(`{"call":"run","input":` + body(`{"text":7}`) + `}`); got != want {
		t.Errorf("a text of the previous request: %s, want %s", got, want)
	}
	ask(`{"call":"about","input":{}}`)
	for _, reference := range []string{`{"text":7}`, `{"text":8}`} {
		if got := ask(`{"call":"run","input":` + body(reference) + `}`); got != `{"unknown":true}` {
			t.Errorf("the text %s, which is unknown: %s", reference, got)
		}
	}
	for _, reference := range []string{`{}`, `{"text":"7"}`} {
		if got := ask(`{"call":"run","input":` + body(reference) + `}`); !strings.Contains(got, "body must be a string") {
			t.Errorf("%s in place of a text: %s", reference, got)
		}
	}
}

// TestRowsThatThePageHas compares the rows of responses that leave out what the page has with
// those of complete ones.
func TestRowsThatThePageHas(t *testing.T) {
	e, s := New(), twoManagers()
	var have []Row
	for i, body := range []string{"  colour: blue\n", "  colour: red\n  size: s\n", "  a: b\n  colour: red\n  size: s\n", "  size: s\n", "", "  size: s\n", "  size: s\n"} {
		s.Steps = []Step{{Actor: "alice", Do: "force-apply", Body: configMap + body}}
		input := string((&encoder{}).append(nil, reflect.ValueOf(RunInput{Scenario: s, At: 1})))
		known := i
		if i == 4 {
			known = 2 // a response that is not the last one
		}
		d, err := document.Parse(e.Handle([]byte(`{"call":"run","rows":{"number":`+strconv.Itoa(i+1)+`,"have":`+strconv.Itoa(known)+`},"input":`+input+`}`)), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var part, all RunOutput
		if err := decodeOutput(d.Root.Get("output"), &part); err != nil {
			t.Fatal(err)
		}
		must(t, New(), "run", RunInput{Scenario: s, At: 1}, &all)
		got := slices.Concat(have[:part.KeptBefore], part.Rows, have[len(have)-part.KeptAfter:])
		if !reflect.DeepEqual(got, all.Rows) || i == 4 && len(part.Rows) != len(all.Rows) {
			t.Errorf("%q: %d rows kept before, %d after, and %v; want all of %v", body, part.KeptBefore, part.KeptAfter, part.Rows, all.Rows)
		}
		if i == 6 && len(part.Rows) > 0 {
			t.Errorf("the response has %v, all of which the page had", part.Rows)
		}
		have = all.Rows
	}
}

// TestChangesAreLimited checks that the response has at most the requested number of
// changes and the total count.
func TestChangesAreLimited(t *testing.T) {
	e, s := New(), fourManagers(4)
	var all, some, more RunOutput
	must(t, e, "run", RunInput{Scenario: s, At: 4, Against: 3}, &all)
	must(t, e, "run", RunInput{Scenario: s, At: 4, Against: 3, Changes: 10}, &some)
	must(t, e, "run", RunInput{Scenario: s, At: 4, Against: 3, Changes: 10000}, &more)
	if n := len(all.Changes); n < 400 || all.Changed != n || some.Changed != n {
		t.Errorf("%d changes, counted %d and %d", n, all.Changed, some.Changed)
	}
	if !reflect.DeepEqual(some.Changes, all.Changes[:10]) || !reflect.DeepEqual(more, all) {
		t.Error("the limited changes are not a prefix of all changes")
	}
}

// TestLineFinder looks up all fields of an object in random order. Both by search and
// by index, the result must be the first line with the field's path.
func TestLineFinder(t *testing.T) {
	e := New()
	if _, err := e.run(&RunInput{Scenario: fourManagers(2), At: 2}); err != nil {
		t.Fatal(err)
	}
	lines := e.last.linesAfter(1)
	f := lineFinder{lines: lines}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(lines)) {
		want := slices.IndexFunc(lines, func(l explain.Line) bool { return slices.Equal(l.Path, lines[i].Path) })
		if got := f.first(lines[i].Path); got != want+1 {
			t.Fatalf("%s: line %d, want %d", lines[i].Path, got, want+1)
		}
	}
	if f.index == nil {
		t.Error("many look-ups in random order did not create an index")
	}
	if got := f.first(document.Keys("nowhere")); got != 0 {
		t.Errorf("nowhere is found in line %d", got)
	}
}

// TestSkippedRulesAndPoliciesAreCounted checks the page's note on how many policies, and
// CEL rules of the step's kind, were not run.
func TestSkippedRulesAndPoliciesAreCounted(t *testing.T) {
	const thing = "{apiVersion: x.example.com/v1, kind: Thing, metadata: {name: t}, spec: {}}"
	const other = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}"
	const crd = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.x.example.com"},"spec":{"group":"x.example.com","scope":"Namespaced",
		"names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
		"x-kubernetes-validations":[{"rule":"true"},{"rule":"self == self"}]}}}}}]}}`
	const policy = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"p"},"spec":{"validations":[{"expression":"true"}],
		"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}]}}}`
	for _, c := range []struct {
		definitions     []string
		body            string
		rules, policies int
	}{{nil, other, 0, 0}, {[]string{crd}, thing, 2, 0}, {[]string{crd}, other, 0, 0}, {[]string{crd, policy}, thing, 2, 1}} {
		steps := []Step{{Actor: "alice", Do: "apply", Body: c.body}}
		out, err := New().run(&RunInput{Scenario: Scenario{Definitions: c.definitions, Steps: steps}, At: 1})
		if err != nil || out.RulesNotRun != c.rules || out.PoliciesNotRun != c.policies {
			t.Errorf("%d definitions: %d rules and %d policies, %v, want %d and %d", len(c.definitions), out.RulesNotRun, out.PoliciesNotRun, err, c.rules, c.policies)
		}
	}
}
