package server

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gojson"
)

// statusTypes are StatusCause, StatusDetails and Status of metav1.
func statusTypes() [][]string {
	return [][]string{
		{"reason", "message", "field"},
		{"name", "group", "kind", "uid", "causes", "retryAfterSeconds"},
		{"kind", "apiVersion", "metadata", "status", "message", "reason", "details", "code"},
	}
}

// isStatus reports whether an object is a Status.
func isStatus(v document.Value) bool {
	return v.Get("kind").StringOr("") == "Status" && v.Get("apiVersion").StringOr("") == "v1"
}

// appendStatus appends the JSON of a Status as kube-apiserver encodes it, in the order of its Go type. Some clients
// compare the whole text, among them the tests of the client for Python.
func appendStatus(dst []byte, v document.Value) []byte {
	return gojson.Append(dst, v, statusTypes(), 0)
}
