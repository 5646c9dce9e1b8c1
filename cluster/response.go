package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// Response is the answer to a request that succeeded.
type Response struct {
	// Code is the HTTP status code: 200, 201 or 202.
	Code int
	// Object is the object, the list or, for a deletion, the object or a Status
	// of success. It has its apiVersion, kind, resourceVersion and managedFields.
	// It is absent for a watch.
	Object document.Value
	// Before is the object before a write of [Pipeline.Step], as it is read from a
	// store. After is the object after any write. It differs from Object only if Object
	// is of another kind than the stored object, such as a Scale.
	Before, After fieldmanager.Object
	// Warnings are texts for Warning headers, in order, without code and quotes.
	Warnings []string
	// Events is the stream of a watch, else nil. It must be stopped.
	Events *Stream
}

// Event is what a watch delivers.
type Event struct {
	// Type is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
	Type string
	// Object is the object, for BOOKMARK one with only a resourceVersion, for
	// ERROR a Status, after which the stream ends.
	Object document.Value
}

// ShownEvent is what a watch delivers, with the object as it is stored. Bookmarks
// and errors are no stored objects: for them it is in Object.
type ShownEvent struct {
	Event
	Shown Shown
}

// Stream delivers the events of a watch in order. Next and NextShown may be called
// by one goroutine at a time.
type Stream struct {
	next func(context.Context) (ShownEvent, error)
	stop func()
}

// Next waits for the next event. It fails with the context's error when that
// ends, after which it may be called again, and with io.EOF when the stream has
// ended.
func (s *Stream) Next(ctx context.Context) (Event, error) {
	event, err := s.next(ctx)
	if event.Shown.Exists() {
		event.Object = event.Shown.Value()
	}
	return event.Event, err
}

// NextShown waits for the next event as Next does. The event's Object is absent
// where it has a Shown.
func (s *Stream) NextShown(ctx context.Context) (ShownEvent, error) { return s.next(ctx) }

// Stop frees what the stream holds. Stopping again does nothing.
func (s *Stream) Stop() { s.stop() }
