package cli

import (
	"net"
	"strings"
	"testing"
)

func TestListenSaysWhatToDo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	used := l.Addr().String()
	for _, c := range []struct{ why, address, want string }{
		{"in use", used, "--listen " + used + ": another program listens on this address; choose another port, or 0 for a free one"},
		{"of another machine", "192.0.2.1:1", "--listen 192.0.2.1:1: this machine does not have the address; use 127.0.0.1"},
		{"no port", "localhost", "--listen localhost: address localhost: missing port in address"},
		{"no such port", "127.0.0.1:http8", "--listen 127.0.0.1:http8: lookup tcp/http8: unknown port"},
	} {
		if _, err := listenOn(t.Context(), "--listen", c.address); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.why, err, c.want)
		}
	}
}
