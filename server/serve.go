package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

// stopTime is the time that a stopping server waits for running requests.
const stopTime = 5 * time.Second

// Serve serves requests on a listener until ctx is done. It then accepts no new requests, ends
// all watches, waits a few seconds for running requests, and returns nil. It closes the
// listener but not the cluster. With a certificate it serves HTTPS (HTTP/1.1 and HTTP/2),
// otherwise plain HTTP.
func (s *Server) Serve(ctx context.Context, l net.Listener, certificate *tls.Certificate) error {
	watches, endWatches := context.WithCancel(context.Background())
	defer endWatches()
	base := context.WithValue(context.Background(), watchesKey{}, watches)
	h := s.httpServer(base)
	sockets := &sockets{}
	h.Handler = sockets.count(h.Handler)
	done := make(chan error, 1)
	go func() {
		if certificate == nil {
			done <- h.Serve(l)
			return
		}
		h.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*certificate}}
		if s.options.ClientCAs != nil {
			h.TLSConfig.ClientAuth, h.TLSConfig.ClientCAs = tls.RequestClientCert, s.options.ClientCAs
			h.ConnContext = certify
		}
		done <- h.ServeTLS(l, "", "")
	}()
	select {
	case err := <-done:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	stop, end := context.WithTimeout(context.Background(), stopTime)
	defer end()
	s.stopping.Store(true)
	endWatches()
	if err := h.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stopping: %w", err)
	}
	sockets.wait(stop)
	return h.Close()
}

// sockets counts the requests for WebSockets that have not ended. http.Server.Shutdown does not wait for them, because
// their connections no longer belong to the http.Server.
type sockets struct {
	mu   sync.Mutex
	open int
	// ended, if not nil, is closed when none is open.
	ended chan struct{}
}

// count returns a handler that counts requests before and after it calls another.
func (s *sockets) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asksForWebSocket(r) {
			s.add(1)
			defer s.add(-1)
		}
		next.ServeHTTP(w, r)
	})
}

func (s *sockets) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += n
	if s.open == 0 && s.ended != nil {
		close(s.ended)
		s.ended = nil
	}
}

// wait waits until no request is open or ctx is done.
func (s *sockets) wait(ctx context.Context) {
	s.mu.Lock()
	if s.open == 0 {
		s.mu.Unlock()
		return
	}
	ended := make(chan struct{})
	s.ended = ended
	s.mu.Unlock()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// connections are the connections without a running request. When a server stops they are closed at
// once: http.Server.Shutdown would wait five seconds for those that have had no request, which
// clients leave behind that open two connections and use one, and a second for each of HTTP/2.
type connections struct {
	mu      sync.Mutex
	unused  map[net.Conn]bool
	stopped bool
}

// track is the http.Server's ConnState hook.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case state != http.StateNew && state != http.StateIdle:
		delete(c.unused, conn)
	case c.stopped:
		_ = conn.Close()
	case c.unused == nil:
		c.unused = map[net.Conn]bool{conn: true}
	default:
		c.unused[conn] = true
	}
}

func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	for conn := range c.unused {
		_ = conn.Close()
	}
}

// httpServer returns an HTTP server with timeouts for each part of a request, so that slow
// clients do not occupy connections.
func (s *Server) httpServer(base context.Context) *http.Server {
	var handler http.Handler = s
	if s.options.Wrap != nil {
		handler = s.options.Wrap(s)
	}
	unused := &connections{}
	h := &http.Server{
		Handler:           handler,
		ConnState:         unused.track,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTime,
		ReadTimeout:       readTime,
		WriteTimeout:      2 * requestTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    1 << 20,
		ErrorLog:          log.New(discard{}, "", 0), // do not log connections that clients close
	}
	h.RegisterOnShutdown(unused.close)
	return h
}

// watchesKey is the key, in the context of a request, of the context that ends all watches
// when the server stops. Other requests run to completion.
type watchesKey struct{}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// Certificate is a self-signed certificate.
type Certificate struct {
	TLS tls.Certificate
	// PEM is the certificate in the form in which clients accept it as a certificate
	// authority.
	PEM []byte
}

// SelfSigned creates a self-signed certificate for the given host names and IP addresses,
// valid for a year from now. Clients must be configured to trust it.
func SelfSigned(now time.Time, hosts ...string) (*Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("creating a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("creating a serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "patchlab"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IsCA: true, BasicConstraintsValid: true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("creating a certificate: %w", err)
	}
	return &Certificate{
		TLS: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}, nil
}
