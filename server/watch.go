package server

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/net/websocket"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
)

// watch serves a stream of events, one JSON object per line, until its timeout, the client
// disconnects or the server stops.
func (s *Server) watch(w *writer, r *http.Request, form answerForm, t target, request *cluster.Request) {
	seconds, err := optionalNumber(queryOf(r)["timeoutSeconds"])
	if err != nil {
		s.fail(w, r, err)
		return
	}
	// A watch without a timeout ends after a random time between half an hour and an hour, so
	// that clients do not all reconnect at once.
	limit := minWatch + rand.N(minWatch)
	if seconds != nil && *seconds > 0 {
		limit = time.Duration(min(*seconds, int64(longestWatch/time.Second))) * time.Second
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	if end, ok := ctx.Value(watchesKey{}).(context.Context); ok {
		defer context.AfterFunc(end, cancel)()
	}
	reading, err := s.cluster.Read(ctx, request)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer reading.Events.Stop()
	warn(w.Header(), reading.Warnings)
	// kube-apiserver reads the options of a table and negotiates the stream when it has opened
	// the watch.
	include := queryOf(r).Get("includeObject")
	if form.as == formTable {
		if err := checkForm(form, t, false, include); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	if form.yaml {
		s.fail(w, r, notAcceptable("application/json;stream=watch, "+protobuf.MediaType+";stream=watch"))
		return
	}
	s.metrics.watches.Add(1)
	defer s.metrics.watches.Add(-1)
	contentType := form.contentType()
	if form.protobuf {
		contentType += ";stream=watch"
	}
	frames := s.newFrames(form, t, include)
	expired := seconds != nil && *seconds < 0 // a negative timeout has passed
	if asksForWebSocket(r) {
		s.serveSocket(w, r, func(w *writer, conn *websocket.Conn) {
			if !expired {
				s.followSocket(ctx, w, conn, frames, reading.Events)
			}
		})
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead || expired {
		return
	}
	s.follow(ctx, w, frames, reading.Events)
}

// follow writes events until the stream or ctx ends.
func (s *Server) follow(ctx context.Context, w *writer, frames *frames, events *cluster.Stream) {
	control := http.NewResponseController(w)
	if control.Flush() != nil {
		return
	}
	// The server's write timeout is for other responses. A client that does not read occupies
	// a watch no longer than one that does.
	if end, ok := ctx.Deadline(); ok {
		_ = control.SetWriteDeadline(end.Add(stopTime))
	}
	var frame []byte
	for {
		event, err := events.NextShown(ctx)
		if err != nil {
			return // io.EOF, or the timeout of the watch
		}
		if frame, err = frames.write(w, frame, event); err != nil {
			return
		}
		s.metrics.events.Add(1)
		if err := control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return
		}
	}
}

// frames writes the events of a watch in the requested form: lines of JSON, or protobuf
// messages prefixed with their lengths.
type frames struct {
	server  *Server
	form    answerForm
	target  target
	include string
	// later is true after the first table, which alone has column definitions.
	later  bool
	buffer []byte
}

func (s *Server) newFrames(form answerForm, t target, include string) *frames {
	return &frames{server: s, form: form, target: t, include: include}
}

// largeEvent is the size in bytes above which the object of an event is written in parts of at
// most that size, so that no copy of the object is held for each of a thousand slow clients.
const largeEvent = 32 << 10

// write writes an event using the buffer, which it returns for reuse.
func (f *frames) write(w io.Writer, buffer []byte, event cluster.ShownEvent) ([]byte, error) {
	if f.form.as == formList && event.Type != "ERROR" {
		return buffer, checkForm(f.form, f.target, false, "") // ends the stream without an event
	}
	if event.Shown.Exists() && event.Shown.Size() > largeEvent {
		switch {
		case f.form.as == formTable:
		case f.form.protobuf:
			return buffer, f.writeMessage(w, event)
		default:
			return f.writeStored(w, buffer, event)
		}
	}
	if cap(buffer) > largeEvent {
		buffer = nil // do not keep the buffer of a large table
	}
	buffer = f.append(buffer[:0], event)
	_, err := w.Write(buffer)
	return buffer, err
}

// writeStored writes an event in JSON as appendStored appends it.
func (f *frames) writeStored(w io.Writer, buffer []byte, event cluster.ShownEvent) ([]byte, error) {
	buffer = appendEvent(buffer[:0], event.Type)
	parts, end := event.Shown.JSON(), "}\n"
	if f.form.as == formMetadata {
		buffer = f.appendMetadataHead(buffer)
		parts, end = event.Shown.MetadataJSON(), "}}\n"
	}
	for _, part := range append(parts, end) {
		for len(part) > 0 {
			n := min(len(part), largeEvent-len(buffer))
			buffer, part = append(buffer, part[:n]...), part[n:]
			if len(buffer) == largeEvent {
				if _, err := w.Write(buffer); err != nil {
					return buffer, err
				}
				buffer = buffer[:0]
			}
		}
	}
	_, err := w.Write(buffer)
	return buffer, err
}

func (f *frames) appendMetadataHead(dst []byte) []byte {
	return append(dst, `{"apiVersion":"`+f.form.apiVersion()+`","kind":"`+formMetadata+`","metadata":`...)
}

// writeMessage writes an event in protobuf as appendMessage appends it.
func (f *frames) writeMessage(w io.Writer, event cluster.ShownEvent) error {
	o, apiVersion, kind, err := f.message(event)
	if err != nil {
		_, err = w.Write(f.appendFailure(nil, err))
		return err
	}
	for _, part := range o.Event(event.Type, apiVersion, kind, revisionOf(event)) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// append appends an event. If it cannot be converted to the requested form, an ERROR event is
// appended.
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
	dst = appendEvent(dst, event.Type)
	if event.Type == "ERROR" {
		dst = appendStatus(dst, object)
	} else {
		dst = object.AppendJSON(dst)
	}
	return append(dst, "}\n"...)
}

// appendStored appends an event in JSON, with the cached encoding of its object.
func (f *frames) appendStored(dst []byte, event cluster.ShownEvent) []byte {
	dst = appendEvent(dst, event.Type)
	if f.form.as == formMetadata {
		dst = f.appendMetadataHead(dst)
		dst = append(event.Shown.AppendMetadata(dst), '}')
	} else {
		dst = event.Shown.AppendJSON(dst)
	}
	return append(dst, "}\n"...)
}

// appendMessage appends an event in protobuf.
func (f *frames) appendMessage(dst []byte, event cluster.ShownEvent) []byte {
	var err error
	if event.Shown.Exists() {
		var o *protobuf.Object
		var apiVersion, kind string
		if o, apiVersion, kind, err = f.message(event); err == nil {
			f.buffer = o.AppendMessage(f.buffer[:0], apiVersion, kind, revisionOf(event))
		}
	} else {
		f.buffer, err = appendWire(f.buffer[:0], f.form, event.Object)
	}
	if err != nil {
		return f.appendFailure(dst, err)
	}
	return protobuf.AppendEvent(dst, event.Type, f.buffer)
}

// message returns the object of an event in protobuf, with its apiVersion and kind.
func (f *frames) message(event cluster.ShownEvent) (o *protobuf.Object, apiVersion, kind string, err error) {
	if o, err = wireOf(f.form, event.Shown); err != nil {
		return nil, "", "", err
	}
	if f.form.as != formObject {
		return o, f.form.apiVersion(), f.form.as, nil
	}
	return o, f.target.kind.APIVersion(), f.target.kind.Kind, nil
}

// appendFailure appends the ERROR event that ends a watch, in protobuf.
func (f *frames) appendFailure(dst []byte, err error) []byte {
	status, _ := protobuf.AppendStatus(nil, asStatus(err).Object()) // a Status can always be encoded
	return protobuf.AppendEvent(dst, "ERROR", status)
}

func revisionOf(event cluster.ShownEvent) string {
	return strconv.FormatInt(event.Shown.Revision(), 10)
}

func appendEvent(dst []byte, kind string) []byte {
	dst = append(dst, `{"type":`...)
	dst = document.AppendQuoted(dst, kind)
	return append(dst, `,"object":`...)
}
