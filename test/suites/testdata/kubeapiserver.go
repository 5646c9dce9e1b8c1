package testing

// This file takes the place of cmd/kube-apiserver/app/testing/testserver.go of
// Kubernetes: a test server is the program of SUITES_COMMAND, or the API server at
// SUITES_URL. Flags, the storage and effective versions are not applied.

import (
	"bufio"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storageversion"
	restclient "k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/test/utils/ktesting"
)

type TearDownFunc func()

type TestServerInstanceOptions struct {
	SkipHealthzCheck       bool
	EnableCertAuth         bool
	StorageVersionWrapFunc func(storageversion.Manager) storageversion.Manager
	ProxyCA                *ProxyCA
	BinaryVersion          string
	RequestTimeout         time.Duration
}

type TestServer struct {
	ClientConfig      *restclient.Config
	ServerOpts        *options.ServerRunOptions
	TearDownFn        TearDownFunc
	TmpDir            string
	EtcdClient        *clientv3.Client
	EtcdStoragePrefix string
}

type Logger interface {
	Helper()
	Errorf(format string, args ...interface{})
	Fatalf(format string, args ...interface{})
	Logf(format string, args ...interface{})
	Cleanup(func())
}

type ProxyCA struct {
	ProxySigningCert *x509.Certificate
	ProxySigningKey  *rsa.PrivateKey
}

func NewDefaultTestServerOptions() *TestServerInstanceOptions {
	return &TestServerInstanceOptions{EnableCertAuth: true}
}

func StartTestServer(t ktesting.TB, _ *TestServerInstanceOptions, _ []string, _ *storagebackend.Config) (TestServer, error) {
	config, stop, err := startServer()
	if err != nil {
		return TestServer{}, err
	}
	opts := options.NewServerRunOptions()
	return TestServer{ClientConfig: config, ServerOpts: opts, TearDownFn: stop, TmpDir: os.TempDir()}, nil
}

func StartTestServerOrDie(t testing.TB, o *TestServerInstanceOptions, flags []string, c *storagebackend.Config) *TestServer {
	result, err := StartTestServer(t, o, flags, c)
	if err != nil {
		t.Fatalf("starting the server: %v", err)
	}
	return &result
}

func GetEtcdClients(storagebackend.TransportConfig) (*clientv3.Client, clientv3.KV, error) {
	return nil, nil, errors.New("the server under test keeps its objects itself")
}

// startServer returns how to reach a server, and what stops it.
func startServer() (*restclient.Config, func(), error) {
	config := &restclient.Config{BearerToken: os.Getenv("SUITES_TOKEN"), TLSClientConfig: restclient.TLSClientConfig{Insecure: true}, QPS: 1000, Burst: 1000}
	if config.Host = os.Getenv("SUITES_URL"); config.Host != "" {
		return config, func() {}, nil
	}
	command := exec.Command(os.Getenv("SUITES_COMMAND"), "serve", "--tls", "--listen", "127.0.0.1:0", "--token", config.BearerToken)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := command.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() { _ = command.Process.Kill(); _ = command.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if !found {
		stop()
		return nil, nil, fmt.Errorf("the server printed %q: %v", line, err)
	}
	config.Host = url
	return config, stop, nil
}
