//go:build !js

package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/ipfamily"
)

// AddressRecord returns the IPAddress of a cluster IP that is allocated to a Service, for a request to
// create it (pkg/registry/core/service/ipallocator).
func AddressRecord(ip string, service document.Value) document.Value {
	labels := document.NewObject().With("ipaddress.kubernetes.io/ip-family", document.NewString(ipfamily.Of(ip))).
		With(recordManager, document.NewString(recordAllocator))
	return document.NewObject().With("apiVersion", document.NewString(ipAddressStrategy.Group+"/v1")).
		With("kind", document.NewString("IPAddress")).
		With("metadata", document.NewObject().With("name", document.NewString(ip)).With("labels", labels)).
		With("spec", document.NewObject().With("parentRef", serviceReference(service)))
}

// The label of the IPAddresses that API servers create for cluster IPs, and its value.
const (
	recordManager   = "ipaddress.kubernetes.io/managed-by"
	recordAllocator = "ipallocator.k8s.io"
)

// RecordedService returns the namespace and name of the Service for which an API server has created an IPAddress. ok is
// false for one that others have created.
func RecordedService(record document.Value) (namespace, name string, ok bool) {
	parent := record.Lookup("spec", "parentRef")
	ok = record.Lookup("metadata", "labels", recordManager).StringOr("") == recordAllocator
	return parent.Get("namespace").StringOr(""), parent.Get("name").StringOr(""), ok
}

// RecordsAddressOf reports whether an IPAddress is that of a Service.
func RecordsAddressOf(record, service document.Value) bool {
	return document.Equal(record.Lookup("spec", "parentRef"), serviceReference(service))
}

// serviceReference returns the reference of an IPAddress to its Service.
func serviceReference(service document.Value) document.Value {
	metadata := service.Get("metadata")
	return document.NewObject().With("resource", document.NewString(serviceStrategy.Resource)).
		With("namespace", metadata.Get("namespace")).With("name", metadata.Get("name"))
}
