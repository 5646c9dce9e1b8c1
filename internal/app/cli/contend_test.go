package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/serving"
	"github.com/patchlab-dev/patchlab/server"
)

// lineOf returns the words of the first output line that starts with the given word.
func lineOf(t *testing.T, output, first string) []string {
	t.Helper()
	for line := range strings.Lines(output) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == first {
			return words
		}
	}
	t.Fatalf("no line begins with %s in\n%s", first, output)
	return nil
}

// TestContention checks that only the writers that send no resourceVersion lose updates.
func TestContention(t *testing.T) {
	var out, errOut bytes.Buffer
	if code := Run([]string{"contend", "--writers", "8", "--duration", "300ms"}, nil, &out, &errOut); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	for _, name := range []string{"optimistic", "retry", "json-patch", "apply"} {
		if words := lineOf(t, out.String(), name); words[len(words)-1] != "0" {
			t.Errorf("%s has lost updates: %v", name, words)
		}
	}
	if words := lineOf(t, out.String(), "blind"); words[len(words)-1] == "0" || words[2] != "0" {
		t.Errorf("writers without a resourceVersion must lose updates and have no conflicts: %v", words)
	}
}

// TestContentionServer checks which flags select an API server: the writes of a measurement must not
// reach a server that the user has not selected, nor the one in memory if the user has.
func TestContentionServer(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("contexts: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", config)
	for _, c := range []struct {
		why  string
		args []string
		want string // of the error; "" if there is none
	}{
		{"the kubeconfig of kubectl alone is not used", nil, ""},
		{"a context is one of the kubeconfig of kubectl", []string{"--context", "c"}, config + `: context "c" does not exist`},
		{"a kubeconfig", []string{"--kubeconfig", config}, config + ": current-context is not set"},
		{"a token is for a server", []string{"--token", "t"}, "--token and --insecure-skip-tls-verify require --server"},
	} {
		var out, errOut bytes.Buffer
		code := Run(append([]string{"contend", "--writers", "1", "--duration", "1ms"}, c.args...), nil, &out, &errOut)
		if (code == program.ExitDone) != (c.want == "") || !strings.Contains(errOut.String(), c.want) {
			t.Errorf("%s: exit code %d, %q, want %q", c.why, code, errOut.String(), c.want)
		}
	}
}

// secured is a server that requires TLS and a bearer token.
type secured struct {
	address     string
	certificate *server.Certificate
}

