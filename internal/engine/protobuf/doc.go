// Package protobuf reads the protobuf bodies that client-go sends for built-in
// kinds unless it is told otherwise (since client-go 0.33), and gives the JSON
// that the same client would have sent instead.
//
// A body is the four bytes "k8s\x00" and a message of the type Unknown of
// k8s.io/apimachinery/pkg/runtime: apiVersion and kind in its field 1, the
// object in its field 2. How the object's fields are numbered, named and typed
// is in messages.txt, which test/cmd/wiremessages writes from the Go types of
// k8s.io/api. Its lines are
//
//	kind APIVERSION KIND N     the kind's message; APIVERSION * is any
//	message NAME               begins the next message, counted from 0
//	NUMBER JSONNAME TYPE FLAG… one field of it
//
// where TYPE is string, bytes, bool, int, double, message:N, either:N (a
// message of which one field stands for the whole), or the name of a form with
// a JSON of its own (time, microtime, duration, quantity, intstr, raw,
// strings), and FLAG is list, map (from strings), inline (the message's fields
// stand in the outer object) or omitzero (JSON leaves a zero out).
package protobuf
