// Package faults tests etcd and servers under load while they fail: no acknowledged write may
// be lost or take effect twice, and every watcher receives each event once and in order, or an
// error.
//
// The faults last a few seconds in all; -faults.duration makes them longer:
//
//	go test ./faults -v -args -faults.duration=1m
package faults

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

var duration = flag.Duration("faults.duration", 2*time.Second, "how long each fault goes on")

// during calls f repeatedly for the configured duration of the faults.
func during(f func()) {
	for end := time.Now().Add(*duration); time.Now().Before(end); {
		f()
	}
}

func TestKilled(t *testing.T) {
	members := startMembers(t, 1)
	s := newStore(t, members[0].client.String())
	trial(t, s, func(l *load) {
		during(func() {
			members[0].kill()
			time.Sleep(200 * time.Millisecond)
			members[0].start(t)
			l.progress(100)
		})
	})
}

func TestLeaderKilled(t *testing.T) {
	members := startMembers(t, 3)
	var endpoints []string
	for _, m := range members {
		endpoints = append(endpoints, m.client.String())
	}
	s := newStore(t, endpoints...)
	client := etcdtest.Client(t, endpoints)
	trial(t, s, func(l *load) {
		during(func() {
			m := leader(t, client, members)
			m.kill()
			l.progress(100)
			m.start(t)
			l.progress(100)
		})
	})
}

