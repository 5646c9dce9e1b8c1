package server

import (
	"errors"
	"net/http"

	"github.com/patchlab-dev/patchlab/cluster"
)

// errNoPage is the answer to a path that means nothing: plain text, as from
// any web server.
var errNoPage = errors.New("404 page not found")

// errNoResource and errMethod are the answers to a path below a known group
// that names nothing, and to a method that does nothing there. Their details
// are empty and not missing.
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

func badRequest(message string) *cluster.Status {
	return &cluster.Status{Code: http.StatusBadRequest, Reason: cluster.ReasonBadRequest, Message: message}
}

// asStatus makes a Status of any error.
func asStatus(err error) *cluster.Status {
	var status *cluster.Status
	if errors.As(err, &status) {
		return status
	}
	return &cluster.Status{Code: http.StatusInternalServerError, Reason: cluster.ReasonInternal, Message: err.Error(), Err: err}
}
