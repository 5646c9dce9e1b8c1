package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// Response is the response to a request that succeeded.
type Response struct {
	// Code is the HTTP status code: 200, 201 or 202.
	Code int
	// Object is the object, the list or, for a deletion, the deleted object or a Status of
	// success. It includes apiVersion, kind, resourceVersion and managedFields. It is absent
	// for a watch.
	Object document.Value
	// Before is the object before a write of [Pipeline.Step], as read from a store. After is
	// the object after any write. It differs from Object only if Object has another kind than
	// the stored object, such as a Scale.
	Before, After fieldmanager.Object
	// Warnings are the texts of Warning headers, in order, without code and quotation marks.
	Warnings []string
	// Problems are the unknown fields and duplicate keys of a write of which Warnings warns.
	Problems []Problem
	// Events is the stream of a watch, otherwise nil. The caller must call its Stop.
	Events *Stream
}

// Items returns the objects of a list.
func (r *Response) Items() []document.Value {
	items := r.Object.Get("items")
	objects := make([]document.Value, 0, items.Len())
	for _, object := range items.Items() {
		objects = append(objects, object)
	}
	return objects
}

// Event is a watch event (metav1.WatchEvent).
type Event struct {
	// Type is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
	Type string
	// Object is the object. For BOOKMARK it has only a resourceVersion; for ERROR, after which
	// the stream ends, it is a Status.
	Object document.Value
}

// ShownEvent is a watch event with the object in its stored form. Bookmarks and errors have no
// stored object: theirs is in Object.
type ShownEvent struct {
	Event
	Shown Shown
}

// Stream delivers the events of a watch in order. Next and NextShown must not be called
// concurrently.
type Stream struct {
	next func(context.Context) (ShownEvent, error)
	stop func()
}

// Next waits for the next event. If ctx ends, it returns the context's error, and Next may be
// called again. At the end of the stream it returns io.EOF.
func (s *Stream) Next(ctx context.Context) (Event, error) {
	event, err := s.next(ctx)
	if event.Shown.Exists() {
		event.Object = event.Shown.Value()
	}
	return event.Event, err
}

// NextShown is Next for events with the object in its stored form. The event's Object is
// absent if it has a Shown.
func (s *Stream) NextShown(ctx context.Context) (ShownEvent, error) { return s.next(ctx) }

// Stop closes the stream and releases its resources. It may be called more than once.
func (s *Stream) Stop() { s.stop() }
