// Package clients has the commands that talk to an API server: contend and versions.
package clients

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// clientFlags select the API server.
type clientFlags struct {
	server, kubeconfig, context, token string
	insecure                           bool
}

func (o *clientFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.server, "server", "", "URL of the API server (default that of the current context of the kubeconfig)")
	f.StringVar(&o.token, "token", "", "bearer token for --server")
	f.BoolVar(&o.insecure, "insecure-skip-tls-verify", false, "do not verify the certificate of --server")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file (default $KUBECONFIG, or ~/.kube/config)")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig (default its current one)")
}

// client is a client of an API server.
type client struct {
	base, token string
	namespace   string // of the context, "" if there is none
	http        *http.Client
}

// requestTimeout is the time limit of a request other than a watch.
const requestTimeout = 30 * time.Second

// maxAnswer is the maximum size of a response.
const maxAnswer = 64 << 20

// open returns a client for the server that the flags select.
func (o *clientFlags) open() (*client, error) {
	if o.server != "" {
		return newClient(o.server, o.token, &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.insecure}), nil
	}
	if o.token != "" || o.insecure { // a kubeconfig has its own
		return nil, program.Usage("--token and --insecure-skip-tls-verify require --server")
	}
	name := o.kubeconfig
	if name == "" {
		name, _, _ = strings.Cut(os.Getenv("KUBECONFIG"), string(os.PathListSeparator))
	}
	if name == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, program.Usage("--server or a kubeconfig is required")
		}
		name = filepath.Join(home, ".kube", "config")
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, program.Usage("--server is not set, and there is no kubeconfig at " + name)
	}
	if err != nil {
		return nil, err
	}
	doc, err := document.ParseYAML(data, document.Options{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c, err := fromKubeconfig(doc.Root, o.context)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

func newClient(base, token string, config *tls.Config) *client {
	return &client{
		base: strings.TrimRight(base, "/"), token: token,
		http: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, MaxIdleConnsPerHost: 100, ForceAttemptHTTP2: true}},
	}
}

// fromKubeconfig returns a client for a context of a kubeconfig, the current one if name is "".
func fromKubeconfig(config document.Value, name string) (*client, error) {
	context, ok := named(config.Get("contexts"), cmp.Or(name, config.Get("current-context").StringOr("")), "context")
	switch {
	case !ok && name != "":
		return nil, fmt.Errorf("context %q does not exist", name)
	case !ok:
		return nil, errors.New("current-context is not set, or names a context that does not exist")
	}
	cluster, ok := named(config.Get("clusters"), context.Get("cluster").StringOr(""), "cluster")
	if !ok {
		return nil, errors.New("the context names a cluster that does not exist")
	}
	user, _ := named(config.Get("users"), context.Get("user").StringOr(""), "user")
	if user.Get("exec").Exists() || user.Get("auth-provider").Exists() {
		return nil, errors.New("the user has an exec or auth-provider credential plugin, which patchlab does not run; use --server and --token instead (see kubectl create token)")
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	c.InsecureSkipVerify, _ = cluster.Get("insecure-skip-tls-verify").Bool()
	c.ServerName = cluster.Get("tls-server-name").StringOr("")
	authority, err := material(cluster, "certificate-authority")
	if err != nil {
		return nil, err
	}
	if authority != nil {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(authority) {
			return nil, errors.New("certificate-authority is not a PEM certificate")
		}
	}
	certificate, err := material(user, "client-certificate")
	if err != nil {
		return nil, err
	}
	if certificate != nil {
		key, err := material(user, "client-key")
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("client-certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	token := user.Get("token").StringOr("")
	if file := user.Get("tokenFile").StringOr(""); token == "" && file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		token = strings.TrimSpace(string(data))
	}
	opened := newClient(cluster.Get("server").StringOr(""), token, c)
	opened.namespace = context.Get("namespace").StringOr("")
	return opened, nil
}

// named returns a member of the entry with the given name.
func named(list document.Value, name, member string) (document.Value, bool) {
	if list.Kind() != document.List {
		return document.Value{}, false
	}
	for _, entry := range list.Items() {
		if entry.Get("name").StringOr("") == name {
			return entry.Get(member), true
		}
	}
	return document.Value{}, false
}

// material returns the data of a certificate or key: from the field name-data, or from the
// file that the field name refers to; nil if neither is set.
func material(entry document.Value, name string) ([]byte, error) {
	if text := entry.Get(name + "-data").StringOr(""); text != "" {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("%s-data is not valid base64", name)
		}
		return data, nil
	}
	if file := entry.Get(name).StringOr(""); file != "" {
		return os.ReadFile(file)
	}
	return nil, nil
}

// statusError is an error response of the server.
type statusError struct {
	code    int
	reason  string
	message string
}

func (e *statusError) Error() string { return e.message }

// do sends a request and returns the object in the response. An error response is returned as
// a *statusError.
func (c *client) do(ctx context.Context, method, path, contentType, body string) (document.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	resp, err := c.send(ctx, method, path, contentType, body)
	if err != nil {
		return document.Value{}, err
	}
	return readAnswer(resp)
}

// readAnswer reads and closes a response, and returns the object in it. An error response is returned as a
// *statusError.
func readAnswer(resp *http.Response) (document.Value, error) {
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return document.Value{}, err
	}
	doc, err := document.Parse(data, document.Options{})
	if err != nil {
		return document.Value{}, fmt.Errorf("%s %s: %s, and the response is not JSON", resp.Request.Method, resp.Request.URL.RequestURI(), resp.Status)
	}
	if resp.StatusCode >= 300 {
		return doc.Root, &statusError{resp.StatusCode, doc.Root.Get("reason").StringOr(""), doc.Root.Get("message").StringOr(resp.Status)}
	}
	return doc.Root, nil
}

// send sends a request. The caller must close the response body.
func (c *client) send(ctx context.Context, method, path, contentType, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "patchlab")
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(r)
	var failed *url.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		return nil, c.unreachable(failed.Err)
	}
	return resp, err
}

// unreachable returns the error for a server that does not answer.
func (c *client) unreachable(err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return errors.New("the connection to the server " + c.base + " was refused; start the server, or select another one with --server or --kubeconfig")
	}
	return fmt.Errorf("the server %s does not answer: %w", c.base, err)
}

// code returns the status code of an error response, 0 for any other error.
func code(err error) int {
	var st *statusError
	if errors.As(err, &st) {
		return st.code
	}
	return 0
}
