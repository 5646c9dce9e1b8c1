package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// serve runs a server on a free port. stop shuts it down and fails the test on an
// error.
func serve(t *testing.T, s *Server, secure bool) (url string, client *http.Client, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url, client = "http://"+l.Addr().String(), &http.Client{Transport: &http.Transport{}}
	var pair *tls.Certificate
	if secure {
		certificate, err := SelfSigned(time.Now(), "localhost", "127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(certificate.PEM) {
			t.Fatal("the certificate cannot be read")
		}
		url, pair = "https://"+l.Addr().String(), &certificate.TLS
		client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l, pair) }()
	return url, client, func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the server does not end")
		}
	}
}

func TestServeTLSIsVerifiedAndHTTP2(t *testing.T) {
	url, client, stop := serve(t, local(t, Options{}), true)
	defer stop()
	resp, err := client.Get(url + "/version")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.ProtoMajor != 2 {
		t.Errorf("got %s over %s", resp.Status, resp.Proto)
	}
	if _, err := http.Get(url + "/version"); err == nil {
		t.Error("a client that does not know the certificate was served")
	}
}

// TestServeReturnsListenerError checks that Serve returns an error for a closed listener.
func TestServeReturnsListenerError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := local(t, Options{}).Serve(context.Background(), l, nil); err == nil {
		t.Error("Serve succeeded on a closed listener")
	}
}

// TestServeFinishesRunningRequests checks that a request in progress is completed during
// shutdown.
func TestServeFinishesRunningRequests(t *testing.T) {
	f := newFake(t)
	begun, release := make(chan struct{}), make(chan struct{})
	f.answer = func(ctx context.Context, _ *cluster.Request) (*cluster.Response, error) {
		close(begun)
		<-release
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return &cluster.Response{Code: 200, Object: object("kind", text("ConfigMap"), "apiVersion", text("v1"))}, nil
	}
	url, client, stop := serve(t, New(f, Options{}), false)
	answered := make(chan string, 1)
	go func() {
		resp, err := client.Get(url + "/api/v1/namespaces/n/configmaps/a")
		if err != nil {
			answered <- err.Error()
			return
		}
		resp.Body.Close()
		answered <- resp.Status
	}()
	<-begun
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	for { // until new connections are refused
		if conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); err != nil {
			break
		} else {
			conn.Close()
		}
	}
	close(release)
	if status := <-answered; status != "200 OK" {
		t.Errorf("answered %s", status)
	}
	<-stopped
}

// TestServeDoesNotWaitForUnusedConnections checks that shutdown closes idle
// connections, including new ones, at once and waits only for those with a request.
func TestServeDoesNotWaitForUnusedConnections(t *testing.T) {
	h := local(t, Options{}).httpServer(t.Context())
	connect := func(states ...http.ConnState) net.Conn {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { ours.Close(); theirs.Close() })
		for _, state := range states {
			h.ConnState(theirs, state)
		}
		return ours
	}
	unused, used := connect(http.StateNew), connect(http.StateNew, http.StateActive, http.StateIdle, http.StateActive)
	idle := connect(http.StateNew, http.StateActive, http.StateIdle) // http.Server keeps one of HTTP/2 for a second
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	closed := func(c net.Conn) bool {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		_, err := c.Read(make([]byte, 1))
		return errors.Is(err, io.EOF)
	}
	if !closed(unused) {
		t.Error("a connection without a request is still open")
	}
	if !closed(idle) {
		t.Error("a connection whose requests have ended is still open")
	}
	if !closed(connect(http.StateNew)) {
		t.Error("a connection opened during shutdown is still open")
	}
	_ = used.SetReadDeadline(time.Now())
	if _, err := used.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection with a request: %v, want it open", err)
	}
}

// deadlines is a ResponseWriter that records its write deadlines.
type deadlines struct {
	*httptest.ResponseRecorder
	last time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.last = t
	return nil
}

// TestWatchEndsAtItsTimeout checks that a client that does not read cannot keep a
// watch open beyond its timeout.
func TestWatchEndsAtItsTimeout(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	local(t, Options{}).ServeHTTP(w, httptest.NewRequest("GET", configMaps+"?watch=1&timeoutSeconds=1", nil))
	if left := time.Until(w.last); w.last.IsZero() || left > stopTime {
		t.Errorf("it may be written until %v", w.last)
	}
}
