// Package managedfields compares the project's field management with
// k8s.io/apimachinery's, which kube-apiserver runs. There is nothing in it but
// tests and benchmarks.
package managedfields
