package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/websocket"

	"github.com/patchlab-dev/patchlab/cluster"
)

// Dashboards that run in browsers watch over WebSockets (RFC 6455). As in kube-apiserver, each event is one message, text
// for JSON and binary for protobuf, and messages from the client are ignored.

// asksForWebSocket reports whether a request asks for its connection to become a WebSocket, which is not
// possible over HTTP/2.
func asksForWebSocket(r *http.Request) bool {
	if r.ProtoMajor != 1 || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return false
	}
	for _, value := range r.Header.Values("Connection") {
		if strings.Contains(strings.ToLower(value), "upgrade") {
			return true
		}
	}
	return false
}

const (
	protocolHeader = "Sec-Websocket-Protocol"
	// tokenProtocol is the beginning of the protocol that contains a bearer token. JavaScript cannot set the Authorization
	// header of a WebSocket request.
	tokenProtocol = "base64url.bearer.authorization.k8s.io."
)

// protocolToken returns the bearer token in the protocols of a request for a WebSocket, "" for none, and the other
// protocols. A token requires at least one other protocol, which the server selects in its response. ok is false if
// there is none, or if there are several tokens or one that is not text in base64url.
func protocolToken(r *http.Request) (token string, others []string, ok bool) {
	if !asksForWebSocket(r) {
		return "", nil, true
	}
	found := false
	for protocol := range strings.SplitSeq(strings.Join(r.Header.Values(protocolHeader), ","), ",") {
		protocol = strings.TrimSpace(protocol)
		encoded, isToken := strings.CutPrefix(protocol, tokenProtocol)
		if !isToken {
			others = append(others, protocol)
			continue
		}
		decoded, err := base64.RawURLEncoding.DecodeString(encoded)
		if found || err != nil || !utf8.Valid(decoded) {
			return "", nil, false
		}
		token, found = string(decoded), true
	}
	return token, others, token == "" || len(others) > 0
}

// withoutToken returns a request whose token was in its protocols with the others alone.
func withoutToken(r *http.Request, others []string) *http.Request {
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.Header.Set(protocolHeader, strings.Join(others, ","))
	return r
}

// frameLength is the size of the length that precedes an event in protobuf in other streams.
const frameLength = 4

// serveSocket turns the connection into a WebSocket, calls serve and closes it.
func (s *Server) serveSocket(w *writer, r *http.Request, serve func(*writer, *websocket.Conn)) {
	// The library panics if the writer does not give up its connection, as that of a handler of Options.Wrap may not.
	connection, buffers, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		s.fail(w, r, &cluster.Status{
			Code: http.StatusInternalServerError, Reason: cluster.ReasonInternal,
			Message: "opening a WebSocket: " + err.Error() + ": an http.Handler around the server (Options.Wrap) must implement http.Hijacker or Unwrap in its http.ResponseWriter",
		})
		return
	}
	w.code = http.StatusBadRequest // with which the library refuses all handshakes but those that checkHandshake does
	socket := websocket.Server{
		Handshake: func(c *websocket.Config, r *http.Request) error {
			err := checkHandshake(c, r)
			if err != nil {
				w.code = http.StatusForbidden
			}
			return err
		},
		Handler: func(conn *websocket.Conn) {
			defer conn.Close()
			w.code = http.StatusSwitchingProtocols
			serve(w, conn)
		},
	}
	socket.ServeHTTP(hijacked{w, connection, buffers}, r)
}

// closeTime is the time after the end of a watch in which its client can read the rest of a WebSocket. It is shorter
// than stopTime, so that a stopping server waits for it.
const closeTime = stopTime / 2

// followSocket sends each event as a message until the stream or ctx ends, or the client closes the connection.
func (s *Server) followSocket(ctx context.Context, w *writer, conn *websocket.Conn, frames *frames, events *cluster.Stream) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A write waits for a client that does not read: that of an event, of the answer to a ping, or of the message that
	// closes the connection, which the caller sends later. Therefore the function is called even after this one returns.
	context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now().Add(closeTime)) })
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, conn)
	}()
	conn.PayloadType = websocket.TextFrame
	if frames.form.protobuf {
		conn.PayloadType = websocket.BinaryFrame
	}
	var message bytes.Buffer
	var buffer []byte
	for {
		event, err := events.NextShown(ctx)
		if err != nil {
			return
		}
		message.Reset()
		if buffer, err = frames.write(&message, buffer, event); err != nil {
			return
		}
		body := message.Bytes()
		if frames.form.protobuf {
			body = body[frameLength:]
		}
		n, err := conn.Write(body)
		w.bytes += int64(n)
		if err != nil {
			return
		}
		s.metrics.events.Add(1)
		if message.Cap() > largeEvent {
			message = bytes.Buffer{} // do not keep that of a large object
		}
	}
}

// checkHandshake requires an Origin header, as kube-apiserver does. checkOrigin has already verified that it is the
// server's own origin.
func checkHandshake(_ *websocket.Config, r *http.Request) error {
	_, err := url.ParseRequestURI(r.Header.Get("Origin"))
	return err // which the library does not send
}

// hijacked is a writer whose connection has been taken over, in the form that the WebSocket library expects.
type hijacked struct {
	http.ResponseWriter
	connection net.Conn
	buffers    *bufio.ReadWriter
}

func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) { return h.connection, h.buffers, nil }
