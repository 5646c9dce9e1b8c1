package document

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"go.yaml.in/yaml/v3"
)

// maxAliasGrowth bounds the expansion of the aliases and merge keys of a YAML input, in all its
// documents together: this many times the size of the input plus one megabyte.
const maxAliasGrowth = 10

// Read parses a stream of YAML or JSON documents like kubectl: JSON, of which several objects may
// follow each other, is parsed as JSON, anything else as YAML. A list, such as a JSON patch, has the
// values that YAML gives it, so that 2.0 is the integer 2. Empty documents are skipped. An error is
// a *SyntaxError.
func Read(data []byte, opts Options) ([]*Document, error) {
	if err := opts.tooLarge(len(data)); err != nil {
		return nil, err
	}
	var jsonErr error
	if isList := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")); isList && !sameInYAML(data) {
		if docs, err := readYAML(data, opts, false); err == nil {
			return docs, nil
		}
	}
	if looksLikeJSON(data) {
		docs, err := readJSON(data, opts)
		if err == nil {
			return docs, nil
		}
		if errors.Is(err, ErrDuplicateKey) || errors.Is(err, ErrTooDeep) {
			return nil, err
		}
		jsonErr = err
	}
	docs, err := readYAML(data, opts, false)
	if err != nil && jsonErr != nil {
		return nil, jsonErr
	}
	return docs, err
}

// ParseYAML parses the first document of a YAML input as the API server parses the body of
// an apply request: by the rules of YAML 1.1, even if it is JSON (yes is true, 010 is 8,
// 1.0 is the integer 1). Further documents are ignored; an empty input is null. An error is
// a *SyntaxError.
func ParseYAML(data []byte, opts Options) (*Document, error) {
	if err := opts.tooLarge(len(data)); err != nil {
		return nil, err
	}
	if looksLikeJSON(data) && sameInYAML(data) {
		o := opts
		o.Duplicates = DuplicatesRefused // YAML errors have other lines and keys
		if d, err := Parse(data, o); err == nil {
			return d, nil
		}
	}
	docs, err := readYAML(data, opts, true)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return parse(newDocument("null", opts))
	}
	return docs[0], nil
}

func looksLikeJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}

// sameInYAML reports whether JSON text certainly has the same meaning in YAML 1.1: plain
// ASCII without \u escapes, the escape \/ (which YAML 1.1 refuses), tabs, numbers with a
// fraction or exponent or with more digits than an int64 always holds, or keys longer than
// YAML allows (1,024 characters). It may return false for such text.
func sameInYAML(data []byte) bool {
	digits := 0
	for i := 0; i < len(data); i++ {
		c := data[i]
		if c >= '0' && c <= '9' {
			if digits++; digits > 18 {
				return false
			}
			continue
		}
		if digits > 0 && (c == '.' || c == 'e' || c == 'E') {
			return false
		}
		digits = 0
		switch {
		case c == '"':
			end, same := sameString(data, i)
			if !same || end-i > 1000 && end+1 < len(data) && data[end+1] == ':' {
				return false
			}
			i = end
		case c == '\t' || c == '\r' || c >= 0x7f:
			return false
		}
	}
	return true
}

// sameString returns the offset of the end of the string that begins at start, and whether it has the
// same meaning in YAML.
func sameString(data []byte, start int) (end int, same bool) {
	i := start + 1
	for ; i < len(data) && data[i] != '"'; i++ {
		if c := data[i]; c < 0x20 || c >= 0x7f {
			return i, false
		} else if c != '\\' {
			continue
		}
		if i++; i < len(data) && (data[i] == 'u' || data[i] == '/') {
			return i, false
		}
	}
	return i, true
}

// readYAML parses the documents of a stream, or the first one. It parses them one by one, so
// that blockReader parses those that it supports. If one of them cannot be parsed, the library
// parses the whole stream, because the reason and its position may depend on what surrounds it.
// What follows the first document is not looked at if only that is wanted.
func readYAML(data []byte, opts Options, firstOnly bool) ([]*Document, error) {
	r := newYAMLReader(data, opts, firstOnly)
	if hasOtherBreaks(data) {
		return r.documents(data, 1)
	}
	var docs []*Document
	line := 1
	for rest := data; len(rest) > 0; {
		next := nextMarker(rest)
		read, err := r.documents(rest[:next], line)
		if err != nil {
			r = newYAMLReader(data, opts, firstOnly)
			return r.anyDocuments(data, 1)
		}
		if firstOnly && len(read) > 0 {
			return read, nil
		}
		docs = append(docs, read...)
		line += bytes.Count(rest[:next], []byte("\n"))
		rest = rest[next:]
	}
	return docs, nil
}

