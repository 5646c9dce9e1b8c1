package clients

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestServerThatCannotBeReached checks that the error names the server and what to do, without
// Go's names of calls.
func TestServerThatCannotBeReached(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close()
	for _, c := range []struct{ why, server, want string }{
		{"nothing listens", address, "the connection to the server " + address + " was refused; start the server, or select another one with --server or --kubeconfig"},
		{"no URL of a server", "ftp://127.0.0.1", "the server ftp://127.0.0.1 does not answer: unsupported protocol scheme"},
	} {
		_, err := newClient(c.server, "", &tls.Config{}).do(context.Background(), "GET", "/api", "", "")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
}

// TestContextOfKubeconfig checks that --context selects another server than the current context.
func TestContextOfKubeconfig(t *testing.T) {
	d, err := document.ParseYAML([]byte(`current-context: a
contexts: [{name: a, context: {cluster: a}}, {name: b, context: {cluster: b}}]
clusters: [{name: a, cluster: {server: "http://a:1"}}, {name: b, cluster: {server: "http://b:1"}}]
`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, base, err string }{
		{"", "http://a:1", ""},
		{"b", "http://b:1", ""},
		{"c", "", `context "c" does not exist`},
	} {
		got, err := fromKubeconfig(d.Root, c.name)
		switch {
		case c.err != "" && (err == nil || err.Error() != c.err), c.err == "" && err != nil:
			t.Errorf("context %q: %v, want %q", c.name, err, c.err)
		case c.err == "" && got.base != c.base:
			t.Errorf("context %q: %s, want %s", c.name, got.base, c.base)
		}
	}
}
