package cluster

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// A StrictError lists the unknown fields and the duplicate keys of a body. It is the Err of a
// Status if the request has strict field validation.
type StrictError struct{ Problems []Problem }

// A Problem is one unknown field or duplicate key of a body.
type Problem struct {
	// Path is the path of the field in the body of a create or update, or in the operations of
	// a JSON patch, or in the object that results from any other patch.
	Path document.Path
	// Message is the message of the API server, such as: unknown field "spec.foo".
	Message string
	// Duplicate is set for a duplicate key.
	Duplicate bool
	// yamlKey is set for a duplicate key in YAML, see combined.
	yamlKey bool
}

// Error returns the messages in the format of the API server's decoders.
func (e *StrictError) Error() string {
	return "strict decoding error: " + strings.Join(combined(e.Problems), ", ")
}

// combined returns the messages of problems with those about duplicate keys in YAML, which
// come first, in one: the YAML decoder of the API server returns one error for all of them.
func combined(problems []Problem) []string {
	texts := messages(problems)
	n := 0
	for n < len(problems) && problems[n].yamlKey {
		n++
	}
	if n == 0 {
		return texts
	}
	return append([]string{"yaml: unmarshal errors:\n  " + strings.Join(texts[:n], "\n  ")}, texts[n:]...)
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
