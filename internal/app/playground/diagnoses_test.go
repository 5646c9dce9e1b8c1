package playground

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/scenario"
)

// diagnosis is a case of testdata/diagnoses.
type diagnosis struct {
	live, crd, manifest string
	facts               document.Value
}

const diagnoses = "../../../testdata/diagnoses/"

func readDiagnosis(t testing.TB, name string) *diagnosis {
	t.Helper()
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(diagnoses, name, file))
		if err != nil && file != "crd.yaml" {
			t.Fatal(err)
		}
		return string(text)
	}
	facts, err := document.ParseYAML([]byte(read("case.yaml")), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &diagnosis{live: read("live.yaml"), crd: read("crd.yaml"), manifest: read("manifest.yaml"), facts: facts.Root}
}

// scenario returns a scenario that starts with the pasted live object, followed by the
// step to explain.
func (d *diagnosis) scenario(t testing.TB, e *Engine) Scenario {
	t.Helper()
	text := d.live
	if d.crd != "" {
		text += "---\n" + d.crd
	}
	var pasted PasteOutput
	if f := ask(t, e, "paste", PasteInput{Text: text}, &pasted); f != nil {
		t.Fatalf("%+v", f)
	}
	if len(pasted.Objects) != 1 || !pasted.Objects[0].Live || !pasted.Objects[0].Known {
		t.Fatalf("pasted: %+v", pasted.Objects)
	}
	s := Scenario{Objects: []string{pasted.Objects[0].Text}, Steps: []Step{{Actor: d.facts.Get("actor").StringOr(""), Do: d.facts.Get("do").StringOr(""), Body: d.manifest}}}
	for _, def := range pasted.Definitions {
		s.Definitions = append(s.Definitions, def.Text)
	}
	return s
}

// TestDiagnoses pastes each live object, applies the manifest to it, and compares the
// result and its explanation with the expected ones.
func TestDiagnoses(t *testing.T) {
	folders, err := filepath.Glob(diagnoses + "*/case.yaml")
	if err != nil || len(folders) < 5 {
		t.Fatalf("%d cases: %v", len(folders), err)
	}
	for _, folder := range folders {
		name := filepath.Base(filepath.Dir(folder))
		t.Run(name, func(t *testing.T) {
			d := readDiagnosis(t, name)
			e := New()
			s := d.scenario(t, e)
			results, err := scenario.Run(context.Background(), s.scenario())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range d.expectation(t).Check(&results[0]) {
				t.Errorf("%v (%v)", m, results[0].Err)
			}
			d.checkPage(t, e, s)
			d.checkReasons(t, s)
		})
	}
}

