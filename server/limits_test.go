package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// halfSent opens connections that send the header of a request and one byte of its
// body.
func halfSent(t *testing.T, address string, count int, head string) {
	t.Helper()
	for range count {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := fmt.Fprintf(c, "%sHost: %s\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n{", head, address); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSlowBodiesKeepNoSlot checks that clients that send their bodies slowly do not
// occupy request slots.
func TestSlowBodiesKeepNoSlot(t *testing.T) {
	url, client, stop := serve(t, local(t, Options{MaxWrites: 2}), false)
	defer stop()
	halfSent(t, strings.TrimPrefix(url, "http://"), 220, "POST "+configMaps+" HTTP/1.1\r\n")
	for range 3 {
		resp, err := client.Post(url+configMaps, "application/json", strings.NewReader(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"}}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Fatalf("beside slow bodies: %s", resp.Status)
		}
	}
	client.CloseIdleConnections()
}

// TestSlowReadersKeepNoSlot checks that clients that do not read their responses do not
// occupy request slots.
func TestSlowReadersKeepNoSlot(t *testing.T) {
	f := newFake(t)
	large := object("kind", text("ConfigMap"), "data", text(strings.Repeat("x", 32<<20)))
	f.answer = func(context.Context, *cluster.Request) (*cluster.Response, error) {
		return &cluster.Response{Code: 200, Object: large}, nil
	}
	url, client, stop := serve(t, New(f, Options{MaxReads: 1}), false)
	defer stop()
	address := strings.TrimPrefix(url, "http://")
	for range 3 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "GET %s/a HTTP/1.1\r\nHost: %s\r\n\r\n", configMaps, address)
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("answered %q %v", line, err)
		}
	}
	resp, err := client.Get(url + "/version")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("beside slow readers: %s", resp.Status)
	}
	client.CloseIdleConnections()
}

// TestTotalBodyMemoryIsBounded checks that the memory of all bodies being read is
// limited and that small bodies are read even at the limit.
func TestTotalBodyMemoryIsBounded(t *testing.T) {
	f := newFake(t)
	s := New(f, Options{})
	s.bodies = newBudget(maxBody)
	r, w := io.Pipe()
	first := make(chan int)
	go func() {
		request, _ := http.NewRequest("POST", configMaps, r)
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, request)
		first <- answer.Code
	}()
	if _, err := w.Write(make([]byte, maxBody-1)); err != nil {
		t.Fatal(err)
	}
	if got := ask(s, "POST", configMaps, strings.Repeat(" ", maxBody)); got.Code != 429 || got.Header().Get("Retry-After") != "1" {
		t.Errorf("a second large body: %d %s", got.Code, got.Body)
	}
	if got := ask(s, "POST", configMaps, strings.Repeat(" ", smallBody-1)); got.Code != 200 {
		t.Errorf("a small body: %d %s", got.Code, got.Body)
	}
	w.Close()
	if code := <-first; code != 200 {
		t.Errorf("the first: %d", code)
	}
	if got := ask(s, "POST", configMaps, strings.Repeat(" ", maxBody)); got.Code != 200 {
		t.Errorf("a large body afterwards: %d %s", got.Code, got.Body)
	}
	if s.bodies.free != maxBody {
		t.Errorf("%d of %d bytes were released", s.bodies.free, maxBody)
	}
}
