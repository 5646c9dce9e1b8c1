package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// wire sends requests over plain HTTP, which takes less CPU time than client-go.
type wire struct {
	side *side
	http *http.Client
}

func newWire(s *side) *wire {
	return &wire{side: s, http: &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 1000,
	}}}
}

// request sends a request with a JSON body.
func (c *wire) request(ctx context.Context, method, path, body string) (*http.Response, error) {
	return c.send(ctx, method, path, jsonType, body)
}

// send sends a request whose body and response are of a media type.
func (c *wire) send(ctx context.Context, method, path, mediaType, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.side.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.side.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.side.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", mediaType)
	}
	r.Header.Set("Accept", mediaType)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		defer answer.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000))
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	return answer, nil
}

// write creates or replaces a ConfigMap that holds a number, and returns its
// resourceVersion.
func (c *wire) write(ctx context.Context, method, namespace, path, name, number string) (uint64, error) {
	answer, err := c.request(ctx, method, "/api/v1/namespaces/"+namespace+"/configmaps"+path,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`"},"data":{"number":"`+number+`"}}`)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(member(text, `"resourceVersion":"`), 10, 64)
}

// read sends a request and reads its response without decoding it.
func (c *wire) read(ctx context.Context, method, path, mediaType, body string) error {
	answer, err := c.send(ctx, method, path, mediaType, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// member returns the text between a prefix and the next quote.
func member(text []byte, prefix string) string {
	_, after, _ := bytes.Cut(text, []byte(prefix))
	value, _, _ := bytes.Cut(after, []byte(`"`))
	return string(value)
}

// watcher is an open watch. Its versions and latencies may be read after finish.
type watcher struct {
	group    *group
	stop     context.CancelFunc
	done     chan struct{}
	versions []uint64
	took     latencies
	seen     atomic.Uint64 // the last version
}

// sampled is the number of events of which one is used for the latency.
const sampled = 10

// watch opens a watch of a group's namespace.
func (c *wire) watch(ctx context.Context, g *group) (*watcher, error) {
	ctx, stop := context.WithCancel(ctx)
	answer, err := c.request(ctx, "GET", "/api/v1/namespaces/"+g.namespace+"/configmaps?watch=1&timeoutSeconds=3600&resourceVersion="+g.from, "")
	if err != nil {
		stop()
		return nil, err
	}
	w := &watcher{group: g, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		defer answer.Body.Close()
		w.read(bufio.NewReader(answer.Body))
	}()
	return w, nil
}

func (w *watcher) read(lines *bufio.Reader) {
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		version, _ := strconv.ParseUint(member(line, `"resourceVersion":"`), 10, 64)
		w.versions = append(w.versions, version)
		if len(w.versions)%sampled == 0 {
			w.took = append(w.took, time.Since(w.group.sentAt(member(line, `"number":"`))))
		}
		w.seen.Store(version)
	}
}

// finish reads until the last written version has arrived, or until there is no event
// for ten seconds.
func (w *watcher) finish() {
	defer func() { w.stop(); <-w.done }()
	seen, since := w.seen.Load(), time.Now()
	for w.seen.Load() < w.group.versions[len(w.group.versions)-1] && time.Since(since) < 10*time.Second {
		time.Sleep(10 * time.Millisecond)
		if now := w.seen.Load(); now != seen {
			seen, since = now, time.Now()
		}
	}
}
