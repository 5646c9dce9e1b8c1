package playground

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// examples returns the scenarios of testdata, by file name.
func examples(t *testing.T) map[string]Scenario {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/scenarios/*.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d scenarios, at least twelve are wanted (%v)", len(files), err)
	}
	out := map[string]Scenario{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var read ScenarioOutput
		must(t, New(), "import", TextInput{Text: string(data)}, &read)
		out[strings.TrimSuffix(filepath.Base(file), ".yaml")] = read.Scenario
	}
	return out
}

// TestExamplesHaveExpectedResults checks the result of each example's steps, so that
// the notes shown to users stay correct.
func TestExamplesHaveExpectedResults(t *testing.T) {
	codes := map[string][]int{
		"01-first-conflict":        {201, 409},
		"02-sharing":               {201, 200, 200, 200},
		"03-take-over":             {201, 200, 409},
		"04-autoscaler":            {201, 200, 409, 200},
		"05-containers":            {201, 200, 200, 200},
		"06-defaulted-keys":        {201, 200, 409},
		"07-client-side-leftovers": {201, 200, 200},
		"08-atomic-list":           {201, 409},
		"09-set":                   {201, 200, 200, 200, 200},
		"10-status":                {201, 200, 200},
		"11-patches":               {201, 200, 200, 200},
		"12-custom-resource":       {201, 200, 409},
		"13-strict":                {201, 500, 422, 0, 409},
		"14-update-and-null":       {201, 200, 409},
	}
	all := examples(t)
	for name, s := range all {
		var out RunOutput
		must(t, New(), "run", RunInput{Scenario: s, At: len(s.Steps)}, &out)
		var got []int
		for i, step := range out.Steps {
			got = append(got, step.Code)
			if step.Code != codes[name][min(i, len(codes[name])-1)] {
				t.Logf("%s step %d: %d %s", name, i+1, step.Code, step.Message)
			}
			if !step.OK && !strings.Contains(step.Message, "modified") && len(step.Marks) == 0 {
				t.Errorf("%s step %d: no position is marked for %q", name, i+1, step.Message)
			}
		}
		if !reflect.DeepEqual(got, codes[name]) {
			t.Errorf("%s answers %v, want %v", name, got, codes[name])
		}
		for i, d := range out.Definitions {
			if !d.OK {
				t.Errorf("%s: definition %d: %+v", name, i, d.Mark)
			}
		}
		if s.Title == "" || s.About == "" {
			t.Errorf("%s has no title or no summary for the menu", name)
		}
	}
	if len(codes) != len(all) {
		t.Errorf("%d examples, answers of %d", len(all), len(codes))
	}
}