func startSecured(t *testing.T) secured {
	t.Helper()
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := server.SelfSigned(time.Now(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = server.New(c, server.Options{Token: "right", User: serving.AnonymousAdmin()}).Serve(ctx, l, &certificate.TLS)
	}()
	t.Cleanup(func() { stop(); <-over; _ = c.Close() })
	return secured{serving.AddressOf(l.Addr(), true), certificate}
}

// kubeconfig writes a kubeconfig for the server, with the given token and CA.
func (s secured) kubeconfig(t *testing.T, token string, authority []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config")
	config := `current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "` + s.address + `", certificate-authority-data: ` + base64.StdEncoding.EncodeToString(authority) + `}}]
users: [{name: u, user: {token: ` + token + `}}]
`
	if err := os.WriteFile(name, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// do sends a request, which must succeed.
func (s secured) do(t *testing.T, method, path, contentType, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer right")
	r.Header.Set("Content-Type", contentType)
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(s.certificate.PEM)
	c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}}
	defer c.CloseIdleConnections()
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
}

// TestWrongTokenAndCertificateAreRefused checks the errors for a wrong token and an
// untrusted CA.
func TestWrongTokenAndCertificateAreRefused(t *testing.T) {
	s := startSecured(t)
	other, err := server.SelfSigned(time.Now(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, token string
		authority  []byte
		want       string // substring of the error
	}{
		{"the valid token and certificate", "right", s.certificate.PEM, ""},
		{"another token", "wrong", s.certificate.PEM, "Unauthorized"},
		{"a prefix of the token", "righ", s.certificate.PEM, "Unauthorized"},
		{"another certificate authority", "right", other.PEM, "certificate"},
	} {
		var out, errOut bytes.Buffer
		code := Run([]string{"contend", "--writers", "1", "--duration", "10ms", "--kubeconfig", s.kubeconfig(t, c.token, c.authority)}, nil, &out, &errOut)
		if (code == 0) != (c.want == "") || !strings.Contains(errOut.String(), c.want) {
			t.Errorf("%s: exit code %d, %s", c.why, code, errOut.String())
		}
		if strings.Contains(errOut.String()+out.String(), "right") {
			t.Errorf("%s: the token is printed: %s", c.why, errOut.String())
		}
	}
	plain, err := tls.Dial("tcp", strings.TrimPrefix(s.address, "https://"), &tls.Config{MinVersion: tls.VersionTLS12})
	if err == nil {
		_ = plain.Close()
		t.Error("a client without a trusted CA was connected")
	}
}

// TestVersions checks that each resourceVersion is printed as one line with the changed
// fields and their managers.
func TestVersions(t *testing.T) {
	s := startSecured(t)
	kubeconfig := s.kubeconfig(t, "right", s.certificate.PEM)
	const path = "/api/v1/namespaces/default/configmaps"
	s.do(t, "POST", path+"?fieldManager=creator", "application/json", `{"metadata":{"name":"a"},"data":{"k":"1"}}`)
	done := make(chan string)
	started := make(chan struct{}, 1)
	go func() {
		var out, errOut bytes.Buffer
		Run([]string{"versions", "cm/a", "--kubeconfig", kubeconfig, "--watch", "--count", "3"}, nil, &signalled{&out, started}, &errOut)
		done <- out.String() + errOut.String()
	}()
	<-started
	s.do(t, "PATCH", path+"/a?fieldManager=editor", "application/merge-patch+json", `{"data":{"k":"2"}}`)
	s.do(t, "PATCH", path+"/a?fieldManager=labeler", "application/merge-patch+json", `{"metadata":{"labels":{"l":"x"}}}`)
	output := <-done
	for _, want := range []string{".data.k taken over (editor)", ".metadata.labels.l set (labeler)"} {
		if !strings.Contains(output, want) {
			t.Errorf("%q is missing in\n%s", want, output)
		}
	}
	var out, errOut bytes.Buffer
	// The current version is the first one that is counted.
	if code := Run([]string{"versions", "cm/a", "--kubeconfig", kubeconfig, "--watch", "--count", "1"}, nil, &out, &errOut); code != 0 || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("exit code %d, %s%s", code, out.String(), errOut.String())
	}
	if code := Run([]string{"versions", "cm/a/b", "--kubeconfig", kubeconfig}, nil, &out, &errOut); code != program.ExitUsage {
		t.Errorf("exit code %d, %s", code, errOut.String())
	}
	if code := Run([]string{"versions", "nothings/a", "--kubeconfig", kubeconfig}, nil, &out, &errOut); code != 1 || !strings.Contains(errOut.String(), `doesn't have a resource type "nothings"`) {
		t.Errorf("exit code %d, %s", code, errOut.String())
	}
}

// signalled closes a channel on the first write.
type signalled struct {
	out  *bytes.Buffer
	once chan struct{}
}

func (s *signalled) Write(b []byte) (int, error) {
	select {
	case s.once <- struct{}{}:
	default:
	}
	return s.out.Write(b)
}

// TestVersionsOfRefusedWatch: a watch that the server refuses ends the command with the server's message, and without
// a line for the refusal.
func TestVersionsOfRefusedWatch(t *testing.T) {
	var watches atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/apis":
			_, _ = io.WriteString(w, `{"kind":"APIGroupList","groups":[]}`)
		case r.URL.Path == "/api/v1":
			_, _ = io.WriteString(w, `{"kind":"APIResourceList","resources":[{"name":"configmaps","namespaced":true,"kind":"ConfigMap"}]}`)
		case r.URL.Query().Has("watch"):
			watches.Add(1)
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"kind":"Status","status":"Failure","reason":"Forbidden","code":403,"message":"configmaps is forbidden: cannot watch"}`)
		default:
			_, _ = io.WriteString(w, `{"kind":"ConfigMap","metadata":{"name":"a","uid":"u","resourceVersion":"7"}}`)
		}
	}))
	defer s.Close()
	code, out, errs := ran(t, "versions", "configmaps/a", "--server", s.URL, "--watch", "--count", "20")
	if code != program.ExitRefused || errs != "error: configmaps is forbidden: cannot watch\n" || strings.Count(out, "\n") != 2 || watches.Load() != 1 {
		t.Errorf("code %d after %d watches\n%s%s", code, watches.Load(), out, errs)
	}
}
