package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/gotype"
	"github.com/patchlab-dev/patchlab/schema"
)

// errNoPage is the error for an unknown path outside of the known groups, which is answered
// with plain text.
var errNoPage = errors.New("404 page not found")

// errNoResource and errMethod are the errors for an unknown resource in a known group, and for
// a method that it does not support. Their details are empty, not absent.
var (
	errNoResource = &cluster.Status{
		Code: http.StatusNotFound, Reason: cluster.ReasonNotFound, Details: &cluster.StatusDetails{},
		Message: "the server could not find the requested resource",
	}
	errMethod = &cluster.Status{
		Code: http.StatusMethodNotAllowed, Reason: cluster.ReasonMethodNotAllowed, Details: &cluster.StatusDetails{},
		Message: "the server does not allow this method on the requested resource",
	}
)

// errNoWatch is the error for a watch of a resource that can only be listed.
func errNoWatch(k *schema.Kind) error {
	return &cluster.Status{
		Code: http.StatusMethodNotAllowed, Reason: cluster.ReasonMethodNotAllowed, Details: &cluster.StatusDetails{Group: k.Group, Kind: k.Resource},
		Message: "watch is not supported on resources of kind \"" + k.Resource + "\"",
	}
}

// The header that forbids browsers to guess the type of a response. kube-apiserver sends it where it answers without a
// handler: with text, when the authorizer refuses a request, and when an impersonation is not valid.
const (
	contentTypeOptions = "X-Content-Type-Options"
	noSniff            = "nosniff"
)

func badRequest(message string) *cluster.Status {
	return &cluster.Status{Code: http.StatusBadRequest, Reason: cluster.ReasonBadRequest, Message: message}
}

// errTimedOut is the error of a request that was not answered in its time, whatever its handler has found.
var errTimedOut = errors.New("the time of the request has passed")

// withinTime returns the error of a request with the given context. After its time limit, kube-apiserver's filter answers
// before the handler does. If the client has gone, the error is 504 for an internal error, such as that of an admission
// plugin which could not read an object.
func withinTime(ctx context.Context, err error) error {
	ended := ctx.Err()
	switch {
	case errors.Is(ended, context.DeadlineExceeded):
		return errTimedOut
	case ended == nil || asStatus(err).Code != http.StatusInternalServerError:
		return err
	}
	return &cluster.Status{
		Code: http.StatusGatewayTimeout, Reason: cluster.ReasonTimeout, Details: &cluster.StatusDetails{}, Err: err,
		Message: "Timeout: request did not complete within requested timeout - " + ended.Error(),
	}
}

// asStatus converts any error to a Status.
func asStatus(err error) *cluster.Status {
	var status *cluster.Status
	if errors.As(err, &status) {
		return gotype.Worded(status)
	}
	return &cluster.Status{Code: http.StatusInternalServerError, Reason: cluster.ReasonInternal, Message: err.Error(), Err: err}
}
