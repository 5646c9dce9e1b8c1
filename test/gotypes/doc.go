// Package gotypes compares Decode of schema/defaults with the Go types of k8s.io/api:
// apimachinery decodes random objects, some of them invalid, stores them as protobuf
// and reads them again.
package gotypes
