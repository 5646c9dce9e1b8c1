package server

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// fail answers with an error, in the encoding that the client accepts.
func (s *Server) fail(w *writer, r *http.Request, err error) {
	if errors.Is(err, errNoPage) {
		http.Error(w, errNoPage.Error(), http.StatusNotFound)
		return
	}
	if errors.Is(err, errTimedOut) {
		aggregation.WriteTimedOut(w)
		return
	}
	status := asStatus(err)
	w.conflict = conflictReason(status)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(status.Details.RetryAfterSeconds))
	}
	if status.Code == http.StatusForbidden && s.unauthorized(r) {
		w.Header().Set(contentTypeOptions, noSniff)
	}
	form, _ := negotiate(r, failureOffer)
	warn(w.Header(), status.Warnings)
	s.write(w, r, form, status.Code, status.Object())
}

// write answers with an object that is not stored.
func (s *Server) write(w *writer, r *http.Request, form answerForm, code int, object document.Value) {
	a := s.begin(w, r, form, code)
	if form.protobuf {
		message, err := appendWire(*a.buf, form, object)
		if err == nil {
			a.write(func([]byte) []byte { return message })
			a.end()
			return
		}
		a.form, a.code, object = answerForm{}, http.StatusInternalServerError, asStatus(err).Object()
	}
	a.object(object)
	a.end()
}

// The limits of warnings in characters (apiserver/pkg/endpoints/filters, warning): if all
// warnings together exceed the first, each is truncated to the second, and once the first is
// reached no more are added.
const (
	warningsLimit = 4096
	warningLimit  = 256
)

// warn adds a Warning header for each text (RFC 7234, 5.5), with code 299 and agent "-".
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

// quoteWarning escapes quotation marks and backslashes, and removes characters that a header
// must not contain.
func quoteWarning(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text))
}

// answer writes a response of the cluster in the requested form.
func (s *Server) answer(w *writer, r *http.Request, form answerForm, t target, resp *cluster.Response) {
	if isList(resp.Object) {
		s.answerList(w, r, form, t, resp)
		return
	}
	warn(w.Header(), resp.Warnings)
	object, err := s.inForm(form, t, resp.Object, queryOf(r).Get("includeObject"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.write(w, r, form, resp.Code, object)
}

// answerList writes a list of objects that are not stored: those that a deletecollection deleted, and computed ones.
func (s *Server) answerList(w *writer, r *http.Request, form answerForm, t target, resp *cluster.Response) {
	items := resp.Object.Get("items")
	l := &list{
		kind: resp.Object.Get("kind").StringOr(""), apiVersion: resp.Object.Get("apiVersion").StringOr(""),
		metadata: resp.Object.Get("metadata"), count: items.Len(), value: items.At,
		item: func(i int, dst []byte) []byte { return items.At(i).AppendJSON(dst) },
		partial: func(i int, dst []byte) []byte {
			return defaults.InternalMetadata(t.kind, items.At(i).Get("metadata")).AppendJSON(dst)
		},
	}
	l.wire = func() ([]wireItem, error) {
		out := make([]wireItem, items.Len())
		for i, item := range items.Items() {
			object := item.With("apiVersion", text(t.kind.APIVersion())).With("kind", text(t.kind.Kind))
			e, err := wireOfValue(form, t.kind, object)
			if err != nil {
				return nil, err
			}
			out[i] = wireItem{e, item.Get("metadata").Get("resourceVersion").StringOr("")}
		}
		return out, nil
	}
	warn(w.Header(), resp.Warnings)
	s.writeList(w, r, form, t, resp.Code, l)
}