// yamlReader parses the documents of a YAML stream.
type yamlReader struct {
	opts      Options
	firstOnly bool // the first document is wanted, even if it is empty
	// budget is the number of bytes and merged members that may still be written.
	budget int
}

func newYAMLReader(data []byte, opts Options, firstOnly bool) yamlReader {
	return yamlReader{opts: opts, firstOnly: firstOnly, budget: maxAliasGrowth*len(data) + 1<<20}
}

// hasOtherBreaks reports whether YAML has line breaks other than newlines.
func hasOtherBreaks(data []byte) bool {
	for _, other := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(data, []byte(other)) {
			return true
		}
	}
	return false
}

// marker is a line that begins a document, wherever it is in a stream.
const marker = "---\n"

// nextMarker returns the offset of the first marker after the beginning, or the end.
func nextMarker(data []byte) int {
	if i := bytes.Index(data, []byte("\n"+marker)); i >= 0 {
		return i + 1
	}
	return len(data)
}

// documents parses a part of the stream that begins in the given line.
func (r *yamlReader) documents(data []byte, line int) ([]*Document, error) {
	if out, marks, ok := readBlock(data, line); ok {
		if d, err := parse(yamlDocument(out, marks, r.opts)); err == nil {
			return []*Document{d}, nil
		}
	}
	return r.anyDocuments(data, line)
}

// yamlDocument returns the document of JSON text that was converted from YAML. The text
// must not be modified afterwards.
func yamlDocument(out []byte, marks []mark, opts Options) *Document {
	if opts.Duplicates == DuplicatesMerged {
		opts.Duplicates = DuplicatesLast // only decoding JSON into Go structs merges
	}
	d := newDocument(unsafe.String(unsafe.SliceData(out), len(out)), opts)
	d.marks = marks
	return d
}

// anyDocuments is documents with the YAML library, which parses all of YAML.
func (r *yamlReader) anyDocuments(data []byte, line int) ([]*Document, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []*Document
	for {
		var n yaml.Node
		err := decodeNode(dec, &n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, yamlError(err, r.opts)
		}
		c := yamlConverter{opts: r.opts, before: line - 1, budget: r.budget}
		if err := c.node(&n, 0); err != nil {
			return nil, err
		}
		r.budget = c.left()
		if string(c.out) != "null" || r.firstOnly {
			d, err := parse(yamlDocument(c.out, c.marks, r.opts))
			if err != nil {
				return nil, err
			}
			d.converted = c.converted
			docs = append(docs, d)
		}
		if r.firstOnly {
			return docs, nil
		}
	}
}

// decodeNode converts a panic of the YAML library to an error.
func decodeNode(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("yaml: the document cannot be read")
		}
	}()
	return dec.Decode(n)
}

// unknownAnchor is the reason for an alias without an anchor. It does not have the name, because a
// password that begins with an asterisk is an alias unless it is quoted.
const unknownAnchor = "an alias has no anchor; put a text that begins with * in quotes"

// countedFromZero are the library's errors whose lines are counted from 0: those of its parser. Those of
// its scanner are counted from 1. The line is that where the list or object begins, if it is not the
// first one. The line of missing node content stays that before it, because most often the text ends
// there.
var countedFromZero = [...]string{
	"did not find expected key", "did not find expected '-' indicator", "did not find expected ',' or ']'",
	"did not find expected ',' or '}'", "did not find expected <document start>",
}

// yamlError converts the library's message, "yaml: line N: text", to a *SyntaxError.
func yamlError(err error, opts Options) error {
	e := &SyntaxError{Position: Position{Name: opts.Name}, Err: ErrSyntax}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, after, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			text = after
			if slices.Contains(countedFromZero[:], text) {
				line++
			}
			e.Position.Line, e.Position.Column = line, 1
		}
	}
	if strings.HasPrefix(text, "unknown anchor ") {
		text = unknownAnchor
	}
	e.Reason = "invalid YAML: " + text
	return e
}
