package podresources

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// IsHugePages reports whether a resource is huge pages of a size.
func IsHugePages(name string) bool { return strings.HasPrefix(name, "hugepages-") }

// IsNative reports whether a resource name is in Kubernetes' own domain.
func IsNative(name string) bool {
	return !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
}

// IsExtended reports whether a name is valid for an extended resource, also with the prefix
// "requests." of quotas.
func IsExtended(name string) bool {
	return !IsNative(name) && !strings.HasPrefix(name, "requests.") && names.QualifiedName("requests."+name) == ""
}

// IsPodLevel reports whether a pod itself can have an amount of a resource (KEP-2837).
func IsPodLevel(name string) bool { return name == "cpu" || name == "memory" || IsHugePages(name) }
