// Package server implements the Kubernetes REST protocol over a [cluster.Cluster], so that
// kubectl, client-go and controller-runtime work with it unchanged.
//
// It converts paths, headers and query parameters into a [cluster.Request], and writes the
// response in the form that the client accepts: JSON, YAML or protobuf; the objects, their
// metadata alone or a table; once or as a watch. It also serves discovery, OpenAPI, version,
// health checks and metrics. Everything that concerns the objects themselves is done by the
// cluster.
//
// [New] returns an http.Handler. [Server.Serve] serves it on a listener, with the limits and
// timeouts that a server needs and optionally with TLS.
package server
