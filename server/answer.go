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
	// longAnswer is from how many bytes on an answer is compressed, where the
	// client takes that, and sent before it is complete.
	longAnswer = 128 << 10
	// maxGrowth is how many times longer indentation may make a value of more than
	// smallValue bytes.
	maxGrowth  = 8
	smallValue = 64 << 10
)

// buffers are the buffers of responses that were written in part and not sent.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, longAnswer+longAnswer/8)) }}

// answer is an answer that is being written. It keeps at most a piece of it in
// memory. A client that has gone away is no error: what it is sent is dropped.
type answer struct {
	w    *writer
	r    *http.Request
	form answerForm
	code int
	// buf is what has not been sent; zip compresses what has.
	buf   *[]byte
	zip   *gzip.Writer
	begun bool
	gone  bool
	// element is memory for one value that is indented.
	element []byte
}

// begin begins an answer of a status code. It has to be ended.
func (s *Server) begin(w *writer, r *http.Request, form answerForm, code int) *answer {
	return &answer{w: w, r: r, form: form, code: code, buf: buffers.Get().(*[]byte)}
}

// write adds what more appends.
func (a *answer) write(more func(dst []byte) []byte) {
	if *a.buf = more(*a.buf); len(*a.buf) >= longAnswer {
		a.send()
	}
}

func (a *answer) text(s string) {
	*a.buf = append(*a.buf, s...)
}

// send sends what has been gathered of a long answer.
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

// end sends what is left.
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

// zippers compress at the level of kube-apiserver.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return z
}}

// compresses reports whether a long response is to be compressed: if the client accepts
// gzip (quality values are ignored, as in kube-apiserver) and is not on the loopback
// interface, where compression only costs time.
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
	switch {
	case a.form.yaml && indentedSize(v.JSON(), 0) <= mostIndented(v.JSON()):
		a.write(func(dst []byte) []byte { return append(dst, v.YAML()...) })
	case a.form.pretty && !a.form.yaml:
		a.value(0, v.AppendJSON)
	default: // JSON is YAML, too
		a.write(func(dst []byte) []byte { return append(v.AppendJSON(dst), '\n') })
	}
}

// value writes the JSON of a value at a nesting depth. It is indented if the client
// asked for that and indentation does not make it much longer.
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

// list writes an object of which one member, the list key, is made of elements:
// element appends the JSON of the i-th.
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

// yamlItem writes an item of a list in YAML: in block style, or as JSON, which is
// YAML's flow style, where the indentation would make it much longer.
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

// mostIndented is how long the indented form of a value may be.
func mostIndented(json []byte) int { return max(maxGrowth*len(json), smallValue) }

// indentedSize is about how long JSON without white space becomes by indentation.
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

// indent writes JSON without white space in the form of encoding/json's Indent
// with two spaces.
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
			if depth++; json[i+1] != json[i]+2 { // the bracket that closes it
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
