package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// pipes is a listener whose connections are pipes in memory: nothing is written before the other end reads it.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialed:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// dial returns the client's end of a new connection.
func (p *pipes) dial(t *testing.T) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	select {
	case p.dialed <- theirs:
	case <-time.After(20 * time.Second):
		t.Fatal("the server accepts no connection")
	}
	return ours
}

// TestServeWaitsForWebSockets stops servers with a client that keeps its WebSocket open and does not read. When Serve has
// returned, the request is logged, so that nothing uses the cluster any more.
func TestServeWaitsForWebSockets(t *testing.T) {
	for _, tc := range []struct {
		name    string
		objects int
		// unread does what the client does before the server stops.
		unread func(*websocket.Conn) error
	}{
		{"an event is never read", 1, func(*websocket.Conn) error { return nil }},
		{"a pong is never read", 0, func(conn *websocket.Conn) error {
			ping := websocket.Codec{Marshal: func(any) ([]byte, byte, error) { return nil, websocket.PingFrame, nil }}
			return ping.Send(conn, nil)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel() // each lasts until the server gives up its client
			ended := make(chan Access, 1)
			server := local(t, Options{Log: func(a Access) {
				if a.Method == http.MethodGet {
					ended <- a
				}
			}})
			if tc.objects > 0 {
				create(t, server, "a", "")
			}
			l := newPipes()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			served := make(chan error, 1)
			go func() { served <- server.Serve(ctx, l, nil) }()
			config, err := websocket.NewConfig("ws://localhost"+configMaps+"?watch=1", "http://localhost")
			if err != nil {
				t.Fatal(err)
			}
			conn, err := websocket.NewClient(config, l.dial(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.unread(conn); err != nil {
				t.Fatal(err)
			}
			stop()
			select {
			case err := <-served:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the server does not end")
			}
			select {
			case a := <-ended:
				if a.Code != http.StatusSwitchingProtocols {
					t.Errorf("logged as %d", a.Code)
				}
			default:
				t.Error("Serve has returned before the watch has ended")
			}
		})
	}
}