// expectation returns the expected result of the step.
func (d *diagnosis) expectation(t *testing.T) *scenario.Expectation {
	t.Helper()
	step := document.NewObject().With("actor", d.facts.Get("actor")).With("do", d.facts.Get("do")).
		With("body", document.NewString(d.manifest)).With("expect", d.facts.Get("expect"))
	text := document.NewObject().With("scenario", document.NewString(scenario.Version)).
		With("actors", document.NewList(document.NewObject().With("name", d.facts.Get("actor")))).With("steps", document.NewList(step))
	s, err := scenario.Parse(text.YAML(), "case.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s.Steps[0].Expect
}

// checkPage checks the output for the page: the managers of the live object, conflicts
// with their lines, and the managers of each line.
func (d *diagnosis) checkPage(t *testing.T, e *Engine, s Scenario) {
	t.Helper()
	var out RunOutput
	must(t, e, "run", RunInput{Scenario: s, At: 1, Against: 0}, &out)
	for _, m := range out.Object.Managers {
		if !strings.Contains(d.live, "manager: "+m.Name+"\n") && m.Name != s.Steps[0].Actor {
			t.Errorf("manager %s is not in the live object", m.Name)
		}
	}
	for path, owner := range d.facts.Lookup("expect", "conflicts").Members() {
		found := false
		for _, c := range out.Conflicts {
			name, _, _ := strings.Cut(owner.At(0).StringOr(""), "/")
			found = found || c.Path == path && c.Owner.Name == name && c.Mark.Line > 0 && len(c.Ways) == 3
		}
		if !found {
			t.Errorf("the page shows no conflict with %v at %s: %+v", owner, path, out.Conflicts)
		}
	}
	for path, owner := range d.facts.Get("owned").Members() {
		found := false
		for _, row := range out.Rows {
			if row.Line == 0 { // the step removed it
				continue
			}
			var line LineOutput
			must(t, e, "line", LineInput{Scenario: s, At: 1, Line: row.Line}, &line)
			if line.Path == path {
				found = len(line.Owners) == 1 && out.Object.Managers[line.Owners[0].Manager].Name == owner.StringOr("")
			}
		}
		if !found {
			t.Errorf("%s is not shown as owned by %v", path, owner)
		}
	}
}

// checkReasons checks that the explanation of each field names the conflicting manager.
func (d *diagnosis) checkReasons(t *testing.T, s Scenario) {
	t.Helper()
	if !d.facts.Get("says").Exists() {
		return
	}
	r, err := scenario.NewRunner(context.Background(), "", s.Definitions, nil)
	if err != nil {
		t.Fatal(err)
	}
	existing, err := r.Load(context.Background(), s.Objects[0])
	if err != nil {
		t.Fatal(err)
	}
	step := s.Steps[0].step()
	said := map[string]string{}
	for _, reason := range r.Explain(context.Background(), &step, existing[0].Object) {
		said[reason.Path.String()] += reason.Text
	}
	for path, part := range d.facts.Get("says").Members() {
		if !strings.Contains(said[path], part.StringOr("")) {
			t.Errorf("the reason of %s is %q, which does not name %v", path, said[path], part)
		}
	}
}

// TestDefinitionIsParsedOnce checks that a 300 KB CRD is not parsed again when a step is
// edited, another step is selected or a line is inspected.
func TestDefinitionIsParsedOnce(t *testing.T) {
	d := readDiagnosis(t, "custom-resource")
	if len(d.crd) < 300_000 {
		t.Fatalf("the definition has %d bytes", len(d.crd))
	}
	e := New()
	s := d.scenario(t, e)
	must(t, e, "run", RunInput{Scenario: s, At: 1}, &RunOutput{})
	kind := e.last.results[0].Kind
	for i, change := range []func(){
		func() { s.Steps[0].Body = strings.Replace(d.manifest, "15s", "16s", 1) },
		func() { s.Steps = append(s.Steps, s.Steps[0]) },
		func() { s.Steps[0].Actor = "somebody-else" },
		func() { s.Objects[0] = strings.Replace(s.Objects[0], "48h", "49h", 1) },
	} {
		s.Steps, s.Objects = append([]Step{}, s.Steps...), append([]string{}, s.Objects...)
		change()
		for _, at := range []int{0, 1} {
			must(t, e, "run", RunInput{Scenario: s, At: at}, &RunOutput{})
		}
		if e.last.results[0].Kind != kind { // parsing the CRD creates a new Kind
			t.Errorf("change %d reads the definition again", i)
		}
	}
}

// BenchmarkAKeyBesideALargeDefinition measures an edit of a step on a custom resource
// whose CRD has 300 KB.
func BenchmarkAKeyBesideALargeDefinition(b *testing.B) {
	d := readDiagnosis(b, "custom-resource")
	e := New()
	s := d.scenario(b, e)
	bodies := [2]string{d.manifest, strings.Replace(d.manifest, "15s", "16s", 1)}
	requests := [2][]byte{}
	for i := range bodies {
		s.Steps = []Step{s.Steps[0]}
		s.Steps[0].Body = bodies[i]
		requests[i] = request("run", RunInput{Scenario: s, At: 1, Changes: 100})
	}
	e.Handle(requests[0])
	i := 0
	for b.Loop() {
		i++
		e.Handle(requests[i%2])
	}
}
