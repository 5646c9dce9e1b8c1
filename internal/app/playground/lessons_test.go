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

var lessonGroups = []string{"First apply", "Sharing", "Conflicts", "Lists", "Moving from client-side apply",
	"Controllers and autoscalers", "Custom resources", "Patches and races"}

// TestLessons runs each lesson. After a question's step, the expectation of the right
// answer must hold and those of the wrong answers must not.
func TestLessons(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/lessons/*.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d lessons: %v", len(files), err)
	}
	groups, titles := map[string]int{}, map[string]bool{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out LessonOutput
			must(t, New(), "lesson", TextInput{Text: string(text)}, &out)
			if titles[out.Scenario.Title] || len(out.Scenario.Steps) > 6 {
				t.Errorf("the title %q is used twice, or %d steps are too many", out.Scenario.Title, len(out.Scenario.Steps))
			}
			titles[out.Scenario.Title] = true
			groups[out.Group]++
			checkLesson(t, string(text), out.Questions)
		})
	}
	for _, g := range lessonGroups {
		if groups[g] == 0 {
			t.Errorf("no lesson in the group %q", g)
		}
	}
	if len(groups) != len(lessonGroups) {
		t.Errorf("groups %v, want %q", groups, lessonGroups)
	}
}

// checkLesson compares the answers of a lesson's questions with the results of its
// steps.
func checkLesson(t *testing.T, text string, questions []Question) {
	t.Helper()
	s, root, err := parseLesson(text)
	if err != nil {
		t.Fatal(err)
	}
	results, err := scenario.Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[int]bool{}
	for _, q := range questions {
		asked[q.Step-1] = true
		right := 0
		for i, c := range q.Choices {
			if c.Right {
				right++
			}
			given := root.Get("steps").At(q.Step-1).Lookup("question", "choices").At(i).Get("expect")
			if !given.Exists() {
				t.Errorf("step %d: %q has no expectation", q.Step, c.Text)
				continue
			}
			mismatches := expected(t, root, q.Step-1, given).Check(&results[q.Step-1])
			if c.Right && len(mismatches) > 0 {
				t.Errorf("step %d: %q is marked as right: %v (%v)", q.Step, c.Text, mismatches, results[q.Step-1].Err)
			}
			if !c.Right && len(mismatches) == 0 {
				t.Errorf("step %d: the expectation of the wrong answer %q holds", q.Step, c.Text)
			}
		}
		if right != 1 || q.Because == "" {
			t.Errorf("step %d: %d right answers, and the reason %q", q.Step, right, q.Because)
		}
	}
	for i := range results {
		if e := s.Steps[i].Expect; e != nil && !asked[i] {
			for _, m := range e.Check(&results[i]) {
				t.Errorf("step %d: %v", i+1, m)
			}
		} else if e == nil && !asked[i] {
			t.Errorf("step %d has neither a question nor an expectation", i+1)
		}
	}
}

// expected converts an answer's expectation to the expectation of its step.
func expected(t *testing.T, root document.Value, step int, given document.Value) *scenario.Expectation {
	t.Helper()
	var steps document.ListBuilder
	for i, s := range root.Get("steps").Items() {
		if i == step {
			s = s.With("expect", given)
		}
		steps.Append(s)
	}
	s, _, err := parseLesson(string(root.With("steps", steps.List()).YAML()))
	if err != nil {
		t.Fatal(err)
	}
	return s.Steps[step].Expect
}

func TestInvalidLessonIsExplained(t *testing.T) {
	const steps = "actors: [{name: a}]\nsteps:\n- {actor: a, do: apply, body: 'kind: x'"
	for text, want := range map[string]string{
		"scenario: patchlab.dev/v1\n":                                                                                           "a lesson begins with",
		"lesson: patchlab.dev/v1\ntitle: t\n" + steps + "}\n":                                                                   "needs a group and a question",
		"lesson: patchlab.dev/v1\ngroup: g\ntitle: t\n" + steps + ", question: {ask: why}}\n":                                   "step 1 needs ask",
		"lesson: patchlab.dev/v1\ngroup: g\ntitle: t\nspice: 1\n" + steps + ", question: {ask: q, choices: [{text: a}, {}]}}\n": "spice",
		"lesson: [": "line",
	} {
		f := ask(t, New(), "lesson", TextInput{Text: text}, &LessonOutput{})
		if f == nil || !strings.Contains(f.Message, want) && !(want == "line" && f.Line > 0) {
			t.Errorf("%q: %+v, want %q", text, f, want)
		}
	}
}
