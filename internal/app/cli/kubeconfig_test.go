package cli

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestKubeconfigIdentifiesAUser checks that the user of an HTTPS server has credentials.
// Without any, kubectl asks for a user name and a password before the first request. They are a
// token, which the flag --token of kubectl replaces; beside a name and a password, kubectl refuses
// that flag. The client library for JavaScript refuses HTTP if certificates are to be verified.
func TestKubeconfigIdentifiesAUser(t *testing.T) {
	for _, c := range []struct {
		why      string
		args     []string
		want     string
		insecure bool
	}{
		{"HTTPS without a token", []string{"--tls"}, `{"token":"admin"}`, false},
		{"HTTPS with a token", []string{"--tls", "--token", "secret"}, `{"token":"secret"}`, false},
		{"HTTP", nil, `{}`, true},
	} {
		name := filepath.Join(t.TempDir(), "config")
		_, _, stop := startServe(t, append(c.args, "--kubeconfig", name)...)
		data, err := os.ReadFile(name)
		stop()
		if err != nil {
			t.Fatal(err)
		}
		d, err := document.ParseYAML(data, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Root.Get("users").At(0).Get("user").String(); got != c.want {
			t.Errorf("%s: the user is %s, want %s", c.why, got, c.want)
		}
		if insecure, _ := d.Root.Get("clusters").At(0).Lookup("cluster", "insecure-skip-tls-verify").Bool(); insecure != c.insecure {
			t.Errorf("%s: insecure-skip-tls-verify is %v", c.why, insecure)
		}
	}
}

// TestTokenOfTheKubeconfig checks that a server which requires no token, but verifies those that it gets,
// accepts the one in the kubeconfig.
func TestTokenOfTheKubeconfig(t *testing.T) {
	url, _, stop := startServe(t, "--tls", "--authorization-mode", "RBAC", "--admission=false")
	defer stop()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, c := range []struct {
		token string
		code  int
	}{{"admin", 200}, {"", 200}, {"other", 401}} {
		r, err := http.NewRequest("GET", url+"/api/v1/secrets", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		resp, err := client.Do(r)
		bodyOf(t, resp, err)
		if resp.StatusCode != c.code {
			t.Errorf("token %q: %d, want %d", c.token, resp.StatusCode, c.code)
		}
	}
}
