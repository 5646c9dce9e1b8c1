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

// stopTime is how long a server that stops waits for requests that are being
// answered.
const stopTime = 5 * time.Second

// Serve answers requests on a listener until ctx ends. Then it takes no new
// ones, ends all watches, waits a few seconds for what is being answered, and
// returns nil. With certificate it speaks TLS (and HTTP/2), else plain HTTP.
func (s *Server) Serve(ctx context.Context, l net.Listener, certificate *tls.Certificate) error {
	watches, endWatches := context.WithCancel(context.Background())
	defer endWatches()
	base := context.WithValue(context.Background(), watchesKey{}, watches)
	h := s.httpServer(base)
	done := make(chan error, 1)
	go func() {
		if certificate == nil {
			done <- h.Serve(l)
			return
		}
		h.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*certificate}}
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
	return h.Close()
}

// connections are those on which no request has come yet. When a server stops they are
// closed at once: http.Server.Shutdown would wait five seconds for a request on each,
// and clients that dial twice and use one leave such connections.
type connections struct {
	mu      sync.Mutex
	new     map[net.Conn]bool
	stopped bool
}

// track is told of each change of a connection's state.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(c.new, conn)
	case c.stopped:
		_ = conn.Close()
	case c.new == nil:
		c.new = map[net.Conn]bool{conn: true}
	default:
		c.new[conn] = true
	}
}

func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	for conn := range c.new {
		_ = conn.Close()
	}
}

// httpServer returns the server of HTTP connections. It bounds the time that a client
// may take for each part of a request, so that slow ones do not hold connections.
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
		ErrorLog:          log.New(discard{}, "", 0), // connections that clients break are not reported
	}
	h.RegisterOnShutdown(unused.close)
	return h
}

// watchesKey is the key, in the context of a request, of the context that ends when
// watches are to end. Other requests go on to their end.
type watchesKey struct{}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// Certificate is a certificate that a server made for itself.
type Certificate struct {
	TLS tls.Certificate
	// PEM is the certificate as clients take it for a certificate authority.
	PEM []byte
}

// SelfSigned makes a certificate for host names and IP addresses that is valid
// for a year from now. It signs itself, so that clients have to be given it.
func SelfSigned(now time.Time, hosts ...string) (*Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("making a serial number: %w", err)
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
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	return &Certificate{
		TLS: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}, nil
}
