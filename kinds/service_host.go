package kinds

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
)

// ServiceHost returns the host to which the API server connects for a port of a Service, as it does for webhooks and
// extension API servers: the cluster IP, or the name of an ExternalName. The errors are those of kube-apiserver
// (k8s.io/apiserver/pkg/util/proxy, ResolveCluster).
func ServiceHost(service document.Value, port int32) (string, error) {
	spec := service.Get("spec")
	ip := spec.Get("clusterIP").StringOr("")
	switch kind := spec.Get("type").StringOr(""); {
	case kind == "ExternalName":
		return spec.Get("externalName").StringOr(""), nil
	case kind == "ClusterIP" && ip == "None":
		return "", errors.New(`cannot route to service with ClusterIP "None"`)
	case kind != "ClusterIP" && kind != "LoadBalancer" && kind != "NodePort":
		return "", fmt.Errorf("unsupported service type %q", kind)
	}
	if _, ok := ServicePortName(service, int64(port)); !ok {
		return "", fmt.Errorf("no service port %d found for service %q", port, service.Lookup("metadata", "name").StringOr(""))
	}
	return ip, nil
}

// ServicePortName returns the name of the port of a Service that has the number; ok is false if there is none.
func ServicePortName(service document.Value, number int64) (name string, ok bool) {
	for _, p := range service.Lookup("spec", "ports").Items() {
		if n, isNumber := p.Get("port").Int(); isNumber && n == number {
			return p.Get("name").StringOr(""), true
		}
	}
	return "", false
}

// ServiceLabel is the label of an EndpointSlice with the name of its Service.
const ServiceLabel = "kubernetes.io/service-name"

// ReadyAddresses returns the addresses of the ready endpoints in an EndpointSlice, and the number of its port with a name.
// There are none if it has no such port.
func ReadyAddresses(slice document.Value, port string) (addresses []string, number int64) {
	for _, p := range slice.Get("ports").Items() {
		if name, isSet := p.Get("name").Text(); isSet && name == port {
			number, _ = p.Get("port").Int()
			break
		}
	}
	if number == 0 {
		return nil, 0
	}
	for _, endpoint := range slice.Get("endpoints").Items() {
		if ready, isSet := endpoint.Lookup("conditions", "ready").Bool(); isSet && !ready {
			continue
		}
		if all := endpoint.Get("addresses").Strings(); len(all) > 0 {
			addresses = append(addresses, all[0])
		}
	}
	return addresses, number
}
