package document

import (
	"bytes"
	"errors"
)

// ErrNoDocument says that an input holds no document.
var ErrNoDocument = errors.New("no document")

// ParseYAML reads the first document of a YAML input. JSON is taken as well.
// An error is a *SyntaxError.
func ParseYAML(data []byte, opts Options) (*Document, error) {
	docs, err := Read(data, opts)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, &SyntaxError{Position: Position{Name: opts.Name}, Reason: "the input holds no document", Err: ErrNoDocument}
	}
	return docs[0], nil
}

// Read reads a stream of documents, YAML or JSON. Empty documents are left out.
func Read(data []byte, opts Options) ([]*Document, error) {
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		d, err := Parse(data, opts)
		if err != nil {
			return nil, err
		}
		return []*Document{d}, nil
	}
	return nil, &SyntaxError{Position: Position{Name: opts.Name}, Reason: "expected an object or a list in JSON", Err: ErrSyntax}
}

// YAML returns the value as a YAML document.
func (v Value) YAML() []byte { return append(v.JSON(), '\n') }
