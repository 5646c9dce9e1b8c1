// Package etcdtest runs an embedded etcd for tests.
package etcdtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// Start runs an etcd of one or three members until the test ends, and returns the
// client URLs. fsync is disabled.
func Start(t testing.TB, members int) []string {
	t.Helper()
	var configs []*embed.Config
	var cluster []string
	for i := range members {
		c := Config(t.TempDir(), fmt.Sprint("m", i), FreeURL(t), FreeURL(t))
		cluster = append(cluster, c.InitialCluster)
		configs = append(configs, c)
	}
	var endpoints []string
	var started []*embed.Etcd
	for _, c := range configs {
		if members > 1 {
			c.TickMs, c.ElectionMs = 50, 500
		}
		c.InitialCluster = strings.Join(cluster, ",")
		e, err := embed.StartEtcd(c)
		if err != nil {
			t.Fatalf("starting etcd: %v", err)
		}
		t.Cleanup(e.Close)
		started = append(started, e)
		endpoints = append(endpoints, c.ListenClientUrls[0].String())
	}
	for _, e := range started {
		AwaitReady(t, e)
	}
	return endpoints
}

// AwaitReady waits until an etcd is ready.
func AwaitReady(t testing.TB, e *embed.Etcd) {
	t.Helper()
	select {
	case <-e.Server.ReadyNotify():
	case err := <-e.Err():
		t.Fatalf("etcd has ended: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("etcd is not ready after a minute")
	}
}

// Config returns the configuration of a single-member cluster.
func Config(dir, name string, client, peer url.URL) *embed.Config {
	c := embed.NewConfig()
	c.Name, c.Dir = name, dir
	c.LogLevel, c.LogOutputs = "fatal", []string{"/dev/null"}
	c.UnsafeNoFsync = true
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	c.InitialCluster = name + "=" + peer.String()
	c.TickMs, c.ElectionMs = 10, 100 // a single member elects itself at the first timeout
	return c
}

// firstPort is where FreeURL begins to look for a port, and ports is how many it tries.
// They are below the ports that Linux gives to outgoing connections (32768 and above): a
// port of these may be taken between FreeURL and its use.
const (
	firstPort = 12000
	ports     = 20000
)

// portsGiven counts the ports that FreeURL has tried, so that tests that run in parallel do
// not get the same one. Other processes begin elsewhere.
var portsGiven atomic.Uint32

func init() { portsGiven.Store(rand.Uint32N(ports)) }

// FreeURL returns a URL with a free port on the loopback interface.
func FreeURL(t testing.TB) url.URL {
	t.Helper()
	for range ports {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+portsGiven.Add(1)%ports))
		if err != nil {
			continue // in use
		}
		defer l.Close()
		return url.URL{Scheme: "http", Host: l.Addr().String()}
	}
	t.Fatal("no free port on the loopback interface")
	return url.URL{}
}

// Client returns a client of an etcd. It is closed when the test ends; closing it
// earlier is allowed.
func Client(t testing.TB, endpoints []string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
