// Package gotypes holds Decode of schema/defaults against the Go types of
// k8s.io/api themselves: random objects, some of them with wrong values, are
// decoded into them by apimachinery, stored as protobuf and read again.
package gotypes
