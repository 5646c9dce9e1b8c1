package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// enabledPlugins matches the admission plugins that are enabled by default, which differ between
// versions, in the help of kube-apiserver.
var enabledPlugins = regexp.MustCompile(`--disable-admission-plugins .*default enabled plugins list \(([^)]+)\)`)

// defaultPlugins returns the admission plugins that a kube-apiserver enables by default, separated
// by commas.
func defaultPlugins(ctx context.Context, program string) (string, error) {
	help, err := exec.CommandContext(ctx, program, "--help").Output()
	if err != nil {
		return "", err
	}
	match := enabledPlugins.FindSubmatch(help)
	if match == nil {
		return "", fmt.Errorf("the help of %s does not list the admission plugins that are enabled by default", program)
	}
	return strings.ReplaceAll(string(match[1]), " ", ""), nil
}

// withoutHooks returns a list of admission plugins without those for webhooks and policies.
func withoutHooks(plugins string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(plugins, ","), func(name string) bool {
		return strings.HasSuffix(name, "AdmissionWebhook") || strings.HasSuffix(name, "AdmissionPolicy")
	}), ",")
}

// runServers runs etcd and kube-apiserver, with empty storage, until ctx is done.
func runServers(ctx context.Context, dir string, o options) error {
	data, err := os.MkdirTemp("", "kubeapiserver")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	store, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	url := "https://127.0.0.1:" + ports[2]
	key, token := filepath.Join(data, "key.pem"), rand.Text()
	if err := errors.Join(
		writeKey(key),
		os.WriteFile(filepath.Join(data, "tokens.csv"), []byte(token+",admin,admin,system:masters\n"), 0o600),
	); err != nil {
		return err
	}
	etcd, err := start(data, filepath.Join(dir, "bin", "etcd"),
		"--data-dir", filepath.Join(data, "etcd"), "--listen-client-urls", store, "--advertise-client-urls", store,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	if err != nil {
		return err
	}
	defer stop(etcd)
	program, off := filepath.Join(dir, "bin", "kube-apiserver"), "ServiceAccount" // as in envtest
	switch {
	case o.accounts:
		off = ""
	case o.recorded:
		if off, err = defaultPlugins(ctx, program); err != nil {
			return err
		}
		if o.hooks {
			off = withoutHooks(off)
		}
	}
	flags := []string{
		"--allow-privileged", "--disable-admission-plugins", off,
		"--etcd-servers", store, "--bind-address", "127.0.0.1", "--secure-port", ports[2], "--cert-dir", filepath.Join(data, "certs"),
		"--token-auth-file", filepath.Join(data, "tokens.csv"), "--authorization-mode", "AlwaysAllow",
		"--service-account-issuer", url, "--service-account-key-file", key, "--service-account-signing-key-file", key,
		"--service-cluster-ip-range", o.ranges,
	}
	if o.extensions {
		more, err := frontProxy(data)
		if err != nil {
			return err
		}
		flags = append(flags, more...)
	}
	api, err := start(data, program, flags...)
	if err != nil {
		return err
	}
	defer stop(api)
	if err := ready(ctx, url, token, data); err != nil {
		return err
	}
	if o.controllers != "" {
		manager, err := startManager(dir, data, url, token, o.controllers)
		if err != nil {
			return err
		}
		defer stop(manager)
	}
	fmt.Printf("PATCHLAB_TEST_SERVER=%s PATCHLAB_TEST_TOKEN=%s PATCHLAB_TEST_PROCESSES=%d,%d PATCHLAB_TEST_ETCD=%s\n",
		url, token, api.Process.Pid, etcd.Process.Pid, store)
	<-ctx.Done()
	return nil
}

// startManager runs a kube-controller-manager with some controllers.
func startManager(dir, data, url, token, controllers string) (*exec.Cmd, error) {
	config := filepath.Join(data, "manager.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: %q}}]
`, url, token), 0o600); err != nil {
		return nil, err
	}
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	return start(data, filepath.Join(dir, "bin", "kube-controller-manager"), "--kubeconfig", config, "--controllers", controllers, "--leader-elect=false",
		"--bind-address", "127.0.0.1", "--secure-port", ports[0], "--cert-dir", filepath.Join(data, "manager"), "--authentication-skip-lookup")
}

// start runs a program. Its output goes to a log file in data.
func start(data, program string, args ...string) (*exec.Cmd, error) {
	log, err := os.Create(filepath.Join(data, filepath.Base(program)+".log"))
	if err != nil {
		return nil, err
	}
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // keeps an interrupt from stopping etcd before kube-apiserver
	return c, c.Start()
}

func stop(c *exec.Cmd) {
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = c.Wait()
}

// ready waits until kube-apiserver is ready.
func ready(ctx context.Context, url, token, data string) error {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for range 1200 {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token) // AlwaysAllow disables anonymous requests
		if answer, err := client.Do(request); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	log, _ := os.ReadFile(filepath.Join(data, "kube-apiserver.log"))
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return fmt.Errorf("kube-apiserver is not ready; its last messages are\n%s", strings.Join(lines[max(0, len(lines)-10):], "\n"))
}

// writeKey writes a new private key for signing service account tokens.
func writeKey(file string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return os.WriteFile(file, pem.EncodeToMemory(block), 0o600)
}

func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports, nil
}
