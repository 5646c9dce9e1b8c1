// Package protobuf decodes and encodes the protobuf bodies that client-go uses for built-in
// kinds by default (since client-go 0.32). A decoded object is the one in the JSON that the
// same client would use otherwise.
//
// A body is the four bytes "k8s\x00" followed by a message of type Unknown of
// k8s.io/apimachinery/pkg/runtime: apiVersion and kind in field 1, the object in field 2.
// The numbers, names and types of the fields are in messages.txt, which
// test/cmd/wiremessages generates from the Go types of k8s.io/api and kube-aggregator, of two
// versions: numbers are not used again, so that one message fits them all. Its lines are
//
//	kind APIVERSION KIND N     the kind's message; APIVERSION * is any
//	message NAME               begins the next message, counted from 0
//	NUMBER JSONNAME TYPE FLAG… one field of it
//
// where TYPE is string, bytes, bool, int, double, message:N, either:N (a message of which
// one field represents the whole), or the name of a type with its own JSON form (time,
// microtime, duration, quantity, intstr, raw, strings), and FLAG is list, map (with string
// keys), inline (the message's fields belong to the outer object) or omitzero (JSON omits a
// zero).
package protobuf
