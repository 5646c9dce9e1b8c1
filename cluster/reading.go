package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Reading is the answer to a get, a list or a watch, with objects as they are
// stored and their encodings.
type Reading struct {
	// Kind is the kind of the objects.
	Kind *schema.Kind
	// Object is the object of a get. Where it does not exist, as for a Scale, Value
	// is the answer.
	Object Shown
	Value  document.Value
	// Items are the objects of a list, and Metadata is its metadata.
	Items    []Shown
	Metadata document.Value
	// Events is the stream of a watch, else nil. It must be stopped.
	Events *Stream
	// Warnings are as those of a [Response].
	Warnings []string
}

// Read answers a get, a list or a watch as Do does, with the encodings that are
// kept with the stored objects. An error is always a [*Status].
func (c *Cluster) Read(ctx context.Context, r *Request) (*Reading, error) {
	ep, st := c.resolve(r)
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

// response is the answer of Do.
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
