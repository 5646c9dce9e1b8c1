package faults

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/etcd"
	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// TestMain runs the test binary as one of the processes that the tests kill, an etcd
// member or a patchlab server, if the environment selects one.
func TestMain(m *testing.M) {
	switch os.Getenv("FAULTS_PROGRAM") {
	case "etcd":
		runMember()
	case "server":
		runServer()
	}
	os.Exit(m.Run())
}

// member is an etcd member in its own process.
type member struct {
	name, dir    string
	client, peer url.URL
	cluster      string
	process      *exec.Cmd
}

// startMembers starts an etcd of n processes with fsync enabled.
func startMembers(t testing.TB, n int) []*member {
	t.Helper()
	var members []*member
	var names []string
	for i := range n {
		m := &member{name: fmt.Sprint("m", i), dir: t.TempDir(), client: etcdtest.FreeURL(t), peer: etcdtest.FreeURL(t)}
		members, names = append(members, m), append(names, m.name+"="+m.peer.String())
	}
	for _, m := range members {
		m.cluster = strings.Join(names, ",")
		m.start(t)
		t.Cleanup(m.kill)
	}
	return members
}

func (m *member) start(t testing.TB) {
	t.Helper()
	m.process = program(t, "etcd", "FAULTS_NAME="+m.name, "FAULTS_DIR="+m.dir, "FAULTS_CLIENT="+m.client.String(), "FAULTS_PEER="+m.peer.String(), "FAULTS_CLUSTER="+m.cluster)
	if err := m.process.Start(); err != nil {
		t.Fatal(err)
	}
}

// kill sends SIGKILL to the process.
func (m *member) kill() {
	_ = m.process.Process.Kill()
	_ = m.process.Wait()
}

// program returns a command that runs the test binary as the named program, until the end of the test.
func program(t testing.TB, name string, environment ...string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(append(os.Environ(), "FAULTS_PROGRAM="+name), environment...)
	c.Stderr = os.Stderr
	return c
}

func runMember() {
	parse := func(name string) url.URL {
		u, err := url.Parse(os.Getenv(name))
		if err != nil {
			panic(err)
		}
		return *u
	}
	c := etcdtest.Config(os.Getenv("FAULTS_DIR"), os.Getenv("FAULTS_NAME"), parse("FAULTS_CLIENT"), parse("FAULTS_PEER"))
	c.InitialCluster = os.Getenv("FAULTS_CLUSTER")
	c.UnsafeNoFsync = false
	c.TickMs, c.ElectionMs = 50, 500
	e, err := embed.StartEtcd(c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
	<-e.Err()
}

// newStore returns a store of strings on etcd.
func newStore(t testing.TB, endpoints ...string) store.Store[string] {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialTimeout: time.Second, Logger: zap.NewNop(),
		DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	s := etcd.New(client, etcd.Options[string]{
		Prefix: "/faults", Timeout: time.Second,
		Encode: func(s string) []byte { return []byte(s) },
		Decode: func(data []byte) (string, error) { return string(data), nil },
	})
	t.Cleanup(func() { _ = s.Close() })
	for range 100 {
		if _, err = s.Revision(context.Background()); err == nil {
			return s
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("etcd is not ready: %v", err)
	return nil
}

// runServer runs a server on etcd. Its first output line is its address.
func runServer() {
	client, err := etcd.Dial(etcd.Access{Endpoints: []string{os.Getenv("FAULTS_CLIENT")}})
	if err != nil {
		panic(err)
	}
	s := etcd.New(client, etcd.Options[*cluster.Record]{
		Prefix: "/objects", Encode: (*cluster.Record).Encode, Decode: cluster.DecodeRecord, Equal: cluster.Equal, UID: (*cluster.Record).UID,
	})
	c, err := cluster.New(cluster.Config{Store: store.NewCache(s, store.CacheOptions[*cluster.Record]{}), Shared: true})
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", os.Getenv("FAULTS_LISTEN"))
	if err != nil {
		panic(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	fmt.Println(l.Addr())
	_ = server.New(c, server.Options{}).Serve(ctx, l, nil)
	os.Exit(0)
}

// proxy forwards connections to etcd, and can block or delay them.
type proxy struct {
	target string
	l      net.Listener

	mu    sync.Mutex
	open  chan struct{} // closed unless traffic is blocked
	delay time.Duration
}

func newProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{target: target, l: l, open: make(chan struct{})}
	close(p.open)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.carry(c)
		}
	}()
	return p
}

func (p *proxy) url() string { return "http://" + p.l.Addr().String() }

// partition blocks all traffic until it is healed, without closing connections.
func (p *proxy) partition() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.open)
}

func (p *proxy) slow(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

func (p *proxy) carry(c net.Conn) {
	defer c.Close()
	far, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer far.Close()
	over := make(chan struct{}, 2)
	pass := func(to io.Writer, from io.Reader) {
		defer func() { over <- struct{}{} }()
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			p.mu.Lock()
			open, delay := p.open, p.delay
			p.mu.Unlock()
			<-open
			time.Sleep(delay)
			if _, e := to.Write(buffer[:n]); e != nil || err != nil {
				return
			}
		}
	}
	go pass(far, c)
	go pass(c, far)
	<-over
}
