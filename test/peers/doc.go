// Package peers compares the project's own walks and types with Kubernetes'
// libraries, which are too heavy to stand beneath it: kube-openapi's schemaconv,
// apiextensions-apiserver's packages for custom resources. There is nothing in
// it but tests.
package peers
