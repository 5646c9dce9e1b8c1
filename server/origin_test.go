package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestPagesOfOtherOriginsAreRefused sends the requests that a web page of another
// origin can make a browser send, and those of other clients, to a listener on the
// loopback interface.
func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	s := local(t, Options{Hosts: []string{"host.docker.internal"}})
	url, client, stop := serve(t, s, false)
	defer stop()
	host := strings.TrimPrefix(url, "http://")
	_, port, _ := strings.Cut(host, ":")
	type headers = map[string]string
	const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"}}`
	for _, c := range []struct {
		why, method, host string
		headers           headers
		code              int
	}{
		{"kubectl", "POST", "", headers{"Content-Type": "application/json"}, 201},
		{"a client without a Content-Type", "POST", "", nil, 201},
		{"localhost by name", "POST", "localhost:" + port, headers{"Content-Type": "application/json"}, 201},
		{"localhost without a port", "POST", "LocalHost.", headers{"Content-Type": "application/json"}, 201},
		{"another address of loopback", "POST", "127.8.9.10:" + port, headers{"Content-Type": "application/json"}, 201},
		{"loopback of IPv6", "POST", "[::1]:" + port, headers{"Content-Type": "application/json"}, 201},
		{"a name in Options.Hosts", "POST", "host.docker.internal:" + port, headers{"Content-Type": "application/json"}, 201},
		{"a page of the server itself", "POST", "", headers{"Content-Type": "application/json", "Origin": url, "Sec-Fetch-Site": "same-origin"}, 201},
		{"a client with a bearer token and any Origin", "POST", "", headers{"Content-Type": "application/json", "Origin": "http://localhost", "Authorization": "Bearer t"}, 201},
		{"a typed address", "GET", "", headers{"Sec-Fetch-Site": "none"}, 200},

		{"DNS rebinding, reading", "GET", "evil.example:" + port, nil, 403},
		{"DNS rebinding, writing", "POST", "evil.example:" + port, headers{"Content-Type": "application/json", "Origin": "http://evil.example:" + port}, 403},
		{"a name with the prefix of loopback", "GET", "127.0.0.1.evil.example", nil, 403},
		{"a name with the suffix of localhost", "GET", "evil-localhost", nil, 403},
		{"an address of another machine", "GET", "192.0.2.1:" + port, nil, 403},
		{"a simple request without a Content-Type", "POST", "", headers{"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}, 403},
		{"the same from an old browser", "POST", "", headers{"Origin": "http://evil.example"}, 403},
		{"a form with text/plain", "POST", "", headers{"Content-Type": "text/plain", "Origin": "http://evil.example"}, 403},
		{"a sandboxed frame", "POST", "", headers{"Content-Type": "application/json", "Origin": "null"}, 403},
		{"a page on another port of this machine", "POST", "", headers{"Content-Type": "application/json", "Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}, 403},
		{"a page with the other scheme", "POST", "", headers{"Content-Type": "application/json", "Origin": "https://" + host}, 403},
		{"a preflight request", "OPTIONS", "", headers{"Origin": "http://evil.example", "Access-Control-Request-Method": "PATCH"}, 403},
		{"an image request from another site", "GET", "", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"a form with a user and a password in its address", "POST", "", headers{"Content-Type": "text/plain", "Origin": "http://evil.example", "Authorization": "Basic dTpw"}, 403},
		{"a page with a bearer token, after DNS rebinding", "POST", "evil.example:" + port, headers{"Content-Type": "application/json", "Origin": "http://evil.example:" + port, "Authorization": "Bearer t"}, 403},
		{"a page of another site with a bearer token", "POST", "", headers{"Content-Type": "application/json", "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site", "Authorization": "Bearer t"}, 403},
		{"a deletion", "DELETE", "", headers{"Origin": "http://evil.example"}, 403},
		{"a page of the server itself, without a Content-Type", "POST", "", headers{"Origin": url, "Sec-Fetch-Site": "same-origin"}, 403},
		{"an origin that is not a URL", "POST", "", headers{"Content-Type": "application/json", "Origin": "http://[" + host}, 403},
	} {
		var content io.Reader
		if c.method == http.MethodPost {
			content = strings.NewReader(object)
		}
		r, err := http.NewRequest(c.method, url+configMaps, content)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		for name, value := range c.headers {
			r.Header.Set(name, value)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.code {
			t.Errorf("%s: %d %s", c.why, resp.StatusCode, text)
		}
		if c.code == 403 && !strings.Contains(string(text), `"reason":"Forbidden"`) {
			t.Errorf("%s: answered %s", c.why, text)
		}
		if allow := resp.Header.Get("Access-Control-Allow-Origin"); allow != "" {
			t.Errorf("%s: allowed for %s", c.why, allow)
		}
	}
}

// TestOriginOverTLS sends origins with both schemes to a server with TLS. The WebSocket library of the client
// for Python sends http for any server.
func TestOriginOverTLS(t *testing.T) {
	s := local(t, Options{})
	for origin, code := range map[string]int{
		"https://127.0.0.1:6443": 200,
		"http://127.0.0.1:6443":  200,
		"http://127.0.0.1:6444":  403,
		"http://127.0.0.1":       403,
		"ws://127.0.0.1:6443":    403,
	} {
		r := httptest.NewRequest("GET", "https://127.0.0.1:6443"+configMaps, nil)
		r.Header.Set("Origin", origin)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != code {
			t.Errorf("%s: %d, want %d", origin, w.Code, code)
		}
	}
	// Without ports, the schemes stand for different ones.
	r := httptest.NewRequest("GET", "https://127.0.0.1"+configMaps, nil)
	r.Header.Set("Origin", "http://127.0.0.1")
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("without ports: %d", w.Code)
	}
}

// TestHostOffLoopback checks the Host header on other interfaces: a DNS name can be
// rebound by an attacker, an IP address cannot.
func TestHostOffLoopback(t *testing.T) {
	s := New(newFake(t), Options{Hosts: []string{"lab"}})
	for host, known := range map[string]bool{"192.0.2.7:8001": true, "[2001:db8::1]": true, "lab:8001": true, "localhost:8001": true, "evil.example": false} {
		r, err := http.NewRequest("GET", "http://"+host+"/version", nil)
		if err != nil {
			t.Fatal(err)
		}
		address := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.7:8001"))
		if got := s.knownHost(r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, address))); got != known {
			t.Errorf("%s is known: %v", host, got)
		}
	}
}
