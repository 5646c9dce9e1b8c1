// Package managedfields compares this project's field management with that of
// k8s.io/apimachinery, which kube-apiserver uses. It contains only tests and benchmarks.
package managedfields
