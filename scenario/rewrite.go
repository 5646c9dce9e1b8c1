package scenario

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// Rewrite returns the text of a scenario with other expectations. expect has one for each
// step; nil keeps that of the step. Comments and all other text are preserved. An error
// names the step that cannot be rewritten.
func Rewrite(data []byte, name string, expect []*Expectation) ([]byte, error) {
	for i, e := range expect {
		if e == nil {
			continue
		}
		d, err := document.ParseYAML(data, document.Options{Name: name, MaxBytes: MaxBytes})
		if err != nil {
			return nil, err
		}
		steps := d.Root.Get("steps")
		if steps.Kind() != document.List || i >= steps.Len() {
			return nil, &Error{Position: d.Position(steps), Reason: fmt.Sprintf("the expectation of step %d cannot be written: the scenario has no such step", i+1)}
		}
		step := steps.At(i)
		next := e.value()
		if document.Equal(step.Get("expect"), next) {
			continue
		}
		wanted := d.Root.With("steps", steps.WithItem(i, step.With("expect", next)))
		text, err := manifest.Rewrite(string(data), 0, wanted)
		if err != nil {
			return nil, &Error{Position: d.Position(step), Reason: fmt.Sprintf("the expectation of step %d cannot be rewritten in place: write each field of the step in a line of its own", i+1)}
		}
		data = []byte(text)
	}
	return data, nil
}
