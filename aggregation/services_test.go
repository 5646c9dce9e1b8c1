package aggregation

import (
	"net/url"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// TestLocations has the URLs of kube-apiserver 1.36.3 for a Service, and the addresses to which connections go.
func TestLocations(t *testing.T) {
	a := newAggregator(t)
	for _, body := range []string{
		`{"metadata":{"name":"web"},"spec":{"clusterIP":"10.0.0.7","ports":[{"name":"https","port":443},{"name":"idle","port":444}]}}`,
		`{"metadata":{"name":"six"},"spec":{"clusterIP":"10.0.0.8","ports":[{"port":443}]}}`,
		`{"metadata":{"name":"headless"},"spec":{"clusterIP":"None","ports":[{"port":443}]}}`,
		`{"metadata":{"name":"out"},"spec":{"type":"ExternalName","externalName":"ext.example.org"}}`,
	} {
		a.create(t, services, body)
	}
	for _, body := range []string{
		`{"metadata":{"name":"a","labels":{"kubernetes.io/service-name":"web"}},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.1"],"conditions":{"ready":false}},
			{"addresses":["192.0.2.2"]}],"ports":[{"name":"https","port":8443}]}`,
		`{"metadata":{"name":"b","labels":{"kubernetes.io/service-name":"six"}},"addressType":"IPv6","endpoints":[{"addresses":["2001:db8::1"],"conditions":{"ready":true}}],"ports":[{"name":"","port":8443}]}`,
		`{"metadata":{"name":"c","labels":{"kubernetes.io/service-name":"out"}},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.3"]}],"ports":[{"name":"","port":8443}]}`,
	} {
		a.create(t, endpointSliceSet, body)
	}
	for _, c := range []struct {
		why, name  string
		port       int32
		url, error string
		address    string
	}{
		{why: "a ready endpoint", name: "web", port: 443, url: "https://10.0.0.7:443", address: "192.0.2.2:8443"},
		{why: "a port without endpoints", name: "web", port: 444, url: "https://10.0.0.7:444", address: "10.0.0.7:444"},
		{why: "an endpoint with IPv6", name: "six", port: 443, url: "https://10.0.0.8:443", address: "[2001:db8::1]:8443"},
		{why: "an external name, which has no endpoints", name: "out", port: 443, url: "https://ext.example.org:443", address: "ext.example.org:443"},
		{why: "another port", name: "web", port: 80, error: `no service port 80 found for service "web"`},
		{why: "a headless Service", name: "headless", port: 443, error: `cannot route to service with ClusterIP "None"`},
		{why: "no Service", name: "none", port: 443, error: `service "none" not found`},
	} {
		s := serviceReference{"lab", c.name, c.port}
		got, err := a.locate(t.Context(), s)
		switch {
		case c.error != "":
			if err == nil || err.Error() != c.error {
				t.Errorf("%s: %v, want %s", c.why, err, c.error)
			}
		case err != nil || got.String() != c.url:
			t.Errorf("%s: %v, %v, want %s", c.why, got, err, c.url)
		default:
			if address := a.endpoint(t.Context(), s, got.Host); address != c.address {
				t.Errorf("%s: the address is %s, want %s", c.why, address, c.address)
			}
		}
	}
	a.options.Service = func(namespace, name string, port int32) (*url.URL, error) {
		return &url.URL{Scheme: "http", Host: "localhost:1", Path: "/ignored"}, nil
	}
	if got, err := a.locate(t.Context(), serviceReference{"lab", "none", 1}); err != nil || got.String() != "http://localhost:1" {
		t.Errorf("with Options.Service: %v, %v", got, err)
	}
}

// TestReplacedAPIServices: after a watch has missed changes, all APIServices are listed again. Groups of those that no longer exist
// are no longer forwarded.
func TestReplacedAPIServices(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	a, err := New(t.Context(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := func(version string) document.Value {
		return parsed(t, `{"metadata":{"name":"`+version+`.ext.example.com"},"spec":{"group":"ext.example.com","version":"`+version+`",
			"groupPriorityMinimum":1500,"versionPriority":10,"insecureSkipTLSVerify":true,"service":{"name":"ext","namespace":"lab"}}}`)
	}
	for _, versions := range [][]string{{"v1", "v2"}, {"v2"}, {"v1"}, {}} {
		var objects []document.Value
		for _, version := range versions {
			objects = append(objects, service(version))
		}
		a.replace(t.Context(), objects)
		for _, version := range []string{"v1", "v2"} {
			if got, want := a.Find("ext.example.com", version) != nil, slices.Contains(versions, version); got != want {
				t.Errorf("with %v, %s is forwarded: %v", versions, version, got)
			}
		}
	}
}
