package server

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

const (
	// longAnswer is the size in bytes above which a response is compressed, if the client
	// accepts that, and sent in parts.
	longAnswer = 128 << 10
	// maxGrowth is the maximum factor by which indentation may enlarge a value of more than
	// smallValue bytes.
	maxGrowth  = 8
	smallValue = 64 << 10
)

// buffers are reused buffers of responses.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, longAnswer+longAnswer/8)) }}

// answer writes a response in parts, so that only one part is in memory. Errors of the
// connection are ignored: what is written after the client has disconnected is dropped.
type answer struct {
	w    *writer
	r    *http.Request
	form answerForm
	code int
	// buf holds what has not been sent; zip compresses the response.
	buf   *[]byte
	zip   *gzip.Writer
	begun bool
	gone  bool
	// element is a buffer for indenting one value.
	element []byte
}

// begin begins a response with a status code. The caller must call end.
func (s *Server) begin(w *writer, r *http.Request, form answerForm, code int) *answer {
	return &answer{w: w, r: r, form: form, code: code, buf: buffers.Get().(*[]byte)}
}

// write appends to the response by calling more.
func (a *answer) write(more func(dst []byte) []byte) {
	if *a.buf = more(*a.buf); len(*a.buf) >= longAnswer {
		a.send()
	}
}

func (a *answer) text(s string) {
	*a.buf = append(*a.buf, s...)
}

// send sends the buffered part of a long response.
func (a *answer) send() {
	if !a.begun {
		a.begun = true
		if compresses(a.r) {
			a.w.Header().Set("Content-Encoding", "gzip")
			a.w.Header().Add("Vary", "Accept-Encoding")
			a.zip = zippers.Get().(*gzip.Writer)
			a.zip.Reset(a.w)
		}
		a.header()
	}
	if !a.gone && a.r.Method != http.MethodHead {
		var err error
		if a.zip != nil {
			_, err = a.zip.Write(*a.buf)
		} else {
			_, err = a.w.Write(*a.buf)
		}
		a.gone = err != nil
	}
	*a.buf = (*a.buf)[:0]
}

func (a *answer) header() {
	a.w.Header().Set("Content-Type", a.form.contentType())
	a.w.WriteHeader(a.code)
}

// end sends the remaining part.
func (a *answer) end() {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Length", strconv.Itoa(len(*a.buf)))
		a.header()
	}
	a.send()
	if a.zip != nil {
		_ = a.zip.Close()
		a.zip.Reset(nil)
		zippers.Put(a.zip)
	}
	if cap(*a.buf) <= 4*longAnswer {
		buffers.Put(a.buf)
	}
}

// zippers are reused gzip writers with kube-apiserver's compression level.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return z
}}

// compresses reports whether to compress a long response: if the client accepts gzip (quality
// values are ignored, as in kube-apiserver) and is not on the loopback interface, where
// compression only costs time.
func compresses(r *http.Request) bool {
	if onLoopback(r) {
		return false
	}
	for encoding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(encoding) == "gzip" {
			return true
		}
	}
	return false
}

// object writes a single value.
func (a *answer) object(v document.Value) {
	appendJSON := v.AppendJSON
	if isStatus(v) {
		appendJSON = func(dst []byte) []byte { return appendStatus(dst, v) }
	}
	switch {
	case a.form.yaml && indentedSize(v.JSON(), 0) <= mostIndented(v.JSON()):
		a.write(func(dst []byte) []byte { return append(dst, v.YAML()...) })
	case a.form.pretty && !a.form.yaml:
		a.value(0, appendJSON)
	default: // JSON is YAML, too
		a.write(func(dst []byte) []byte { return append(appendJSON(dst), '\n') })
	}
}

// value writes the JSON of a value at a nesting depth. It is indented if the client requested
// that and indentation does not enlarge it too much.
func (a *answer) value(depth int, appendJSON func([]byte) []byte) {
	if !a.form.pretty {
		a.write(appendJSON)
		return
	}
	a.element = appendJSON(a.element[:0])
	if indentedSize(a.element, depth) > mostIndented(a.element) {
		a.write(func(dst []byte) []byte { return append(dst, a.element...) })
		return
	}
	a.indent(a.element, depth)
}

