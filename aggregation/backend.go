package aggregation

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

const (
	dialTime      = 30 * time.Second
	handshakeTime = 10 * time.Second
	// idleTime is how long an unused connection to an extension API server is kept. In tests such a server often stops
	// before patchlab does, and net/http's Shutdown waits for unused connections.
	idleTime = 100 * time.Millisecond
	// maxHeader is the size in bytes of the largest header of a response.
	maxHeader = 1 << 20
)

// Backend is an extension API server that serves a version of an API group.
type Backend struct {
	aggregator *Aggregator
	name       string // of the APIService
	current    atomic.Pointer[connection]
	discovery  atomic.Pointer[discovered]
	documents  atomic.Pointer[map[string]string]
	// checks and discoveries wake the loops that check the availability and fetch the discovery document.
	checks, discoveries chan struct{}
	// stop ends these loops; nil if they have not been started.
	stop context.CancelFunc
}

// connection is how the requests for an APIService reach its service.
type connection struct {
	registration
	transport *http.Transport
	// err is the reason why there can be no connection, such as an invalid bundle of certificates.
	err error
}

// Version returns the version that the extension API server serves.
func (b *Backend) Version() Version { return b.current.Load().public() }

// Available reports whether the condition Available of the APIService is true, without which no request is forwarded.
func (b *Backend) Available() bool { return b.current.Load().available }

// path is the path below which the version is served.
func (r registration) path() string {
	if r.group == "" {
		return "/api/" + r.version
	}
	return "/apis/" + r.group + "/" + r.version
}

// configure sets what the APIService says, and wakes the loops.
func (b *Backend) configure(r registration) {
	before := b.current.Load()
	next := &connection{registration: r}
	if before != nil && before.connectsAs(r) {
		next.transport, next.err = before.transport, before.err
	} else {
		next.transport, next.err = b.aggregator.transport(r)
		if before != nil {
			before.transport.CloseIdleConnections()
		}
	}
	b.current.Store(next)
	signal(b.checks)
	signal(b.discoveries)
}

// transport returns the transport to the service of a registration, which verifies its certificate. It has no
// proxies and uses HTTP/1.1, over which connections can be upgraded.
func (a *Aggregator) transport(r registration) (*http.Transport, error) {
	config := &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: r.service.serverName(), Certificates: []tls.Certificate{a.client},
		InsecureSkipVerify: r.insecure, // as the APIService demands
		NextProtos:         []string{"http/1.1"},
	}
	var err error
	if len(r.bundle) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(r.bundle) {
			err = errors.New("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	return &http.Transport{
		TLSClientConfig: config, DialContext: a.dial(*r.service), TLSHandshakeTimeout: handshakeTime, IdleConnTimeout: idleTime,
		MaxResponseHeaderBytes: maxHeader,
	}, err
}

// start starts the loops of a backend if the Aggregator runs.
func (b *Backend) start() {
	a := b.aggregator
	if a.running == nil {
		return
	}
	ctx, cancel := context.WithCancel(a.running)
	b.stop = cancel
	a.started.Go(func() { repeat(ctx, b.checks, checkInterval, firstRecheck, checkInterval, b.check) })
	a.started.Go(func() { repeat(ctx, b.discoveries, discoveryInterval, firstRediscovery, discoveryInterval, b.discover) })
	context.AfterFunc(ctx, func() { b.current.Load().transport.CloseIdleConnections() })
}

// aggregatorUser is the user of the requests of the aggregation layer itself. With privileged, they are always
// allowed.
func aggregatorUser(privileged bool) cluster.User {
	u := cluster.User{Name: "system:kube-aggregator"}
	if privileged {
		u.Groups = []string{"system:masters"}
	}
	return u
}

// unavailable is the text of the response to a request for a service that is not available.
const unavailable = "service unavailable"

// errRedirect is the text of the response if the service answers with a redirection.
const errRedirect = "the backend attempted to redirect this request, which is not permitted"

// loopError is the text of the response to a request that the Aggregator has forwarded before.
func (b *Backend) loopError() string {
	return fmt.Sprintf("the APIService %s leads back to this server: its service must be that of an extension API server", b.name)
}
