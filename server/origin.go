package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
)

// checkOrigin refuses requests that a web page of another origin can make a browser send
// (cross-site request forgery and DNS rebinding). Such requests carry whatever credentials the
// browser adds, so only the headers that the browser itself sets identify them:
//
//   - Host is the name under which the page addresses the server. A page whose own
//     name resolves to this machine (DNS rebinding) sends that name.
//   - Origin is part of every cross-origin request that can write.
//   - Sec-Fetch-Site relates the page to the server; pages cannot set it.
//   - Content-Type is empty in a cross-origin request without a CORS preflight.
//     Kubernetes decodes such a body as JSON, and so does this server for clients
//     that are not browsers.
//
// A bearer token shows that a request with an Origin is not one of them: a page can only add the Authorization header
// after a preflight request, to which the response allows nothing, and not at all to a WebSocket. Other clients, such as
// the WebSocket library golang.org/x/net/websocket, may send any Origin.
func (s *Server) checkOrigin(r *http.Request) error {
	if !s.knownHost(r) {
		return forbidden("the Host header is " + quoteShort(r.Host) + ", which is not a name of this server: " +
			"use localhost or an IP address, or allow the name (patchlab serve --allow-host)")
	}
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	token, _ := bearerToken(r)
	if origin != "" && token == "" && !sameOrigin(origin, r) {
		return forbidden("requests from web pages of other origins are refused: Origin is " + quoteShort(origin))
	}
	switch site {
	case "", "none", "same-origin":
	default:
		return forbidden("requests from web pages of other origins are refused: Sec-Fetch-Site is " + quoteShort(site))
	}
	if origin+site != "" && writes(r) && r.Header.Get("Content-Type") == "" && r.ContentLength != 0 {
		return forbidden("requests from web pages must have a Content-Type")
	}
	return nil
}

// knownHost reports whether the Host header is a name of this server. localhost and IP
// addresses are not subject to DNS rebinding; on a loopback connection the address must be a
// loopback address, too. Without a listener the address of the connection is unknown, and any
// host is accepted.
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
	if tcp, ok := address.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	local, err := netip.ParseAddrPort(address.String())
	return err == nil && local.Addr().Unmap().IsLoopback()
}

// hostName returns the host of a Host header without the port, brackets and a final dot.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ".")
}

// sameOrigin reports whether an Origin header is the origin of the server. Over TLS it may have the scheme http,
// which the WebSocket library of the client for Python sends: no page can come from the same port without TLS.
func sameOrigin(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	scheme := u.Scheme == "http"
	if r.TLS != nil {
		scheme = u.Scheme == "https" || u.Scheme == "http" && u.Port() != ""
	}
	return scheme && strings.EqualFold(u.Host, r.Host)
}

// writes reports whether a request may change objects.
func writes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead
}

func forbidden(message string) *cluster.Status {
	return &cluster.Status{Code: http.StatusForbidden, Reason: cluster.ReasonForbidden, Message: message, Details: &cluster.StatusDetails{}}
}

// quoteShort quotes a header's value for an error message, shortened.
func quoteShort(value string) string {
	const most = 100
	if len(value) > most {
		value = value[:most] + "..."
	}
	return `"` + quoteWarning(value) + `"`
}
