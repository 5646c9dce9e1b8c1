package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// watch answers with a stream of events, one JSON object a line, until its time
// is over, the client goes away or the server stops.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, form answerForm, t target, request *cluster.Request) {
	seconds, err := optionalNumber(r.URL.Query()["timeoutSeconds"])
	if err != nil {
		s.fail(w, r, err)
		return
	}
	// A watch without a time of its own ends after half an hour to an hour, so
	// that those of many clients do not all begin anew at once.
	limit := minWatch + rand.N(minWatch)
	if seconds != nil && *seconds > 0 {
		limit = time.Duration(min(*seconds, 24*3600)) * time.Second
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	if end, ok := ctx.Value(watchesKey{}).(context.Context); ok {
		defer context.AfterFunc(end, cancel)()
	}
	response, err := s.cluster.Do(ctx, request)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer response.Events.Stop()
	s.metrics.watches.Add(1)
	defer s.metrics.watches.Add(-1)
	warn(w.Header(), response.Warnings)
	w.Header().Set("Content-Type", form.contentType())
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s.follow(ctx, w, form, t, r.URL.Query().Get("includeObject"), response.Events)
}

// follow writes events until the stream or ctx ends.
func (s *Server) follow(ctx context.Context, w http.ResponseWriter, form answerForm, t target, include string, events *cluster.Stream) {
	control := http.NewResponseController(w)
	if control.Flush() != nil {
		return
	}
	// The server's time-out for writing is for other answers. A client that does not
	// read holds a watch no longer than one that does.
	if end, ok := ctx.Deadline(); ok {
		_ = control.SetWriteDeadline(end.Add(stopTime))
	}
	var frame []byte
	for first := true; ; {
		event, err := events.Next(ctx)
		if err != nil {
			return // io.EOF, or the watch's time is over
		}
		object := event.Object
		if event.Type != "ERROR" {
			if object, err = s.inForm(form, t, object, include); err != nil {
				event.Type, object = "ERROR", asStatus(err).Object()
			} else if form.as == formTable {
				object = laterTable(object, first)
				first = false
			}
		}
		frame = appendEvent(frame[:0], event.Type, object)
		if _, err := w.Write(frame); err != nil {
			return
		}
		if err := control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return
		}
	}
}

// laterTable takes the columns out of all tables of a watch but the first.
func laterTable(table document.Value, first bool) document.Value {
	if first {
		return table
	}
	return table.With("columnDefinitions", document.NewNull())
}

func appendEvent(dst []byte, kind string, object document.Value) []byte {
	dst = append(dst, `{"type":`...)
	dst = document.AppendQuoted(dst, kind)
	dst = append(dst, `,"object":`...)
	dst = object.AppendJSON(dst)
	return append(dst, "}\n"...)
}