// leader returns the member that is the leader.
func leader(t testing.TB, client *clientv3.Client, members []*member) *member {
	t.Helper()
	for range 100 {
		for _, m := range members {
			ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
			status, err := client.Status(ctx, m.client.String())
			cancel()
			if err == nil && status.Leader == status.Header.MemberId {
				return m
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("no member leads")
	return nil
}

func TestPartition(t *testing.T) {
	p := newProxy(t, strings.TrimPrefix(etcdtest.Start(t, 1)[0], "http://"))
	s := newStore(t, p.url())
	trial(t, s, func(l *load) {
		during(func() {
			p.partition()
			time.Sleep(1500 * time.Millisecond) // exceeds the timeout of a request
			p.heal()
			l.progress(100)
		})
	})
}

func TestSlow(t *testing.T) {
	p := newProxy(t, strings.TrimPrefix(etcdtest.Start(t, 1)[0], "http://"))
	s := newStore(t, p.url())
	trial(t, s, func(l *load) {
		during(func() {
			p.slow(100 * time.Millisecond)
			l.progress(20)
			p.slow(0)
			l.progress(100)
		})
	})
}

// TestCacheRecoversFromKilledMembers checks that watches and lists of a cache recover after
// members are killed.
func TestCacheRecoversFromKilledMembers(t *testing.T) {
	members := startMembers(t, 1)
	beneath := newStore(t, members[0].client.String())
	c := store.NewCache(beneath, store.CacheOptions[string]{})
	t.Cleanup(func() { _ = c.Close() })
	trial(t, c, func(l *load) {
		during(func() {
			members[0].kill()
			members[0].start(t)
			l.progress(100)
		})
	})
}

// objects implements storage with a server: each key is a ConfigMap.
type objects struct{ url atomic.Pointer[string] }

func (s *objects) do(ctx context.Context, method, path, body string) (int, document.Value, error) {
	r, err := http.NewRequestWithContext(ctx, method, *s.url.Load()+path, strings.NewReader(body))
	if err != nil {
		return 0, document.Value{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, document.Value{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, document.Value{}, err
	}
	doc, err := document.Parse(data, document.Options{})
	if err != nil {
		return 0, document.Value{}, err
	}
	if resp.StatusCode >= 500 && resp.Header.Get("Retry-After") == "" {
		return 0, document.Value{}, fmt.Errorf("%s %s: %d without Retry-After: %s", method, path, resp.StatusCode, data)
	}
	return resp.StatusCode, doc.Root, nil
}

const configMaps = "/api/v1/namespaces/default/configmaps"

func (s *objects) get(ctx context.Context, key string) (string, error) {
	value, _, err := s.read(ctx, key)
	return value, err
}

func (s *objects) read(ctx context.Context, key string) (value, version string, err error) {
	code, object, err := s.do(ctx, "GET", configMaps+"/"+nameOf(key), "")
	switch {
	case err != nil:
		return "", "", err
	case code == 404:
		return "", "", nil
	case code != 200:
		return "", "", fmt.Errorf("GET: %d", code)
	}
	return object.Lookup("data", "value").StringOr(""), object.Lookup("metadata", "resourceVersion").StringOr(""), nil
}

func nameOf(key string) string { return "k" + key[strings.LastIndexByte(key, '/')+1:] }

// change reads an object and writes it with the resourceVersion that it read.
func (s *objects) change(ctx context.Context, key, value string) (shown string, err error) {
	for {
		shown, version, err := s.read(ctx, key)
		if err != nil {
			return "", errRefused
		}
		name := nameOf(key)
		var code int
		switch {
		case value == "" && version == "":
			return "", errNothing
		case value == "":
			code, _, err = s.do(ctx, "DELETE", configMaps+"/"+name, fmt.Sprintf(`{"preconditions":{"resourceVersion":%q}}`, version))
		case version == "":
			code, _, err = s.do(ctx, "POST", configMaps, fmt.Sprintf(`{"metadata":{"name":%q},"data":{"value":%q}}`, name, value))
		default:
			code, _, err = s.do(ctx, "PUT", configMaps+"/"+name, fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":%q},"data":{"value":%q}}`, name, version, value))
		}
		switch {
		case err != nil, code == 504:
			return shown, errUnknown
		case code == 200, code == 201:
			return shown, nil
		case code == 409, code == 404:
			continue // conflict with another client
		case code == 503, code == 429:
			return shown, errRefused
		}
		return shown, fmt.Errorf("%d", code)
	}
}

// TestServerKilled kills one of two servers on one etcd during its writes.
func TestServerKilled(t *testing.T) {
	endpoints := etcdtest.Start(t, 1)
	var servers []storage
	var killed *exec.Cmd
	var first *objects
	start := func(o *objects) *exec.Cmd {
		c := program(t, "server", "FAULTS_CLIENT="+endpoints[0], "FAULTS_LISTEN=127.0.0.1:0")
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		address := "http://" + strings.TrimSpace(line)
		o.url.Store(&address)
		return c
	}
	stop := func(c *exec.Cmd) {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	for i := range 2 {
		o := &objects{}
		c := start(o)
		if i == 0 {
			first, killed = o, c
		} else {
			t.Cleanup(func() { stop(c) })
		}
		servers = append(servers, o)
	}
	t.Cleanup(func() { stop(killed) })
	judgeObjects(t, servers, func(l *load) {
		during(func() {
			stop(killed)
			l.progress(50)
			killed = start(first)
			l.progress(50)
		})
	})
}

// TestClockJumps moves a server's clock back and forth by hours. Storage must not depend on
// it.
func TestClockJumps(t *testing.T) {
	var jump atomic.Int64
	c, err := cluster.New(cluster.Config{Now: func() time.Time { return time.Now().Add(time.Duration(jump.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(c, server.Options{}))
	t.Cleanup(func() {
		s.Close()
		_ = c.Close()
	})
	o := &objects{}
	o.url.Store(&s.URL)
	judgeObjects(t, []storage{o}, func(l *load) {
		during(func() {
			jump.Store(int64(rand.N(48*time.Hour) - 24*time.Hour))
			l.progress(100)
		})
	})
}

// judgeObjects is trial without watchers.
func judgeObjects(t *testing.T, on []storage, disturb func(*load)) {
	t.Helper()
	l := startLoad(t, on...)
	l.progress(50)
	disturb(l)
	l.progress(50)
	history := l.end()
	if !linearizable(t, history) {
		t.Error("the history is not linearizable")
	}
	t.Logf("%d operations checked, %d writes acknowledged, %d calls failed", len(history), l.writes.Load(), l.failed.Load())
}

// faultyStorage is a store that violates a guarantee.
type faultyStorage struct {
	values
	broken string
	n      atomic.Int64
}

func (s *faultyStorage) change(ctx context.Context, key, value string) (shown string, err error) {
	if value == "" || s.n.Add(1)%20 != 0 {
		return s.values.change(ctx, key, value)
	}
	switch s.broken {
	case "a write is acknowledged and lost":
		return s.get(ctx, key)
	case "a write takes effect twice":
		if shown, err = s.values.change(ctx, key, value); err == nil {
			time.Sleep(2 * time.Millisecond) // gives another client time to write
			_, err = s.values.change(ctx, key, value)
		}
		return shown, err
	case "a write does not compare revisions":
		shown, err = s.get(ctx, key)
		if err != nil {
			return shown, err
		}
		time.Sleep(2 * time.Millisecond)
		_, err = s.values.change(ctx, key, value)
		return shown, err
	}
	return "", errors.New("no such fault")
}

// TestJudgeFindsViolations checks that the checker detects the violations of intentionally
// broken stores, and none in the store that they wrap.
func TestJudgeFindsViolations(t *testing.T) {
	for _, c := range []struct {
		broken string
		right  bool
	}{
		{"nothing", true},
		{"a write is acknowledged and lost", false},
		{"a write takes effect twice", false},
		{"a write does not compare revisions", false},
	} {
		t.Run(c.broken, func(t *testing.T) {
			s := store.NewMemory(store.MemoryOptions[string]{})
			defer s.Close()
			var on storage = values{s}
			if c.broken != "nothing" {
				on = &faultyStorage{values: values{s}, broken: c.broken}
			}
			l := startLoad(t, on)
			l.progress(500)
			if got := linearizable(t, l.end()); got != c.right {
				t.Errorf("the checker returns %t", got)
			}
		})
	}
}
