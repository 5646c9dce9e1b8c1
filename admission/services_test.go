package admission

import (
	"context"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestServicesAreResolvedFromTheCluster has the errors of kube-apiserver 1.36.3.
func TestServicesAreResolvedFromTheCluster(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, service := range []string{
		`{"metadata":{"name":"web"},"spec":{"clusterIP":"10.0.0.7","ports":[{"port":444}]}}`,
		`{"metadata":{"name":"node"},"spec":{"type":"NodePort","clusterIP":"10.0.0.8","ports":[{"port":443}]}}`,
		`{"metadata":{"name":"headless"},"spec":{"clusterIP":"None","ports":[{"port":443}]}}`,
		`{"metadata":{"name":"spread"},"spec":{"clusterIP":"10.0.0.9","ports":[{"name":"hooks","port":443},{"name":"idle","port":444}]}}`,
		`{"metadata":{"name":"out"},"spec":{"type":"ExternalName","externalName":"hooks.example.org"}}`,
	} {
		if _, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "services", Namespace: "d", Body: []byte(service)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, slice := range []string{
		`{"metadata":{"name":"a","labels":{"kubernetes.io/service-name":"spread"}},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.1"],"conditions":{"ready":false}},{"addresses":["192.0.2.2"]}],"ports":[{"name":"hooks","port":9443}]}`,
		`{"metadata":{"name":"b","labels":{"kubernetes.io/service-name":"spread"}},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.3"]}],"ports":[{"name":"metrics","port":8080}]}`,
		`{"metadata":{"name":"c","labels":{"kubernetes.io/service-name":"out"}},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.4"]}],"ports":[{"name":"","port":9443}]}`,
		`{"metadata":{"name":"d","labels":{"kubernetes.io/service-name":"headless"}},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.5"]}],"ports":[{"name":"","port":443}]}`,
	} {
		request := &cluster.Request{Verb: cluster.Create, Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Namespace: "d", Body: []byte(slice)}
		if _, err := c.Do(context.Background(), request); err != nil {
			t.Fatal(err)
		}
	}
	resolve := Options{}.services(&source{cluster: c})
	for _, test := range []struct {
		name string
		port int32
		want string
	}{
		{"web", 444, "https://10.0.0.7:444"},
		{"web", 443, `no service port 443 found for service "web"`},
		{"node", 443, "https://10.0.0.8:443"},
		{"headless", 443, `cannot route to service with ClusterIP "None"`},
		{"out", 8443, "https://hooks.example.org:8443"},
		{"spread", 443, "https://192.0.2.2:9443"}, // the only ready endpoint, to which kube-proxy directs the cluster IP
		{"spread", 444, "https://10.0.0.9:444"},
		{"none", 443, `service "none" not found`},
	} {
		got := ""
		if url, err := resolve.ResolveEndpoint("d", test.name, test.port); err != nil {
			got = err.Error()
		} else {
			got = url.String()
		}
		if got != test.want {
			t.Errorf("%s:%d: %s, want %s", test.name, test.port, got, test.want)
		}
	}
	if url, err := (Options{}).services(nil).ResolveEndpoint("d", "web", 443); err != nil || !strings.HasPrefix(url.Host, "web.d.svc") {
		t.Errorf("without a cluster: %v, %v", url, err)
	}
}
