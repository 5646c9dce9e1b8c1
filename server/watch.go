package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
)

// watch answers with a stream of events, one JSON object a line, until its time
// is over, the client goes away or the server stops.
func (s *Server) watch(w *writer, r *http.Request, form answerForm, t target, request *cluster.Request) {
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
	include := r.URL.Query().Get("includeObject")
	if form.as == formTable {
		if err := checkForm(form, false, t.kind.Kind, include); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	reading, err := s.cluster.Read(ctx, request)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer reading.Events.Stop()
	s.metrics.watches.Add(1)
	defer s.metrics.watches.Add(-1)
	warn(w.Header(), reading.Warnings)
	contentType := form.contentType()
	if form.protobuf {
		contentType += ";stream=watch"
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s.follow(ctx, w, s.newFrames(form, t, include), reading.Events)
}

// follow writes events until the stream or ctx ends.
func (s *Server) follow(ctx context.Context, w *writer, frames *frames, events *cluster.Stream) {
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
	for {
		event, err := events.NextShown(ctx)
		if err != nil {
			return // io.EOF, or the watch's time is over
		}
		frame = frames.append(frame[:0], event)
		if _, err := w.Write(frame); err != nil {
			return
		}
		s.metrics.events.Add(1)
		if err := control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return
		}
	}
}

// frames writes the events of a watch in the form that the client asked for: lines
// of JSON, or messages with their lengths before them.
type frames struct {
	server  *Server
	form    answerForm
	target  target
	include string
	// later is set once a table has been written: only the first has columns.
	later   bool
	message []byte
}

func (s *Server) newFrames(form answerForm, t target, include string) *frames {
	return &frames{server: s, form: form, target: t, include: include}
}

// append appends an event. One that cannot be written in the form is an error.
func (f *frames) append(dst []byte, event cluster.ShownEvent) []byte {
	if f.form.protobuf {
		return f.appendMessage(dst, event)
	}
	if event.Shown.Exists() && f.form.as != formTable {
		return f.appendStored(dst, event)
	}
	object := event.Object
	if event.Shown.Exists() {
		object = event.Shown.Value()
	}
	if event.Type != "ERROR" {
		var err error
		if object, err = f.server.inForm(f.form, f.target, object, f.include); err != nil {
			event.Type, object = "ERROR", asStatus(err).Object()
		} else if f.form.as == formTable {
			if f.later {
				object = object.With("columnDefinitions", document.NewNull())
			}
			f.later = true
		}
	}
	return append(object.AppendJSON(appendEvent(dst, event.Type)), "}\n"...)
}

// appendStored appends an event in JSON from the kept encoding of its object.
func (f *frames) appendStored(dst []byte, event cluster.ShownEvent) []byte {
	switch f.form.as {
	case formObject:
		dst = event.Shown.AppendJSON(appendEvent(dst, event.Type))
	case formMetadata:
		dst = append(appendEvent(dst, event.Type), `{"apiVersion":"`+f.form.apiVersion()+`","kind":"`+formMetadata+`","metadata":`...)
		dst = append(event.Shown.AppendMetadata(dst), '}')
	default:
		status := asStatus(notInForm(f.form, "not a list", f.target.kind.Kind))
		dst = status.Object().AppendJSON(appendEvent(dst, "ERROR"))
	}
	return append(dst, "}\n"...)
}

// appendMessage appends an event in protobuf.
func (f *frames) appendMessage(dst []byte, event cluster.ShownEvent) []byte {
	var err error
	switch {
	case f.form.as == formList:
		err = notInForm(f.form, "not a list", f.target.kind.Kind)
	case event.Shown.Exists():
		var o *protobuf.Object
		if o, err = wireOf(event.Shown); err == nil {
			apiVersion, kind := f.target.kind.APIVersion(), f.target.kind.Kind
			if f.form.as != formObject {
				apiVersion, kind, o = f.form.apiVersion(), f.form.as, o.Metadata()
			}
			f.message = o.AppendMessage(f.message[:0], apiVersion, kind, strconv.FormatInt(event.Shown.Revision(), 10))
		}
	default:
		f.message, err = wireMessage(f.form, event.Object)
	}
	if err != nil {
		event.Type = "ERROR"
		f.message, _ = protobuf.EncodeStatus(asStatus(err).Object()) // which always has this form
	}
	return protobuf.AppendEvent(dst, event.Type, f.message)
}

func appendEvent(dst []byte, kind string) []byte {
	dst = append(dst, `{"type":`...)
	dst = document.AppendQuoted(dst, kind)
	return append(dst, `,"object":`...)
}
