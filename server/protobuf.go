package server

import (
	"errors"
	"net/http"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
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
	if len(request.Body) > 0 {
		object, err := protobuf.DecodeAs(request.Body, expected.APIVersion(), expected.Kind)
		switch {
		case errors.Is(err, protobuf.ErrUnknownKind) && !protobuf.Encodable(expected.APIVersion(), expected.Kind):
			return nil
		case err != nil:
			return badRequest("failed to read the request body: " + err.Error())
		}
		request.Document = &document.Document{Root: object}
	}
	request.Format = cluster.Protobuf
	return nil
}
