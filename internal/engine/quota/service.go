package quota

import (
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

const (
	nodePorts     = "services.nodeports"
	loadBalancers = "services.loadbalancers"
)

// useService adds what a Service uses. Each port of a NodePort Service is a node port, and each one of
// a load balancer, unless it asks for none: then only ports with a given number are.
func useService(service document.Value, _ time.Time, used Amounts) {
	spec := service.Get("spec")
	ports, balancers := 0, 0
	switch spec.Get("type").StringOr("") {
	case "NodePort":
		ports = spec.Get("ports").Len()
	case "LoadBalancer":
		balancers = 1
		ports = spec.Get("ports").Len()
		if allocates, ok := spec.Get("allocateLoadBalancerNodePorts").Bool(); ok && !allocates {
			ports = 0
			for _, port := range spec.Get("ports").Items() {
				if number, _ := port.Get("nodePort").Int(); number != 0 {
					ports++
				}
			}
		}
	}
	used["services"], used[nodePorts], used[loadBalancers] = whole(1), whole(ports), whole(balancers)
}
