// Package requests measures the cost of a request through a cluster, the server and a Lab,
// beside that of the engines alone.
package requests
