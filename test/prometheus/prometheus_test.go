// Package prometheus runs the queries of doc/metrics.md in a real Prometheus, which scrapes
// the metrics of a server over a store.
package prometheus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
)

// queries returns the indented code blocks of the section on queries in doc/metrics.md.
func queries(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("../../doc/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(data), "## Queries for a dashboard")
	if !ok {
		t.Fatal("doc/metrics.md has no section on queries")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var found []string
	continued := false
	for line := range strings.Lines(section) {
		text, isCode := strings.CutPrefix(line, "    ")
		switch {
		case !isCode:
			continued = false
		case continued && strings.HasPrefix(text, " "):
			found[len(found)-1] += " " + strings.TrimSpace(text)
		default:
			found, continued = append(found, strings.TrimSpace(text)), true
		}
	}
	return found
}

func TestQueriesInPrometheus(t *testing.T) {
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not on the PATH: the queries of doc/metrics.md are not tried")
	}
	s := newServer(t)
	p := startPrometheus(t, program, s.Listener.Addr().String())
	stop := make(chan struct{})
	defer close(stop)
	go s.traffic(stop)
	list := queries(t)
	if len(list) < 8 {
		t.Fatalf("found %d queries", len(list))
	}
	for _, query := range list {
		deadline := time.Now().Add(time.Minute)
		for {
			n, err := p.samples(query)
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			if n > 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("no sample: %s", query)
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// testServer is a server whose store reports metrics as one on etcd does.
type testServer struct {
	*httptest.Server
	store store.Store[*cluster.Record]
}

func newServer(t *testing.T) testServer {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	memory := store.NewMemory(store.MemoryOptions[*cluster.Record]{})
	metrics := &server.StoreMetrics{Revision: memory.Revision, Restarts: func() int64 { return 0 }}
	measured := store.Observe(memory, metrics.Observe)
	c, err := cluster.New(cluster.Config{Kinds: schema.NewRegistry(catalog), Store: measured})
	if err != nil {
		t.Fatal(err)
	}
	s := testServer{httptest.NewServer(server.New(c, server.Options{Store: metrics})), measured}
	t.Cleanup(s.Close)
	return s
}

// traffic sends every kind of request that the metrics count, including conflicts for
// both reasons, and compacts the store.
func (s testServer) traffic(stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
		const config = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"%d"}}`
		path := "/api/v1/namespaces/default/configmaps/a"
		s.send("PATCH", path+"?fieldManager=one&force=true", "application/apply-patch+yaml", fmt.Sprintf(config, n))
		s.send("PATCH", path+"?fieldManager=two", "application/apply-patch+yaml", fmt.Sprintf(config, -1))
		s.send("PUT", path, "application/json", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1"}}`)
		s.send("GET", "/api/v1/configmaps", "", "")
		if revision, err := s.store.Revision(context.Background()); err == nil && n%10 == 9 {
			_ = s.store.Compact(context.Background(), revision)
		}
	}
}

func (s testServer) send(method, path, contentType, body string) {
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if answer, err := http.DefaultClient.Do(r); err == nil {
		_ = answer.Body.Close()
	}
}

// prom is a running Prometheus server.
type prom struct{ address string }

func startPrometheus(t *testing.T, program, target string) prom {
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("scrape_configs:\n- job_name: patchlab\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\n  static_configs:\n  - targets: [%q]\n", target)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := prom{l.Addr().String()}
	_ = l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "--config.file", config, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", p.address)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("prometheus:\n%s", log.String())
		}
	})
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if answer, err := http.Get("http://" + p.address + "/-/ready"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return p
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("prometheus is not ready after two minutes")
		}
	}
}

// samples returns the number of samples in the result of a query, without NaN.
func (p prom) samples(query string) (int, error) {
	answer, err := http.Get("http://" + p.address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	var body struct {
		Status, Error string
		Data          struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return 0, err
	}
	if body.Status != "success" {
		return 0, fmt.Errorf("%s: %s", body.Status, body.Error)
	}
	n := 0
	for _, sample := range body.Data.Result {
		if sample.Value[1] != "NaN" {
			n++
		}
	}
	return n, nil
}
