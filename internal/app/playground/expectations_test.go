package playground

import (
	"reflect"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/scenario"
)

// TestExpectationsAndRacesAreKept checks that the page preserves the expectations and
// races of a scenario file that it imports and exports.
func TestExpectationsAndRacesAreKept(t *testing.T) {
	const file = `scenario: patchlab.dev/v1
actors: [{name: a}, {name: b}]
steps:
- {actor: a, do: apply, body: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {n: '1'}\n"}
- {actor: b, do: apply, body: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {n: '2'}\n", expect: {result: conflict, conflicts: {.data.n: [a]}}}
race: [{actor: a, set: {data: {m: "1"}}}, {actor: b, add: {.data.n: 2}}]
`
	want, err := scenario.Parse([]byte(file), "")
	if err != nil {
		t.Fatal(err)
	}
	var read ScenarioOutput
	must(t, New(), "import", TextInput{Text: file}, &read)
	var run RunOutput
	must(t, New(), "run", RunInput{Scenario: read.Scenario, At: 2}, &run)
	if got := run.Steps[1].Code; got != 409 {
		t.Errorf("the second step ends with %d", got)
	}
	var written TextOutput
	must(t, New(), "export", ScenarioInput(read), &written)
	got, err := scenario.Parse([]byte(written.Text), "")
	if err != nil {
		t.Fatalf("%v in\n%s", err, written.Text)
	}
	if !reflect.DeepEqual(got.YAML(), want.YAML()) {
		t.Errorf("written as\n%s\nwant\n%s", got.YAML(), want.YAML())
	}
}

func TestExpectationsOfAnotherFormAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Scenario){
		"no JSON":           func(s *Scenario) { s.Steps[0].Expect = "{" },
		"unknown field":     func(s *Scenario) { s.Steps[0].Expect = `{"colour": "red"}` },
		"race of nobody":    func(s *Scenario) { s.Race = []string{`{"actor": "nobody", "set": {}}`} },
		"race of no JSON":   func(s *Scenario) { s.Race = []string{"["} },
		"race of no object": func(s *Scenario) { s.Race = []string{"7"} },
	} {
		s := Scenario{Actors: []Actor{{Name: "a"}}, Steps: []Step{{Actor: "a", Do: "apply"}}}
		change(&s)
		if _, err := New().write(&ScenarioInput{Scenario: s}); err == nil {
			t.Errorf("%s is written", name)
		} else if strings.TrimSpace(err.Error()) == "" {
			t.Errorf("%s has an empty error", name)
		}
	}
}
