// Package aggregation implements the aggregation layer of kube-apiserver (k8s.io/kube-aggregator) over a
// [cluster.Cluster]: an APIService that names a service makes an extension API server answer the requests for a
// version of an API group, in place of the API server itself.
//
// An [Aggregator] follows the APIServices. It checks whether their services answer, and sets their condition
// Available; it forwards requests with the identity of their user; and it keeps the discovery documents of the
// extension API servers, so that they appear among those of the server. Package server sends it the requests.
package aggregation
