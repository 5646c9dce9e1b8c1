package server

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/websocket"
)

// recordedSocket is a line of testdata/websockets.jsonl: a request for a WebSocket, and what kube-apiserver 1.36.3
// answered. TOKEN stands for a valid token in base64url; an empty header is left out.
type recordedSocket struct {
	Name, Path string
	Headers    map[string]string
	Code       int
	Protocol   string
	Messages   []struct {
		Opcode byte
		Begins string // in hexadecimal if it closes the connection
	}
}

// TestRecordedWebSockets compares handshakes and messages with recorded ones. The namespace has one ConfigMap. Time
// passes only when everything waits, so that a timeout comes after the events.
func TestRecordedWebSockets(t *testing.T) {
	file, err := os.Open("testdata/websockets.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for d := json.NewDecoder(file); d.More(); {
		var want recordedSocket
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		t.Run(want.Name, func(t *testing.T) { synctest.Test(t, want.compare) })
	}
}

// compare compares the answer of a server with the token "secret" and a ConfigMap, and the code in its log.
func (want *recordedSocket) compare(t *testing.T) {
	var logged []int
	s := local(t, Options{Token: "secret", Log: func(a Access) { logged = append(logged, a.Code) }})
	w := ask(s, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"b"}}`, "Authorization", "Bearer secret")
	if w.Code != http.StatusCreated {
		t.Fatal(w.Code, w.Body)
	}
	l := newPipes()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l, nil) }()
	conn := l.dial(t)
	want.exchange(t, conn)
	_ = conn.Close()
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if len(logged) != 2 || logged[1] != want.Code {
		t.Errorf("%s: logged are %d, want %d after that of the ConfigMap", want.Name, logged, want.Code)
	}
}

// exchange sends the request over a connection, and reads until the server closes it or has answered.
func (want *recordedSocket) exchange(t *testing.T, conn net.Conn) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://localhost"+want.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer secret", "Upgrade": "websocket", "Connection": "Upgrade", "Origin": "http://localhost",
		"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
	} {
		r.Header.Set(name, value)
	}
	for name, value := range want.Headers {
		r.Header.Set(name, strings.ReplaceAll(value, "TOKEN", base64.RawURLEncoding.EncodeToString([]byte("secret"))))
		if value == "" {
			r.Header.Del(name)
		}
	}
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, r)
	if err != nil {
		t.Fatalf("%s: %v", want.Name, err)
	}
	defer answer.Body.Close()
	if protocol := answer.Header.Get(protocolHeader); answer.StatusCode != want.Code || protocol != want.Protocol {
		t.Errorf("%s: got %d with protocol %q, want %d with %q", want.Name, answer.StatusCode, protocol, want.Code, want.Protocol)
		return
	}
	if want.Code != http.StatusSwitchingProtocols {
		return
	}
	if accept := answer.Header.Get("Sec-WebSocket-Accept"); accept != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" { // the example of RFC 6455
		t.Errorf("%s: Sec-WebSocket-Accept is %q", want.Name, accept)
	}
	for i, message := range want.Messages {
		opcode, payload := readFrame(t, in)
		text := string(payload)
		if opcode == websocket.CloseFrame {
			text = hex.EncodeToString(payload)
		}
		if opcode != message.Opcode || !strings.HasPrefix(text, message.Begins) || opcode == websocket.TextFrame && !strings.HasSuffix(text, "}\n") {
			t.Errorf("%s: message %d is %d %q, want %d %q", want.Name, i, opcode, text, message.Opcode, message.Begins)
			return
		}
	}
	if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
		t.Errorf("%s: %q follows, %v", want.Name, rest, err)
	}
}

// readFrame reads a frame of a server (RFC 6455, section 5.2) with less than 64 KB.
func readFrame(t *testing.T, in io.Reader) (opcode byte, payload []byte) {
	t.Helper()
	read := func(n int) []byte {
		b := make([]byte, n)
		if _, err := io.ReadFull(in, b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	head := read(2)
	if head[0]&0x80 == 0 || head[1] > 126 {
		t.Fatalf("the frame begins with %x", head)
	}
	size := int(head[1])
	if size == 126 {
		b := read(2)
		size = int(b[0])<<8 | int(b[1])
	}
	return head[0] & 0x0f, read(size)
}

// dialed returns a WebSocket of a server without a token.
func dialed(t *testing.T, s *httptest.Server, path string) *websocket.Conn {
	t.Helper()
	conn, err := websocket.Dial("ws"+strings.TrimPrefix(s.URL, "http")+path, "", s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestWebSocketSendsLargeObjectsInOneMessage reads an object that other watches write in parts.
func TestWebSocketSendsLargeObjectsInOneMessage(t *testing.T) {
	server := local(t, Options{})
	large := strings.Repeat("x", 3*largeEvent)
	create(t, server, "a", `,"data":{"large":"`+large+`"}`)
	s := httptest.NewServer(server)
	defer s.Close()
	var event struct {
		Object struct{ Data map[string]string }
	}
	if err := websocket.JSON.Receive(dialed(t, s, configMaps+"?watch=1"), &event); err != nil || event.Object.Data["large"] != large {
		t.Errorf("got %d bytes, %v", len(event.Object.Data["large"]), err)
	}
}

// TestWebSocketEndsWithItsClientAndWithTheServer opens two WebSockets. One is closed by its client, who has sent
// something before, which the server ignores. The other ends with the server.
func TestWebSocketEndsWithItsClientAndWithTheServer(t *testing.T) {
	ended := make(chan Access, 2)
	server := local(t, Options{Log: func(a Access) {
		if a.Code == http.StatusSwitchingProtocols {
			ended <- a
		}
	}})
	create(t, server, "a", "")
	url, _, stop := serve(t, server, false)
	s := &httptest.Server{URL: url}
	closed, kept := dialed(t, s, configMaps+"?watch=1"), dialed(t, s, configMaps+"?watch=1")
	var event string
	for _, conn := range []*websocket.Conn{closed, kept} {
		if err := websocket.Message.Receive(conn, &event); err != nil || !strings.Contains(event, "ADDED") {
			t.Fatal(event, err)
		}
	}
	if err := websocket.Message.Send(closed, "ignored"); err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case a := <-ended:
		if a.Bytes != int64(len(event)) {
			t.Errorf("%d bytes were counted, not %d", a.Bytes, len(event))
		}
	case <-time.After(20 * time.Second):
		t.Error("the watch does not end with its client")
	}
	stop()
	select {
	case <-ended:
	default:
		t.Error("the server has ended before the other watch")
	}
	if err := websocket.Message.Receive(kept, &event); err != io.EOF {
		t.Errorf("the other is not closed: %q, %v", event, err)
	}
}

// TestWebSocketWithoutAConnection: with a writer that does not give up its connection, such as that of a handler of
// Options.Wrap, a WebSocket is refused, and the log reports no fault of the server.
func TestWebSocketWithoutAConnection(t *testing.T) {
	var logged Access
	s := local(t, Options{Log: func(a Access) { logged = a }})
	w := ask(s, "GET", configMaps+"?watch=1", "", "Upgrade", "websocket", "Connection", "Upgrade", "Origin", "http://example.com",
		"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version", "13")
	message := body(t, w).Get("message").StringOr("")
	if w.Code != http.StatusInternalServerError || !strings.Contains(message, "Hijacker") || logged.Code != w.Code || logged.Fault != "" {
		t.Errorf("%d %s, logged as %d with the fault %q", w.Code, message, logged.Code, logged.Fault)
	}
}
