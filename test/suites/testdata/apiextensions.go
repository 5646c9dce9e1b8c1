package fixtures

// This file takes the place of test/integration/fixtures/server.go of
// k8s.io/apiextensions-apiserver, as kubeapiserver.go does for Kubernetes.

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	serveroptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var errOwnStorage = errors.New("the server under test keeps its objects itself")

func StartDefaultServer(servertesting.Logger, ...string) (func(), *rest.Config, *serveroptions.CustomResourceDefinitionsServerOptions, error) {
	config, stop, err := startServer()
	return stop, config, serveroptions.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr), err
}

func StartDefaultServerWithConfigAccess(t servertesting.Logger, _ ...string) (func(), *rest.Config, apiserver.CompletedConfig, error) {
	return nil, nil, apiserver.CompletedConfig{}, errOwnStorage
}

func StartDefaultServerWithClients(t servertesting.Logger, _ ...string) (func(), clientset.Interface, dynamic.Interface, error) {
	stop, config, _, err := StartDefaultServer(t)
	if err != nil {
		return nil, nil, nil, err
	}
	extensions, err := clientset.NewForConfig(config)
	if err != nil {
		return nil, nil, nil, err
	}
	dynamicClient, err := dynamic.NewForConfig(config)
	return stop, extensions, dynamicClient, err
}

func StartDefaultServerWithClientsAndEtcd(servertesting.Logger, ...string) (func(), clientset.Interface, dynamic.Interface, *clientv3.Client, string, error) {
	return nil, nil, nil, nil, "", errOwnStorage
}

func IntegrationEtcdServers() []string { return nil }

// startServer returns how to reach a server, and what stops it.
func startServer() (*rest.Config, func(), error) {
	config := &rest.Config{BearerToken: os.Getenv("SUITES_TOKEN"), TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: 1000, Burst: 1000}
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
