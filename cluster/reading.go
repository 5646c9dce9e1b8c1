package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Reading is the response to a get, list or watch, with objects in their stored form and their
// cached encodings.
type Reading struct {
	// Kind is the kind of the objects.
	Kind *schema.Kind
	// Object is the object of a get. If the response is not a stored object, such as a Scale or a list of
	// computed objects, it is the zero Shown and Value is the response.
	Object Shown
	Value  document.Value
	// Items are the objects of a list, and Metadata is its metadata.
	Items    []Shown
	Metadata document.Value
	// Events is the stream of a watch, otherwise nil. The caller must call its Stop.
	Events *Stream
	// Warnings are warnings as in [Response].
	Warnings []string
}

// Read answers a get, list or watch of objects like Do, but returns stored objects with their
// cached encodings. A non-nil error is always a [*Status].
func (c *Cluster) Read(ctx context.Context, r *Request) (*Reading, error) {
	ep, st := c.resolveUpToDate(ctx, r)
	if st != nil {
		return nil, st
	}
	reading, st := c.reading(ctx, r, ep)
	if st != nil {
		return nil, ep.deprecated(st)
	}
	if warning := ep.deprecation(); warning != "" {
		reading.Warnings = []string{warning}
	}
	return reading, nil
}

func (c *Cluster) reading(ctx context.Context, r *Request, ep *endpoint) (*Reading, *Status) {
	if ep.streams {
		return nil, notServed(ep)
	}
	if reading, st, ok := c.computedReading(ctx, r, ep); ok {
		return reading, st
	}
	switch r.Verb {
	case Get:
		return c.get(ctx, r, ep)
	case List:
		return c.list(ctx, r, ep)
	case Watch:
		return c.watch(ctx, r, ep)
	}
	return nil, wrongMethod(ep, r)
}

// response converts a Reading to the response of Do.
func (r *Reading) response(ep *endpoint) *Response {
	resp := &Response{Code: 200, Events: r.Events, Warnings: r.Warnings}
	switch {
	case r.Events != nil:
	case r.Object.Exists():
		resp.Object = r.Object.Value()
	case r.Metadata.Exists():
		var items document.ListBuilder
		items.Grow(len(r.Items))
		for _, item := range r.Items {
			value := item.Value()
			if ep.kind.Builtin {
				value = value.Without("kind").Without("apiVersion")
			}
			items.Append(value)
		}
		resp.Object = listOf(ep, r.Metadata, items.List())
	default:
		resp.Object = r.Value
	}
	return resp
}
