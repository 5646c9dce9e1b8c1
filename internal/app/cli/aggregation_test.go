package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServeForwardsRequests: requests for the version of an APIService in --load are forwarded to its service, of which the
// command prints a note, unless --aggregation=false is set.
func TestServeForwardsRequests(t *testing.T) {
	extension := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s by %s", r.URL.Path, r.Header.Get("X-Remote-User"))
	}))
	defer extension.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(extension.URL, "https://"), ":")
	objects := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(objects, []byte(`apiVersion: v1
kind: Service
metadata: {name: ext, namespace: default}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.ext.example.com}
spec: {group: ext.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true,
  service: {namespace: default, name: ext, port: `+port+`}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	const path = "/apis/ext.example.com/v1/things"
	const note = "requests for ext.example.com/v1 are forwarded"
	for _, forwards := range []bool{true, false} {
		url, errors, stop := startServe(t, "--load", objects, fmt.Sprintf("--aggregation=%t", forwards))
		want := path + " by admin"
		if !forwards {
			want = "404 page not found\n"
		}
		body := ""
		for deadline := time.Now().Add(15 * time.Second); body != want; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("with aggregation %t, the response is %q, want %q", forwards, body, want)
			}
			resp, err := http.Get(url + path)
			body = bodyOf(t, resp, err)
		}
		if strings.Contains(errors.String(), note) != forwards {
			t.Errorf("with aggregation %t, the notes are %s", forwards, errors)
		}
		config, err := http.Get(url + "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication")
		if text := bodyOf(t, config, err); strings.Contains(text, "requestheader-client-ca-file") != forwards {
			t.Errorf("with aggregation %t, the ConfigMap is %s", forwards, text)
		}
		if code := stop(); code != 0 {
			t.Errorf("exit code %d, errors: %s", code, errors)
		}
	}
}
