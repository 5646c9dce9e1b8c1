//go:build !js

package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
)

// act performs an action subresource. Its body passes through the same stages as a new object
// (apiserver, endpoints/handlers/create.go), except that validating admission runs within the
// action, after the checks of the body and before any other.
func (c *Cluster) act(ctx context.Context, t *task) (*Response, *Status) {
	if t.ep.sub != subBinding && t.ep.sub != subToken { // to which the uid is a precondition
		t.body = withoutSystemMetadata(t.body)
	}
	object, st := t.unstored(t.body)
	if st != nil {
		return nil, st
	}
	t.body = object.Value
	switch t.ep.sub {
	case subEviction:
		return c.evict(ctx, t, object)
	case subToken:
		return c.issueToken(ctx, t, object)
	case subBinding:
		if t.Name != meta(t.body, "name") {
			return nil, badRequest("name in URL does not match name in Binding object")
		}
	}
	return c.bind(ctx, t, object)
}

// done returns the response to an action that has no result object: a Status of success.
func done(t *task) *Response {
	return &Response{Code: 201, Object: success(nil).With("code", document.NewInt(201)), Warnings: t.warnings}
}
