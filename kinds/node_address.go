//go:build !js

package kinds

import (
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Node is the kind of the nodes on which pods run.
func Node() schema.GroupVersionKind { return schema.GroupVersionKind{Version: "v1", Kind: "Node"} }

// addressTypes are the types of a node's addresses in the order in which kube-apiserver prefers them
// (--kubelet-preferred-address-types).
var addressTypes = [...]string{"Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"}

// NodeAddress returns the address at which kube-apiserver connects to the kubelet of a node, or its error for a
// node without such an address (k8s.io/kubernetes/pkg/util/node, GetPreferredNodeAddress).
func NodeAddress(node document.Value) (string, error) {
	addresses := node.Get("status").Get("addresses")
	for _, preferred := range addressTypes {
		for _, a := range addresses.Items() {
			if a.Get("type").StringOr("") == preferred {
				return a.Get("address").StringOr(""), nil
			}
		}
	}
	known := make([]string, addresses.Len())
	for i, a := range addresses.Items() {
		known[i] = "{" + a.Get("type").StringOr("") + " " + a.Get("address").StringOr("") + "}"
	}
	return "", fmt.Errorf("no preferred addresses found; known addresses: [%s]", strings.Join(known, " "))
}
