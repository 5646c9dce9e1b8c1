package cluster

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// A StrictError lists the fields of a body that its kind does not have and the
// keys that the body holds twice. It is the cause of a Status where the request
// asked for strict field validation.
type StrictError struct{ Problems []Problem }

// A Problem is one unknown or duplicate field of a body.
type Problem struct {
	// Path leads to the field: in the body of a create, an update or a JSON
	// patch's own members, and otherwise in the object that the patch makes.
	Path document.Path
	// Message is worded as by the API server: unknown field "spec.foo".
	Message string
}

// Error returns the message of the API server's decoders.
func (e *StrictError) Error() string {
	return "strict decoding error: " + strings.Join(messages(e.Problems), ", ")
}

// messages returns the messages of problems, in their order.
func messages(problems []Problem) []string {
	if len(problems) == 0 {
		return nil
	}
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.Message
	}
	return texts
}
