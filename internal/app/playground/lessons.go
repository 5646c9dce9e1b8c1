package playground

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/scenario"
)

// lesson parses a lesson: a scenario with questions for its steps, as described in
// testdata/lessons/README.md.
func (e *Engine) lesson(in *TextInput) (*LessonOutput, error) {
	s, root, err := parseLesson(in.Text)
	if err != nil {
		return nil, err
	}
	out := &LessonOutput{Group: root.Get("group").StringOr(""), Scenario: fromScenario(s)}
	for i, step := range root.Get("steps").Items() {
		q := step.Get("question")
		if !q.Exists() {
			continue
		}
		question := Question{Step: i + 1, Ask: q.Get("ask").StringOr(""), Because: q.Get("because").StringOr("")}
		for _, c := range q.Get("choices").Items() {
			right, _ := c.Get("right").Bool()
			question.Choices = append(question.Choices, Choice{Text: c.Get("text").StringOr(""), Right: right})
		}
		if question.Ask == "" || len(question.Choices) < 2 {
			return nil, fmt.Errorf("the question of step %d needs ask and at least two choices", i+1)
		}
		out.Questions = append(out.Questions, question)
	}
	if out.Group == "" || len(out.Questions) == 0 {
		return nil, errors.New("a lesson needs a group and a question")
	}
	return out, nil
}

// parseLesson parses a lesson as a scenario, without its questions. root is the complete
// lesson.
func parseLesson(text string) (s *scenario.Scenario, root document.Value, err error) {
	if err := tooDeep(text); err != nil {
		return nil, root, err
	}
	d, err := document.ParseYAML([]byte(text), document.Options{})
	if err != nil {
		return nil, root, err
	}
	root = d.Root
	if version := root.Get("lesson").StringOr(""); version != scenario.Version {
		return nil, root, fmt.Errorf("a lesson begins with %q, found %q", "lesson: "+scenario.Version, version)
	}
	var steps document.ListBuilder
	for _, step := range root.Get("steps").Items() {
		steps.Append(step.Without("question"))
	}
	plain := root.Without("lesson").Without("group").With("scenario", root.Get("lesson")).With("steps", steps.List())
	s, err = scenario.Parse(plain.YAML(), "")
	return s, root, err
}
