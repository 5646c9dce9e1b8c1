package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"testing"
	"time"
)

// serve runs a server on a port of its own. stop ends it and fails the test
// where that goes wrong.
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

// A listener that cannot be used is told at once.
func TestServeTellsWhyItCannot(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := local(t, Options{}).Serve(context.Background(), l, nil); err == nil {
		t.Error("served on a listener that is closed")
	}
}
