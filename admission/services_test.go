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
		`{"metadata":{"name":"out"},"spec":{"type":"ExternalName","externalName":"hooks.example.org"}}`,
	} {
		if _, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "services", Namespace: "d", Body: []byte(service)}); err != nil {
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
