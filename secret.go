package patchlab

import (
	"errors"
	"regexp"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/patch"
)

// isSecret reports whether the change is one to a Secret.
func (w *write) isSecret() bool { return w.kind.Group == "" && w.kind.Kind == "Secret" }

// withoutValues returns a function that removes the values of a Secret from a message about a
// refused write, because messages are logged and posted. Messages about other kinds are unchanged.
//
// Two kinds of messages have values: a string or number where the kind has another type is printed
// after its type, and a failed test of a JSON patch prints what it compares. They are found by their
// text, so a new message with a value has to be added here. The names of keys are not removed: they
// are part of the paths in messages.
func (w *write) withoutValues(status *cluster.Status) func(message string) string {
	if !w.isSecret() {
		return func(message string) string { return message }
	}
	mistyped := regexp.MustCompile(`the (string) "(?:[^"\\]|\\.)*"|the (number) [-+.\w]+`)
	var failed *patch.Error
	if !errors.As(status, &failed) || failed.Err != patch.ErrTestFailed {
		failed = &patch.Error{}
	}
	return func(message string) string {
		if failed.Reason != "" {
			message = strings.Replace(message, failed.Reason, "the test failed: the object has another value", 1)
		}
		return mistyped.ReplaceAllString(message, "a $1$2")
	}
}
