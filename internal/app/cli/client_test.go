package cli

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"testing"
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
