package aggregation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
)

// Serve forwards a request of a user to the extension API server, and its response to the client
// (k8s.io/kube-aggregator/pkg/apiserver, proxyHandler).
func (b *Backend) Serve(w http.ResponseWriter, r *http.Request, u cluster.User) {
	to := b.current.Load()
	if !to.available {
		http.Error(w, unavailable, http.StatusServiceUnavailable)
		return
	}
	b.forward(w, r, u, to)
}

// forward forwards a request whether or not the service is available.
func (b *Backend) forward(w http.ResponseWriter, r *http.Request, u cluster.User, to *connection) {
	a := b.aggregator
	if slices.Contains(r.Header.Values(viaHeader), a.via()) {
		http.Error(w, b.loopError(), http.StatusLoopDetected)
		return
	}
	if to.err != nil {
		http.Error(w, to.err.Error(), http.StatusInternalServerError)
		return
	}
	location, err := a.locate(r.Context(), *to.service)
	if err != nil {
		http.Error(w, unavailable, http.StatusServiceUnavailable)
		return
	}
	location.Path, location.RawPath, location.RawQuery = r.URL.Path, r.URL.RawPath, r.URL.Query().Encode()
	client := r.Context()
	if len(strings.Split(strings.Trim(r.URL.Path, "/"), "/")) == 3 { // a discovery document, which clients wait for
		ctx, cancel := context.WithTimeout(r.Context(), answerTime)
		defer cancel()
		r = r.WithContext(ctx)
	}
	upgrade := asksForUpgrade(r)
	proxy := &httputil.ReverseProxy{
		Transport: to.transport, FlushInterval: -1, ErrorLog: silent,
		Rewrite: func(p *httputil.ProxyRequest) { a.rewrite(p, location, u, upgrade) },
		ModifyResponse: func(response *http.Response) error {
			// TLS announces the end of a connection before it is closed, so that a service may respond in between,
			// after the time of the request.
			if err := client.Err(); err != nil {
				return err
			}
			return answer(response, location, upgrade)
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(client.Err(), context.DeadlineExceeded) {
				WriteTimedOut(w)
				return
			}
			http.Error(w, failure(err, upgrade), http.StatusServiceUnavailable)
		},
	}
	proxy.ServeHTTP(w, r)
}

// WriteTimedOut answers a request that was not answered in its time, whether it was forwarded or not, as kube-apiserver
// does (apiserver/pkg/server/filters, WithTimeoutForNonLongRunningRequests): the media type of the Status is that of text.
func WriteTimedOut(w http.ResponseWriter) {
	const status = `{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",` +
		`"reason":"Timeout","details":{},"code":504}` + "\n"
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusGatewayTimeout)
	_, _ = io.WriteString(w, status)
}

var silent = log.New(io.Discard, "", 0)

// Headers of forwarded requests.
const (
	viaHeader       = "Via"
	forwardedFor    = "X-Forwarded-For"
	remoteUser      = "X-Remote-User"
	remoteUID       = "X-Remote-Uid"
	remoteGroup     = "X-Remote-Group"
	remoteExtra     = "X-Remote-Extra-"
	impersonation   = "Impersonate-"
	authorization   = "Authorization"
	forwardedHeader = "Forwarded"
)

// via is the value of the header Via (RFC 9110, 7.6.3) with which a forwarded request is recognized.
func (a *Aggregator) via() string { return "1.1 " + a.id }

// rewrite makes the request to the service. It has the headers of the client's, except for its credentials.
func (a *Aggregator) rewrite(p *httputil.ProxyRequest, location *url.URL, u cluster.User, upgrade bool) {
	p.Out.URL, p.Out.Host = location, location.Host
	h := p.Out.Header
	h.Del(authorization)
	for name := range h {
		if strings.HasPrefix(name, impersonation) {
			h.Del(name)
		}
	}
	setUser(h, u)
	if forwarded := p.In.Header.Values(forwardedHeader); len(forwarded) > 0 {
		h[forwardedHeader] = forwarded
	}
	h[forwardedFor] = p.In.Header.Values(forwardedFor)
	p.SetXForwarded()
	h.Del("X-Forwarded-Host")
	h.Del("X-Forwarded-Proto")
	if !upgrade {
		h.Set("X-Forwarded-Uri", location.EscapedPath())
		h.Set("X-Forwarded-Host", location.Host)
		h.Set("X-Forwarded-Proto", location.Scheme)
	}
	h.Add(viaHeader, a.via())
}

// setUser sets the headers that name the user of a request, in place of those that the client has sent.
func setUser(h http.Header, u cluster.User) {
	for name := range h {
		if name == remoteUser || name == remoteUID || name == remoteGroup || strings.HasPrefix(name, remoteExtra) {
			h.Del(name)
		}
	}
	h.Set(remoteUser, u.Name)
	if u.UID != "" {
		h.Set(remoteUID, u.UID)
	}
	for _, group := range u.Groups {
		h.Add(remoteGroup, group)
	}
	for key, values := range u.Extra {
		for _, value := range values {
			h.Add(remoteExtra+escapedKey(key), value)
		}
	}
}

// escapedKey returns the key of an extra field for the name of a header: characters that a name cannot have, and the
// percent sign, are escaped as in a URL (k8s.io/client-go/transport).
func escapedKey(key string) string {
	var out strings.Builder
	for _, c := range []byte(key) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$&'*+-.^_`|~", c) >= 0 {
			out.WriteByte(c)
			continue
		}
		fmt.Fprintf(&out, "%%%02X", c)
	}
	return out.String()
}

// answer changes a response of the service before it is passed on. It is an error if the service did not upgrade the
// connection as it was asked to.
func answer(response *http.Response, location *url.URL, upgrade bool) error {
	switch {
	case upgrade:
		if response.StatusCode != http.StatusSwitchingProtocols && response.StatusCode < 400 {
			return notUpgraded(response.StatusCode)
		}
		return nil
	case response.StatusCode >= 300 && response.StatusCode <= 399 && response.Header.Get("Location") != "":
		_ = response.Body.Close()
		*response = http.Response{
			StatusCode: http.StatusBadGateway, Header: http.Header{"Content-Length": {strconv.Itoa(len(errRedirect))}},
			Body: io.NopCloser(strings.NewReader(errRedirect)), ContentLength: int64(len(errRedirect)),
		}
		return nil
	}
	for _, name := range [...]string{"Credentials", "Headers", "Methods", "Origin"} {
		response.Header.Del("Access-Control-Allow-" + name)
	}
	if target, err := url.Parse(response.Header.Get("Location")); err == nil && strings.HasPrefix(target.Path, "/") &&
		(target.Host == "" || target.Host == location.Host) {
		target.Scheme, target.Host = location.Scheme, location.Host
		response.Header.Set("Location", target.String())
	}
	return nil
}

// notUpgraded is the error for a service that answers a request for an upgrade with another code.
type notUpgraded int

func (code notUpgraded) Error() string {
	return "invalid upgrade response: status code " + strconv.Itoa(int(code))
}

// failure is the text of the response if the service cannot be reached.
func failure(err error, upgrade bool) string {
	switch {
	case errors.As(err, new(notUpgraded)):
		return err.Error()
	case upgrade && errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF.Error()
	case upgrade:
		return "error dialing backend: " + err.Error()
	}
	return "error trying to reach service: " + err.Error()
}

// asksForUpgrade reports whether a request asks for its connection to change to another protocol.
func asksForUpgrade(r *http.Request) bool {
	return slices.ContainsFunc(r.Header.Values("Connection"), func(value string) bool {
		return strings.Contains(strings.ToLower(value), "upgrade")
	})
}
