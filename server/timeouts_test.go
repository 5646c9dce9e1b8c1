package server

import (
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestHTTPServerBoundsSlowClients checks that each part of a request has a timeout and
// that the header has a maximum size, so that a slow client cannot hold a connection
// indefinitely.
func TestHTTPServerBoundsSlowClients(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	h := New(c, Options{}).httpServer(t.Context())
	for name, d := range map[string]struct{ got, want any }{
		"ReadHeaderTimeout": {h.ReadHeaderTimeout, readHeaderTime},
		"ReadTimeout":       {h.ReadTimeout, readTime},
		"WriteTimeout":      {h.WriteTimeout, 2 * requestTime},
		"IdleTimeout":       {h.IdleTimeout, idleTime},
		"MaxHeaderBytes":    {h.MaxHeaderBytes, 1 << 20},
	} {
		if d.got != d.want {
			t.Errorf("%s is %v, want %v", name, d.got, d.want)
		}
	}
	if readHeaderTime <= 0 || readTime < readHeaderTime || requestTime <= 0 || idleTime <= 0 {
		t.Error("a limit is not positive, or that for the whole request is shorter than that for its header")
	}
}