// list writes an object whose member key is a list of count elements; element appends the JSON
// of element i.
func (a *answer) list(rest document.Value, key string, count int, element func(i int, dst []byte) []byte) {
	if a.form.yaml {
		a.yamlList(rest, key, count, element)
		return
	}
	open, line, comma, colon, end := "{", "", ",", ":", "}\n"
	if a.form.pretty {
		open, line, comma, colon, end = "{\n  ", "\n    ", ",\n  ", ": ", "\n}"
	}
	a.text(open)
	first, placed := true, false
	member := func(name string) {
		if !first {
			a.text(comma)
		}
		first = false
		a.write(func(dst []byte) []byte { return append(document.AppendQuoted(dst, name), colon...) })
	}
	elements := func() {
		placed = true
		member(key)
		a.text("[")
		for i := range count {
			if i > 0 {
				a.text(",")
			}
			a.text(line)
			a.value(2, func(dst []byte) []byte { return element(i, dst) })
		}
		if count > 0 && a.form.pretty {
			a.text("\n  ")
		}
		a.text("]")
	}
	for name, v := range rest.Members() {
		if !placed && name > key {
			elements()
		}
		member(name)
		a.value(1, v.AppendJSON)
	}
	if !placed {
		elements()
	}
	a.text(end)
}

// yamlList is list in YAML.
func (a *answer) yamlList(rest document.Value, key string, count int, element func(i int, dst []byte) []byte) {
	placed := false
	elements := func() {
		placed = true
		if count == 0 {
			a.text(key + ": []\n")
			return
		}
		a.text(key + ":\n")
		for i := range count {
			a.element = element(i, a.element[:0])
			a.yamlItem(a.element)
		}
	}
	for name, v := range rest.Members() {
		if !placed && name > key {
			elements()
		}
		member := document.NewObject().With(name, v)
		a.write(func(dst []byte) []byte { return append(dst, member.YAML()...) })
	}
	if !placed {
		elements()
	}
}

// yamlItem writes an item of a list in YAML: in block style or, if indentation would enlarge
// it too much, in flow style, for which JSON is used.
func (a *answer) yamlItem(json []byte) {
	a.text("- ")
	d, err := document.Parse(json, document.Options{MaxBytes: -1})
	if err != nil || indentedSize(json, 1) > mostIndented(json) {
		a.write(func(dst []byte) []byte { return append(append(dst, json...), '\n') })
		return
	}
	for i, line := range bytes.SplitAfter(d.Root.YAML(), []byte("\n")) {
		if i > 0 && len(line) > 1 {
			a.text("  ")
		}
		a.write(func(dst []byte) []byte { return append(dst, line...) })
	}
}

// mostIndented returns the maximum size of the indented form of a value.
func mostIndented(json []byte) int { return max(maxGrowth*len(json), smallValue) }

// indentedSize estimates the size of compact JSON after indentation.
func indentedSize(json []byte, depth int) int {
	size := len(json)
	quoted := false
	for i := 0; i < len(json); i++ {
		switch c := json[i]; {
		case quoted:
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
			size += 2*depth + 1
		case c == ':':
			size++
		case c == ',':
			size += 2*depth + 1
		case c == '}' || c == ']':
			depth--
			size += 2*depth + 1
		}
	}
	return size
}

// indent writes compact JSON as encoding/json's Indent does with two spaces.
func (a *answer) indent(json []byte, depth int) {
	begin := 0
	copied := func(end int) {
		a.write(func(dst []byte) []byte { return append(dst, json[begin:end]...) })
		begin = end
	}
	line := func() {
		a.write(func(dst []byte) []byte {
			dst = append(dst, '\n')
			for range depth {
				dst = append(dst, ' ', ' ')
			}
			return dst
		})
	}
	for i := 0; i < len(json); i++ {
		switch json[i] {
		case '"':
			for i++; json[i] != '"'; i++ {
				if json[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			copied(i + 1)
			if depth++; json[i+1] != json[i]+2 { // not an empty list or object
				line()
			}
		case ',':
			copied(i + 1)
			line()
		case ':':
			copied(i + 1)
			a.text(" ")
		case '}', ']':
			depth--
			if json[i-1] != json[i]-2 {
				copied(i)
				line()
			}
		}
	}
	copied(len(json))
}
