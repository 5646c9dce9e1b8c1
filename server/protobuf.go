package server

import (
	"errors"
	"mime"
	"net/http"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
)

// readProtobuf puts JSON in the place of a protobuf body. client-go's typed
// clients send built-in kinds so since 0.33, and kubectl's create commands do;
// all of them take JSON for an answer. Kinds that have no protobuf encoding
// keep their unknown format, which is refused as kube-apiserver refuses it.
func readProtobuf(r *http.Request, request *cluster.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != protobuf.MediaType || r.Method == http.MethodPatch {
		return nil
	}
	if len(request.Body) > 0 {
		body, err := protobuf.ToJSON(request.Body)
		switch {
		case errors.Is(err, protobuf.ErrUnknownKind):
			return nil
		case err != nil:
			return badRequest("the body of the request could not be read: " + err.Error())
		}
		request.Body = body
	}
	request.Format = cluster.JSON
	return nil
}
