// Package peers compares this project's tree walks and types with Kubernetes' libraries, which
// are too large to be dependencies: kube-openapi's schemaconv, and apiextensions-apiserver's
// packages for custom resources. It contains only tests.
package peers
