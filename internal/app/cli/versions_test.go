package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestVersionsOfListsWithKeys changes objects in the namespace of the context. The types of lists come
// from the built-in kinds and from the definitions on the server; without them, a changed item would be
// printed as a change of the whole list, without its owner.
func TestVersionsOfListsWithKeys(t *testing.T) {
	s := startSecured(t)
	kubeconfig := s.kubeconfig(t, "right", s.certificate.PEM)
	config, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config = bytes.Replace(config, []byte("user: u}"), []byte("user: u, namespace: shop}"), 1)
	if err := os.WriteFile(kubeconfig, config, 0o600); err != nil {
		t.Fatal(err)
	}
	do := func(method, path, body string) {
		t.Helper()
		contentType := "application/json"
		if method == "PATCH" {
			contentType = "application/json-patch+json"
		}
		s.do(t, method, path, contentType, body)
	}
	do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"routes.x.io"},"spec":{"group":"x.io","scope":"Namespaced",
		"names":{"kind":"Route","listKind":"RouteList","plural":"routes","singular":"route"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
		"properties":{"hosts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
		"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"port":{"type":"integer"}}}}}}}}]}}`)
	for _, v := range []struct{ why, resource, path, object, patch, want string }{
		{"a built-in kind", "svc/a", "/api/v1/namespaces/shop/services", `{"metadata":{"name":"a"},"spec":{"ports":[{"name":"a","port":80},{"name":"b","port":81}]}}`,
			`[{"op":"replace","path":"/spec/ports/0/targetPort","value":8080}]`, `.spec.ports[port=80,protocol="TCP"].targetPort taken over (editor)`},
		{"a custom resource", "routes/a", "/apis/x.io/v1/namespaces/shop/routes", `{"apiVersion":"x.io/v1","kind":"Route","metadata":{"name":"a"},"hosts":[{"name":"one","port":1},{"name":"two","port":2}]}`,
			`[{"op":"replace","path":"/hosts/1/port","value":3}]`, `.hosts[name="two"].port taken over (editor)`},
	} {
		do("POST", v.path+"?fieldManager=creator", v.object)
		done := make(chan string)
		started := make(chan struct{}, 1)
		go func() {
			var out, errOut bytes.Buffer
			Run([]string{"versions", v.resource, "--kubeconfig", kubeconfig, "--watch", "--count", "2"}, nil, &signalled{&out, started}, &errOut)
			done <- out.String() + errOut.String()
		}()
		<-started
		do("PATCH", v.path+"/a?fieldManager=editor", v.patch)
		if output := <-done; !strings.HasSuffix(output, " "+v.want+"\n") {
			t.Errorf("%s: %q is missing in\n%s", v.why, v.want, output)
		}
	}
}
