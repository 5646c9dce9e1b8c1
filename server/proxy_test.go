package server

import (
	"strings"
	"testing"
)

// TestProxyToAddress sends requests for which kube-apiserver would connect to an address: they are refused, as
// there is nobody to pass them on to. The requests that it refuses itself are recorded.
func TestProxyToAddress(t *testing.T) {
	s := local(t, Options{})
	for path, object := range map[string]string{
		"/api/v1/namespaces/n/pods":      `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`,
		"/api/v1/namespaces/n/services":  `{"metadata":{"name":"s"},"spec":{"ports":[{"name":"http","port":80}]}}`,
		"/api/v1/namespaces/n/endpoints": `{"metadata":{"name":"s"},"subsets":[{"addresses":[{"ip":"10.1.1.1","targetRef":{"kind":"Pod","namespace":"n","name":"p"}}],"ports":[{"name":"http","port":8080}]}]}`,
		"/api/v1/nodes":                  `{"metadata":{"name":"m"},"status":{"addresses":[{"type":"InternalIP","address":"10.1.1.2"},{"type":"Hostname","address":"m.example.com"}]}}`,
	} {
		if w := ask(s, "POST", path, object, "Content-Type", "application/json"); w.Code != 201 {
			t.Fatal(path, w.Code, w.Body)
		}
	}
	if w := ask(s, "PATCH", "/api/v1/namespaces/n/pods/p/status", `{"status":{"podIPs":[{"ip":"10.1.1.1"}]}}`, "Content-Type", "application/merge-patch+json"); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	for _, path := range []string{
		"namespaces/n/pods/p/proxy", "namespaces/n/pods/https:p:8443/proxy/a", "namespaces/n/services/s:http/proxy/", "namespaces/n/services/s:80/proxy/",
		"nodes/m/proxy/metrics", "nodes/m:10250/proxy/stats/summary",
	} {
		w := ask(s, "GET", "/api/v1/"+path, "")
		if w.Code != 404 || !strings.Contains(w.Body.String(), "/proxy is not served") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := ask(s, "GET", "/api/v1/namespaces/n/services/s/proxy/", ""); w.Code != 503 {
		t.Errorf("without its name, a port is found: %d %s", w.Code, w.Body)
	}
}
