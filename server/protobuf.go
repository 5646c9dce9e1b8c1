package server

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
	"github.com/patchlab-dev/patchlab/schema"
)

// readProtobuf decodes a protobuf body. client-go's typed clients since 0.32 and
// kubectl's create commands send built-in kinds in protobuf, but accept JSON in the response.
// For a custom resource, which has no protobuf encoding, the format remains unknown, and the
// request is refused as in kube-apiserver.
func readProtobuf(r *http.Request, request *cluster.Request, expected schema.GroupVersionKind) error {
	kind, err := mediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != protobuf.MediaType || r.Method == http.MethodPatch {
		return nil
	}
	if !protobuf.Encodable(expected.APIVersion(), expected.Kind) {
		return nil
	}
	request.Format = cluster.Protobuf
	deletes := request.Verb == cluster.Delete || request.Verb == cluster.DeleteCollection
	if len(request.Body) == 0 {
		if deletes {
			return nil
		}
		return notRecognized(expected, "empty data", request.Body)
	}
	object, err := protobuf.DecodeAs(request.Body, expected.APIVersion(), expected.Kind)
	var envelope *protobuf.EnvelopeError
	var undecoded *protobuf.ObjectError
	switch {
	case err == nil:
		request.Document = &document.Document{Root: object}
		return nil
	case errors.As(err, &envelope) && deletes:
		return badRequest(envelope.Reason)
	case errors.As(err, &envelope):
		return notRecognized(expected, envelope.Reason, request.Body)
	case !errors.As(err, &undecoded):
		return badRequest(err.Error())
	}
	why := undecoded.Reason
	if errors.Is(err, protobuf.ErrUnknownKind) || deletes {
		why = cluster.Unregistered(undecoded.Kind, undecoded.APIVersion)
	}
	if deletes {
		return badRequest(why)
	}
	_, version, _ := schema.SplitAPIVersion(undecoded.APIVersion)
	return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", undecoded.Kind, version, expected.Kind, why))
}

// notRecognized returns the error for a body of which not even the kind can be read.
func notRecognized(expected schema.GroupVersionKind, why string, body []byte) error {
	return badRequest("the object provided is unrecognized (must be of type " + expected.Kind + "): " + why + " (" + gotext.Summary(body) + ")")
}
