package etcd

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/etcd"
	"github.com/patchlab-dev/patchlab/store/storetest"
	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// selfSigned creates a certificate for the loopback interface.
func selfSigned(t *testing.T) transport.TLSInfo {
	t.Helper()
	info, err := transport.SelfCert(zap.NewNop(), t.TempDir(), []string{"127.0.0.1:0"}, 1, x509.ExtKeyUsageClientAuth)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestCertificates checks that an etcd that requires client certificates accepts only
// valid ones.
func TestCertificates(t *testing.T) {
	own, other := selfSigned(t), selfSigned(t)
	c := etcdtest.Config(t.TempDir(), "m", etcdtest.FreeURL(t), etcdtest.FreeURL(t))
	c.ListenClientUrls[0].Scheme, c.AdvertiseClientUrls[0].Scheme = "https", "https"
	c.ClientTLSInfo = own
	c.ClientTLSInfo.TrustedCAFile, c.ClientTLSInfo.ClientCertAuth = own.CertFile, true
	e, err := embed.StartEtcd(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	etcdtest.AwaitReady(t, e)
	address := c.ListenClientUrls[0].String()
	for _, tc := range []struct {
		why   string
		a     etcd.Access
		right bool
	}{
		{"valid certificates", etcd.Access{CAFile: own.CertFile, CertFile: own.CertFile, KeyFile: own.KeyFile}, true},
		{"another authority", etcd.Access{CAFile: other.CertFile, CertFile: own.CertFile, KeyFile: own.KeyFile}, false},
		{"another client", etcd.Access{CAFile: own.CertFile, CertFile: other.CertFile, KeyFile: other.KeyFile}, false},
		{"a client without a certificate", etcd.Access{CAFile: own.CertFile}, false},
		{"the system's authorities", etcd.Access{}, false},
	} {
		t.Run(tc.why, func(t *testing.T) {
			tc.a.Endpoints = []string{address}
			client, err := etcd.Dial(tc.a)
			if err != nil {
				t.Fatal(err)
			}
			o := options()
			o.Timeout = 2 * time.Second // refused connections are retried until the timeout
			if tc.right {
				o.Timeout = time.Minute
			}
			s := etcd.New(client, o)
			defer s.Close()
			if err := s.Health(context.Background()); (err == nil) != tc.right {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestInvalidCertificateFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(name, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, a := range []etcd.Access{{CAFile: name}, {CAFile: name + ".missing"}, {CertFile: name, KeyFile: name}} {
		a.Endpoints = []string{"https://127.0.0.1:1"}
		if _, err := etcd.Dial(a); err == nil || !strings.Contains(err.Error(), name) && a.CAFile != "" {
			t.Errorf("%+v: %v", a, err)
		}
	}
}

// TestObjectContentIsNotLogged checks that object contents appear neither in errors nor in the
// log, even if an object cannot be decoded.
func TestObjectContentIsNotLogged(t *testing.T) {
	const secret = "c2VjcmV0"
	endpoints := etcdtest.Start(t, 1)
	client := etcdtest.Client(t, endpoints)
	s := etcdtest.Records(t, endpoints, "/patchlab")
	c, err := cluster.New(cluster.Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for name, value := range map[string]string{
		"cut":     `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"cut"},"data":{"password":"` + secret,
		"managed": `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"managed","managedFields":[{"` + secret + `":1}]}}`,
	} {
		if _, err := client.Put(t.Context(), "/patchlab/registry/secrets/default/"+name, value); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	h := httptest.NewServer(server.New(c, server.Options{Log: func(a server.Access) { log.WriteString(a.URL + a.Fault) }}))
	t.Cleanup(h.Close)
	for _, name := range []string{"cut", "managed"} {
		resp, err := http.Get(h.URL + "/api/v1/namespaces/default/secrets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var body strings.Builder
		_ = resp.Write(&body)
		_ = resp.Body.Close()
		if resp.StatusCode != 500 || strings.Contains(body.String(), secret) {
			t.Errorf("%s: %s", name, body.String())
		}
	}
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log is %s", log.String())
	}
	if _, err := s.Get(t.Context(), "/registry/secrets/default/cut", store.GetOptions{}); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("the store's error is %v", err)
	}
}

// TestLifetime checks that a value is deleted at the end of its lifetime and that a watcher
// receives the deletion.
func TestLifetime(t *testing.T) {
	o := options()
	o.Lifetime = func(storetest.Value) time.Duration { return time.Second }
	s := etcd.New(etcdtest.Client(t, etcdtest.Start(t, 1)), o)
	t.Cleanup(func() { _ = s.Close() })
	w, err := s.Watch(t.Context(), "", store.WatchOptions{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if _, err := s.Create(t.Context(), "/a", storetest.Value{Data: "1"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, want := range []store.EventType{store.Added, store.Deleted} {
		if e, err := w.Next(ctx); err != nil || e.Type != want || e.Value.Data != "1" {
			t.Fatalf("got %+v (%v), want %v", e, err, want)
		}
	}
}

// TestSlowWatcherMissesNoEvents checks that a watcher which begins to read late receives all events,
// though there are more than its queue holds.
func TestSlowWatcherMissesNoEvents(t *testing.T) {
	s := etcd.New(etcdtest.Client(t, etcdtest.Start(t, 1)), options())
	t.Cleanup(func() { _ = s.Close() })
	w, err := s.Watch(t.Context(), "", store.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	const writes = 2500 // exceeds two queues
	for range writes {
		_, err := s.Update(t.Context(), "/a", store.UpdateOptions{CreateMissing: true}, func(current store.Item[storetest.Value]) (storetest.Value, error) {
			return storetest.Value{Data: current.Value.Data[:min(len(current.Value.Data), 3)] + time.Now().String()}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range int64(writes) {
		if e, err := w.Next(t.Context()); err != nil || e.Revision != i+2 {
			t.Fatalf("event %d: %+v, %v", i, e, err)
		}
	}
}
