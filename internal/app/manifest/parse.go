package manifest

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/document"
)

// Parse parses the documents of a text; name is the name of the text for error messages. Empty
// documents are left out. The error for invalid YAML includes a hint for common causes.
func Parse(name string, data []byte) ([]*document.Document, error) {
	return parse(name, data, document.DuplicatesRefused)
}

func parse(name string, data []byte, d document.Duplicates) ([]*document.Document, error) {
	o := document.Options{Name: name, MaxBytes: MaxBytes}
	isJSON := strings.HasSuffix(strings.ToLower(name), ".json")
	if isJSON { // most such files have one object, which is the same in JSON and YAML
		if d, err := document.Parse(data, o); err == nil && d.Root.Kind() == document.Object {
			return []*document.Document{d}, nil
		}
	}
	docs, err := document.Read(data, o)
	if errors.Is(err, document.ErrDuplicateKey) && d != o.Duplicates {
		// The option is set only now, because overriding a merged key would count as a
		// duplicate before.
		o.Duplicates = d
		docs, err = document.Read(data, o)
	}
	if err == nil {
		if isJSON && len(docs) == 1 {
			err = invalidJSON(data, o)
		}
		return docs, err
	}
	var syntax *document.SyntaxError
	switch {
	case errors.Is(err, document.ErrTooLarge):
		return nil, &hinted{err, "split it into several files of a folder, which may have any size together"}
	case errors.As(err, &syntax):
		if hint := Hint(data, syntax); hint != "" {
			return nil, &hinted{err, hint}
		}
	}
	return nil, err
}

// A hinted error is an error with a hint.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hinted) Unwrap() error { return e.err }

// Hint returns advice on a text that is not YAML, "" if there is none. It recognizes common kinds of
// texts that are not manifests.
func Hint(data []byte, err *document.SyntaxError) string {
	line := line(data, err.Position.Line)
	indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return "this is compressed by gzip; decompress it first, for example with 'zcat FILE | patchlab … -'"
	case !isText(data):
		return "this is not a text file in UTF-8"
	case bytes.HasPrefix(data, []byte("%YAML")):
		return "Kubernetes uses YAML 1.1, and kubectl refuses this directive; remove the line"
	case bytes.Contains(data, []byte("{{")) && bytes.Contains(data, []byte("}}")), bytes.HasPrefix(data, []byte("{%")): // of Helm, of Jinja
		return "this looks like a template; render it first, for example with 'helm template'"
	case bytes.HasPrefix(data, []byte("Name:  ")):
		return "this looks like the output of 'kubectl describe'; use that of 'kubectl get -o yaml --show-managed-fields'"
	case bytes.Contains(data, []byte("\n==== START logs ")):
		return "this looks like the output of 'kubectl cluster-info dump'; write it to a folder with --output-directory, and read that with -R"
	case bytes.ContainsRune(indent, '\t'):
		return "this line begins with a tab; indent YAML with spaces"
	}
	return ""
}

// isText reports whether data is text in UTF-8, or in UTF-16 with a byte order mark, which YAML
// allows too.
func isText(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) ||
		utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// line returns a line of a text, counted from 1.
func line(data []byte, number int) []byte {
	lines := strings.SplitAfterN(string(data), "\n", number+1)
	if number < 1 || number > len(lines) {
		return nil
	}
	return []byte(lines[number-1])
}

// invalidJSON returns an error for a .json file that is valid as YAML only, for example
// because of a trailing comma.
func invalidJSON(data []byte, o document.Options) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // as PowerShell writes it
	if _, err := document.Parse(data, o); err != nil {
		return &hinted{err, "rename a YAML file to .yaml"}
	}
	return nil
}
