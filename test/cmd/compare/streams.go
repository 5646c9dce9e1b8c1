package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	restwatch "k8s.io/client-go/rest/watch"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// Parts of the query of a request for which a session inserts values of its server.
const (
	lastVersion  = "$LAST$"     // the resourceVersion of the last object that was written
	lastContinue = "$CONTINUE$" // the continue token of the last list
)

// session sends the requests of a case to one server. A watch is answered at once, and followed until it ends.
type session struct {
	send     conformance.Send
	types    *builtinTypes
	version  string
	token    string
	watching sync.WaitGroup
	watches  []*watch
	opened   time.Time // when the first watch was opened
}

// watch is a request for a stream, without values of the server, with the answer once the stream has ended.
type watch struct {
	request conformance.Request
	answer  conformance.Answer
	err     error
}

// newSessions returns a function that starts sessions.
func newSessions() (func(conformance.Send) *session, error) {
	types, err := newBuiltinTypes()
	if err != nil {
		return nil, err
	}
	return func(send conformance.Send) *session { return &session{send: send, types: types, version: "0"} }, nil
}

// opening is the time that a server has to open a watch before the next request.
const opening = 30 * time.Millisecond

// do sends a request, and starts to follow a watch.
func (s *session) do(r conformance.Request) (conformance.Answer, error) {
	generated := r
	r.Query = strings.NewReplacer(url.QueryEscape(lastVersion), s.version, url.QueryEscape(lastContinue), url.QueryEscape(s.token)).Replace(r.Query)
	if strings.Contains(r.Query, "watch=") {
		if len(s.watches) == 0 {
			s.opened = time.Now()
		}
		w := &watch{request: generated}
		s.watches = append(s.watches, w)
		s.watching.Go(func() {
			if w.answer, w.err = s.send(r); w.err != nil {
				return
			}
			if w.answer.Code == http.StatusOK {
				w.answer.Body, w.err = s.events(w.answer.Body)
			} else {
				w.answer.Body, w.err = s.types.inJSON(w.answer.Body)
			}
		})
		time.Sleep(opening)
		return conformance.Answer{Code: http.StatusOK}, nil
	}
	answer, err := s.send(r)
	if err != nil {
		return answer, err
	}
	if answer.Body, err = s.types.inJSON(answer.Body); err != nil {
		return answer, err
	}
	var object struct {
		Metadata struct{ ResourceVersion, Continue string }
	}
	switch {
	case answer.Code >= 300 || json.Unmarshal(answer.Body, &object) != nil:
	case r.Method == http.MethodGet:
		s.token = object.Metadata.Continue
	case r.Method != http.MethodDelete && !strings.Contains(r.Query, "dryRun"):
		s.version = object.Metadata.ResourceVersion
	}
	answer.Body = withoutListVersion(answer.Body)
	return answer, nil
}

// event is an event of a watch.
type event struct {
	Type   string `json:"type"`
	Object any    `json:"object"`
}

// events returns the events of a stream as a list of JSON. Bookmarks are left out, which servers send at any time, except
// for that after the initial events, of which the resourceVersion is left out. So are the columns of all tables but the
// first, which kube-apiserver repeats if it has encoded an event for several watches.
func (s *session) events(stream []byte) ([]byte, error) {
	events := []event{}
	next := s.lines(stream)
	for {
		e, err := next()
		if errors.Is(err, io.EOF) {
			return []byte(encode(events)), nil
		}
		if err != nil {
			return nil, err
		}
		if e.Type == "BOOKMARK" {
			object, _ := e.Object.(map[string]any)
			if !strings.Contains(encode(object), metav1.InitialEventsAnnotationKey) {
				continue
			}
			e.Object = unversionedBookmark(object)
		}
		if table, ok := e.Object.(map[string]any); ok && len(events) > 0 {
			delete(table, "columnDefinitions")
		}
		events = append(events, e)
	}
}

// unversionedBookmark removes the resourceVersions of a bookmark, which may be a table.
func unversionedBookmark(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range value {
			if k != "resourceVersion" {
				out[k] = unversionedBookmark(v)
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = unversionedBookmark(v)
		}
		return out
	}
	return value
}

// lines returns a function that reads the next event of a stream of JSON or protobuf.
func (s *session) lines(stream []byte) func() (event, error) {
	if len(stream) == 0 || stream[0] == '{' {
		d := json.NewDecoder(bytes.NewReader(stream))
		d.UseNumber()
		return func() (e event, err error) { err = d.Decode(&e); return e, err }
	}
	form := s.types.protobuf.StreamSerializer
	reader := form.Framer.NewFrameReader(io.NopCloser(bytes.NewReader(stream)))
	d := restwatch.NewDecoder(streaming.NewDecoder(reader, form.Serializer), s.types.decoder)
	return func() (event, error) {
		kind, object, err := d.Decode()
		if err != nil {
			return event{}, err
		}
		return event{Type: string(kind), Object: decode([]byte(encode(object)))}, nil
	}
}
