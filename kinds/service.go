package kinds

import "github.com/patchlab-dev/patchlab/document"

// serviceStrategy is the strategy of v1 Service.
var serviceStrategy = Strategy{
	Resource:       "services",
	Storage:        "services/specs",
	Name:           labelName,
	formerName:     letterLabelName, // until the feature RelaxedServiceNameValidation is on
	renamed:        "1.36",
	metadataOnce:   "1.34",
	CreateOnUpdate: true,
	ReturnDeleted:  true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"spec"},
	Selectable: []SelectableField{
		{Label: "spec.clusterIP"},
		{Label: "spec.type"},
	},
	Addresses:       allocatedAddresses,
	DeletesNamesake: "endpoints",
}

// allocatedAddresses returns the cluster IPs and node ports that are allocated to a Service: none for an ExternalName,
// whose ports may have node ports.
func allocatedAddresses(object document.Value) (ips []string, ports []int64) {
	if object.Lookup("spec", "type").StringOr("") == "ExternalName" {
		return nil, nil
	}
	return serviceAddresses(object)
}

// serviceAddresses returns the cluster IPs and node ports of a Service.
func serviceAddresses(object document.Value) (ips []string, ports []int64) {
	spec := object.Get("spec")
	for _, ip := range spec.Get("clusterIPs").Items() {
		ips = append(ips, ip.StringOr(""))
	}
	for _, port := range spec.Get("ports").Items() {
		if n, ok := port.Get("nodePort").Int(); ok {
			ports = append(ports, n)
		}
	}
	if n, ok := spec.Get("healthCheckNodePort").Int(); ok {
		ports = append(ports, n)
	}
	return ips, ports
}
