// Package server speaks the Kubernetes REST protocol over a [cluster.Cluster],
// so that kubectl, client-go and controller-runtime work against it unchanged.
//
// It reads paths, headers and query parameters into a [cluster.Request] and
// writes the answer in the form that the client asked for: JSON or YAML, the
// object itself, its metadata alone or a table, once or as a watch. It also
// serves what is about the API rather than about objects: discovery, OpenAPI,
// version, health and metrics. What becomes of an object it leaves to the
// cluster.
//
// [New] makes an http.Handler; [Server.Serve] runs it on a listener with the
// limits and time-outs that a server needs, optionally with TLS.
package server
