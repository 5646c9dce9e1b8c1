package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// fail answers with an error, in the encoding that the client accepts.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errNoPage) {
		http.Error(w, errNoPage.Error(), http.StatusNotFound)
		return
	}
	status := asStatus(err)
	if status == errBusy {
		w.Header().Set("Retry-After", "1")
	}
	form, _ := negotiate(r, false)
	warn(w.Header(), status.Warnings)
	s.write(w, r, form, status.Code, status.Object())
}

// write answers with an object as it is.
func (s *Server) write(w http.ResponseWriter, r *http.Request, form answerForm, code int, object document.Value) {
	var body []byte
	switch {
	case form.yaml:
		body = object.YAML()
	case form.pretty:
		body = indent(object.JSON())
	default:
		body = append(object.JSON(), '\n')
	}
	w.Header().Set("Content-Type", form.contentType())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone away is no error of ours
	}
}

func indent(data []byte) []byte {
	var b bytes.Buffer
	b.Grow(2 * len(data))
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return data
	}
	return b.Bytes()
}

// The bounds of warnings in characters (apiserver/pkg/endpoints/filters,
// warning): when all together are longer than the first, each is cut to the
// second, and none is added once the first is reached.
const (
	warningsLimit = 4096
	warningLimit  = 256
)

// warn adds a Warning header for each text (RFC 7234, 5.5: code 299, agent "-").
func warn(h http.Header, warnings []string) {
	total := 0
	for _, text := range warnings {
		total += utf8.RuneCountInString(text)
	}
	cut := total > warningsLimit
	total = 0
	for _, text := range warnings {
		if total >= warningsLimit {
			return
		}
		if runes := []rune(text); cut && len(runes) > warningLimit {
			text = string(runes[:warningLimit])
		}
		total += utf8.RuneCountInString(text)
		h.Add("Warning", `299 - "`+quoteWarning(text)+`"`)
	}
}

// quoteWarning escapes quotes and backslashes, and leaves out what a header
// must not hold.
func quoteWarning(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text))
}

// answer writes a response of the cluster in the form asked for.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, form answerForm, t target, resp *cluster.Response) {
	object, err := s.inForm(form, t, resp.Object, r.URL.Query().Get("includeObject"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	warn(w.Header(), resp.Warnings)
	s.write(w, r, form, resp.Code, object)
}
