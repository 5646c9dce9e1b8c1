package manifest

import (
	"bytes"
	"errors"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// Parse reads the documents of a text; name is the text's name for messages.
// Empty documents are left out. A text that is no YAML is answered with a hint
// where a common cause is recognized.
func Parse(name string, data []byte) ([]*document.Document, error) {
	return parse(name, data, document.DuplicatesRefused)
}

func parse(name string, data []byte, d document.Duplicates) ([]*document.Document, error) {
	o := document.Options{Name: name, MaxBytes: MaxBytes}
	docs, err := document.Read(data, o)
	if errors.Is(err, document.ErrDuplicateKey) && d != o.Duplicates {
		// Only now, because to override a merged key counts as a duplicate then.
		o.Duplicates = d
		docs, err = document.Read(data, o)
	}
	if err == nil {
		return docs, invalidJSON(name, data, docs, o)
	}
	var syntax *document.SyntaxError
	if errors.As(err, &syntax) {
		if hint := hint(line(data, syntax.Position.Line), data); hint != "" {
			return nil, &hinted{err, hint}
		}
	}
	return nil, err
}

// A hinted error is one with advice.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hinted) Unwrap() error { return e.err }

// hint recognizes what people often pass for a manifest.
func hint(line, data []byte) string {
	indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	switch {
	case bytes.HasPrefix(data, []byte("%YAML")):
		return "Kubernetes reads YAML 1.1, and kubectl refuses this directive: remove the line"
	case bytes.Contains(data, []byte("{{")) && bytes.Contains(data, []byte("}}")):
		return "this looks like a template: render it first, as with 'helm template'"
	case bytes.ContainsRune(indent, '\t'):
		return "YAML is indented with spaces, and this line begins with a tab"
	}
	return ""
}

// line returns a line of a text, counted from 1.
func line(data []byte, number int) []byte {
	lines := strings.SplitAfterN(string(data), "\n", number+1)
	if number < 1 || number > len(lines) {
		return nil
	}
	return []byte(lines[number-1])
}

// invalidJSON refuses a file that is called JSON and is YAML alone, such as for a
// comma too many: a program that reads JSON would not take it.
func invalidJSON(name string, data []byte, docs []*document.Document, o document.Options) error {
	if !strings.HasSuffix(strings.ToLower(name), ".json") || len(docs) != 1 {
		return nil
	}
	if _, err := document.Parse(data, o); err != nil {
		return &hinted{err, "a file of YAML should be named .yaml"}
	}
	return nil
}
