package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
)

// checkOrigin refuses requests that a web page of another site can make a
// browser send. The server does not authenticate such a request by anything the
// page could not have, so the headers that browsers set are all there is to go by:
//
//   - Host names the server that the page believes to be talking to. A page whose
//     own name resolves to this machine (DNS rebinding) sends its own name.
//   - Origin comes with every request across origins that can write.
//   - Sec-Fetch-Site relates the page to the server; pages cannot set it.
//   - Content-Type is empty in a cross-origin request that a browser sends without
//     asking first. Kubernetes reads such a body as JSON, for clients that are no
//     browsers this server does too.
func (s *Server) checkOrigin(r *http.Request) error {
	if !s.knownHost(r) {
		return forbidden("the Host header names " + quoteShort(r.Host) + ", which is not a name of this server: " +
			"use localhost or an IP address, or let the server know the name (patchlab serve --allow-host)")
	}
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin != "" && !sameOrigin(origin, r) {
		return forbidden("requests from web pages of other origins are refused: Origin is " + quoteShort(origin))
	}
	switch site {
	case "", "none", "same-origin":
	default:
		return forbidden("requests from web pages of other origins are refused: Sec-Fetch-Site is " + quoteShort(site))
	}
	if origin+site != "" && writes(r) && r.Header.Get("Content-Type") == "" && r.ContentLength != 0 {
		return forbidden("a request from a web page must have a Content-Type")
	}
	return nil
}

// knownHost reports whether the Host header is a name of this server. localhost
// and IP addresses cannot be rebound; on a loopback connection the address has to
// be of loopback too. A handler that runs without a listener does not know the
// address of the connection and accepts any host.
func (s *Server) knownHost(r *http.Request) bool {
	if r.Context().Value(http.LocalAddrContextKey) == nil {
		return true
	}
	host := hostName(r.Host)
	if strings.EqualFold(host, "localhost") {
		return true
	}
	for _, name := range s.options.Hosts {
		if strings.EqualFold(host, name) {
			return true
		}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return !onLoopback(r) || ip.Unmap().IsLoopback()
}

// onLoopback reports whether a request came over a loopback connection.
func onLoopback(r *http.Request) bool {
	address, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	local, err := netip.ParseAddrPort(address.String())
	return err == nil && local.Addr().Unmap().IsLoopback()
}

// hostName returns the host of a Host header without port, brackets and the dot
// that ends a fully qualified name.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ".")
}

// sameOrigin reports whether an Origin header names the server that the request
// was sent to.
func sameOrigin(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return u.Scheme == scheme && strings.EqualFold(u.Host, r.Host)
}

// writes reports whether a request may change something.
func writes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead
}

func forbidden(message string) *cluster.Status {
	return &cluster.Status{Code: http.StatusForbidden, Reason: cluster.ReasonForbidden, Message: message, Details: &cluster.StatusDetails{}}
}

// quoteShort quotes a value of a header for a message.
func quoteShort(value string) string {
	const most = 100
	if len(value) > most {
		value = value[:most] + "..."
	}
	return `"` + quoteWarning(value) + `"`
}
