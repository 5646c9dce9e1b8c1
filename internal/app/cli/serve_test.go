package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

func TestTokens(t *testing.T) {
	dir := t.TempDir()
	token, none := filepath.Join(dir, "token"), filepath.Join(dir, "empty")
	for name, text := range map[string]string{token: "secret\n", none: " \n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		why  string
		args []string
		code int
		want string
	}{
		{"plain HTTP to another machine", []string{"--listen", "0.0.0.0:0", "--token", "secret"}, program.ExitUsage, "unencrypted: add --tls"},
		{"two tokens", []string{"--token", "a", "--token-file", token}, program.ExitUsage, "cannot be used together"},
		{"an empty file", []string{"--token-file", none}, program.ExitRefused, "the file is empty"},
		{"no file", []string{"--token-file", filepath.Join(dir, "gone")}, program.ExitRefused, "no such file"},
	} {
		var out, errs bytes.Buffer
		app := &program.App{In: strings.NewReader(""), Out: &out, Err: &errs}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		code := run(ctx, app, append([]string{"serve"}, c.args...))
		cancel()
		if code != c.code || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: code %d, errors %q", c.why, code, errs.String())
		}
	}
	kubeconfig := filepath.Join(dir, "config")
	_, _, stop := startServe(t, "--token-file", token, "--kubeconfig", kubeconfig)
	if data, err := os.ReadFile(kubeconfig); err != nil || !strings.Contains(string(data), "token: secret\n") {
		t.Errorf("kubeconfig: %s %v", data, err)
	}
	stop()
}

// quiet is a buffer for the output of a running command. It is safe for concurrent use.
type quiet struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (q *quiet) Write(b []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.b.Write(b)
}

func (q *quiet) String() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.b.String()
}

// startServe runs 'patchlab serve' until stop is called. stop returns the exit code.
func startServe(t *testing.T, args ...string) (url string, errors *quiet, stop func() int) {
	t.Helper()
	return startProgram(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
}

// startProgram runs a command that serves until stop is called. stop returns the exit code.
func startProgram(t *testing.T, args ...string) (url string, errors *quiet, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	errors = &quiet{}
	app := &program.App{In: strings.NewReader(""), Out: w, Err: errors}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, app, args)
		w.Close()
	}()
	t.Cleanup(cancel)
	line, err := bufio.NewReader(r).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if err != nil || !ok {
		t.Fatalf("printed %q (%v), errors: %s", line, err, errors)
	}
	return url, errors, func() int {
		cancel()
		select {
		case c := <-code:
			return c
		case <-time.After(20 * time.Second):
			t.Fatal("serve does not exit")
			return -1
		}
	}
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	objects, kubeconfig := filepath.Join(dir, "objects.yaml"), filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(objects, []byte(loadedObjects), 0o600); err != nil {
		t.Fatal(err)
	}
	url, errors, stop := startServe(t, "--crd", "../../../testdata/crds/widgets.yaml", "--load", objects, "--kubeconfig", kubeconfig,
		"--token", "secret", "--tls", "--request-log", "--log-format", "json", "--kube-version", "1.35.2")
	client := clientOf(t, kubeconfig, url)
	get := func(path string) document.Value {
		t.Helper()
		r, err := http.NewRequest("GET", url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		resp, err := client.Do(r)
		d, err := document.Parse([]byte(bodyOf(t, resp, err)), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	if v := get("/version").Get("minor").StringOr(""); v != "35" {
		t.Errorf("serves version 1.%s", v)
	}
	widget := get("/apis/lab.example.com/v1/namespaces/lab/widgets/w")
	if owners := widget.Get("metadata").Get("managedFields"); owners.Len() != 1 || owners.At(0).Get("manager").StringOr("") != "me" {
		t.Errorf("owners: %s", owners)
	}
	if widget.Get("spec").Get("replicas").String() != "3" || widget.Get("status").Get("phase").StringOr("") != "Up" {
		t.Errorf("loaded: %s", widget)
	}
	for _, name := range []string{"default", "kube-system", "lab"} {
		if ns := get("/api/v1/namespaces/" + name); ns.Get("kind").StringOr("") != "Namespace" {
			t.Errorf("namespace %s: %s", name, ns)
		}
	}
	if code := stop(); code != program.ExitDone {
		t.Errorf("ended with %d: %s", code, errors)
	}
	if log := errors.String(); !strings.Contains(log, `"method":"GET","url":"/version","code":200`) || !strings.HasSuffix(log, "\n") {
		t.Errorf("request log: %s", log)
	}
}

// clientOf returns an HTTP client configured from a kubeconfig. It fails the test if
// the kubeconfig's server is not url.
func clientOf(t *testing.T, kubeconfig, url string) *http.Client {
	t.Helper()
	data, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.ParseYAML(data, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cluster := d.Root.Get("clusters").At(0).Get("cluster")
	if cluster.Get("server").StringOr("") != url || d.Root.Get("users").At(0).Get("user").Get("token").StringOr("") != "secret" {
		t.Errorf("kubeconfig: %s", data)
	}
	if info, err := os.Stat(kubeconfig); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the token: %v %v", info.Mode(), err)
	}
	ca, err := base64.StdEncoding.DecodeString(cluster.Get("certificate-authority-data").StringOr(""))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		t.Fatal("no certificate in the kubeconfig")
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

// bodyOf returns the body of a response; the arguments are the results of a request.
func bodyOf(t *testing.T, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// With --client-ca-file, certificates authenticate clients, and servers that delegate authentication find
// the authorities in a ConfigMap.
func TestServeWithClientCertificates(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "jane", Organization: []string{"system:masters"}}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _, stop := startServe(t, "--tls", "--token", "secret", "--client-ca-file", file)
	defer stop()
	client := func(certificates ...tls.Certificate) *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certificates}}}
	}
	jane := client(tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key})
	resp, err := jane.Get(url + "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication")
	if text := bodyOf(t, resp, err); resp.StatusCode != 200 || !strings.Contains(text, "BEGIN CERTIFICATE") {
		t.Errorf("the ConfigMap with the authorities: %d %s", resp.StatusCode, text)
	}
	resp, err = jane.Post(url+"/apis/authentication.k8s.io/v1/selfsubjectreviews", "application/json", strings.NewReader("{}"))
	if text := bodyOf(t, resp, err); !strings.Contains(text, `"username":"jane"`) {
		t.Errorf("the user of the certificate: %s", text)
	}
	resp, err = jane.Post(url+"/apis/authentication.k8s.io/v1/tokenreviews", "application/json", strings.NewReader(`{"spec":{"token":"secret"}}`))
	if text := bodyOf(t, resp, err); !strings.Contains(text, `"username":"admin"`) {
		t.Errorf("the review of --token: %s", text)
	}
	resp, err = client().Get(url + "/api/v1/pods")
	if text := bodyOf(t, resp, err); resp.StatusCode != 401 {
		t.Errorf("without credentials: %d %s", resp.StatusCode, text)
	}
	if code, _, errs := ran(t, "serve", "--client-ca-file", file); code != program.ExitUsage || !strings.Contains(errs, "--client-ca-file requires --tls") {
		t.Errorf("without --tls: code %d, errors %s", code, errs)
	}
}

func TestServeRunsAdmissionPlugins(t *testing.T) {
	url, _, stop := startServe(t, "--enable-admission-plugins", "Priority")
	defer stop()
	resp, err := http.Post(url+"/api/v1/namespaces/default/pods", "application/json",
		strings.NewReader(`{"metadata":{"name":"p"},"spec":{"priorityClassName":"none","containers":[{"name":"c","image":"i"}]}}`))
	if text := bodyOf(t, resp, err); !strings.Contains(text, `pods \"p\" is forbidden: no PriorityClass with name none was found`) {
		t.Errorf("answered %d %s", resp.StatusCode, text)
	}
}

// Beside a kube-controller-manager, no controller runs, not even those that plugins depend on.
func TestServeWithoutControllers(t *testing.T) {
	for controllers, want := range map[string]int{"": 200, "none": 404} {
		url, _, stop := startServe(t, "--enable-admission-plugins", "ServiceAccount", "--controllers", controllers)
		var code int
		for range 100 { // of a controller that runs
			resp, err := http.Get(url + "/api/v1/namespaces/default/serviceaccounts/default")
			_ = bodyOf(t, resp, err)
			if code = resp.StatusCode; code == 200 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if code != want {
			t.Errorf("--controllers %q: the service account is %d, want %d", controllers, code, want)
		}
		stop()
	}
}

// The plugin ResourceQuota brings the controller without which quotas have no effect.
func TestServeCountsQuotas(t *testing.T) {
	url, _, stop := startServe(t, "--enable-admission-plugins", "ResourceQuota")
	defer stop()
	const quotas = "/api/v1/namespaces/default/resourcequotas"
	resp, err := http.Post(url+quotas, "application/json", strings.NewReader(`{"metadata":{"name":"q"},"spec":{"hard":{"pods":"1"}}}`))
	bodyOf(t, resp, err)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		resp, err := http.Get(url + quotas + "/q")
		text := bodyOf(t, resp, err)
		if strings.Contains(text, `"used":{"pods":"0"}`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the quota was not counted: %s", text)
		}
	}
}

// The plugin ServiceAccount brings the controller without which no pod has a service account.
func TestServeCreatesServiceAccounts(t *testing.T) {
	url, _, stop := startServe(t, "--enable-admission-plugins", "ServiceAccount")
	defer stop()
	for _, c := range []struct{ path, body string }{
		{"/api/v1/namespaces", `{"metadata":{"name":"new"}}`},
		{"/api/v1/namespaces/new/pods", `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`},
	} {
		resp, err := http.Post(url+c.path, "application/json", strings.NewReader(c.body))
		if text := bodyOf(t, resp, err); resp.StatusCode != http.StatusCreated {
			t.Errorf("POST %s answered %d %s", c.path, resp.StatusCode, text)
		}
	}
}

func TestServeAuthorizesByRoles(t *testing.T) {
	url, errors, stop := startServe(t, "--authorization-mode", "RBAC")
	defer stop()
	for _, c := range []struct {
		why, header, value string
		code               int
	}{
		{"a request without a token", "Accept", "application/json", 200},
		{"a user without roles", "Impersonate-User", "ada", 403},
		{"a token that is none", "Authorization", "Bearer x", 401},
	} {
		r, err := http.NewRequest("GET", url+"/api/v1/namespaces/default/configmaps", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(c.header, c.value)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.code {
			t.Errorf("%s: answered %d, want %d", c.why, resp.StatusCode, c.code)
		}
	}
	if note := errors.String(); !strings.Contains(note, "add --tls to use tokens of service accounts") {
		t.Errorf("printed %q", note)
	}
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	noCRD := write("no-crd.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	unknown := write("unknown.yaml", "# first\n---\napiVersion: x.example.com/v1\nkind: Thing\nmetadata: {name: a}\n")
	twice := write("twice.yaml", strings.Repeat("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n", 2))
	tokens := write("tokens.csv", "one,admin,1\ntwo,user,2\n")
	for _, c := range []struct {
		why  string
		args []string
		code int
		want string
	}{
		{"an extra argument", []string{"x"}, program.ExitUsage, "accepts no arguments"},
		{"an unknown version", []string{"--kube-version", "1.2"}, program.ExitUsage, "supported versions are 1.30"},
		{"an unknown admission plugin", []string{"--enable-admission-plugins", "Priority,Quota"}, program.ExitUsage, `--enable-admission-plugins: unknown admission plugin "Quota": known are NamespaceLifecycle, LimitRanger`},
		{"an admission plugin of another program", []string{"--enable-admission-plugins", "PodSecurity", "--admission=false"}, program.ExitUsage, "PodSecurity: this plugin is part of the program patchlab-admission"},
		{"a host with a scheme", []string{"--allow-host", "http://lab.example.com"}, program.ExitUsage, "--allow-host http://lab.example.com: expected a host name such as lab.example.com"},
		{"a host with a port", []string{"--allow-host", "lab.example.com:8001"}, program.ExitUsage, "without scheme and port"},
		{"no controllers beside one", []string{"--controllers", "gc,none"}, program.ExitUsage, `unknown controller "none": known are namespace, gc, roles, quota and serviceaccount; none alone runs no controllers`},
		{"an unknown authorization mode", []string{"--authorization-mode", "Webhook"}, program.ExitUsage, "--authorization-mode Webhook: expected AlwaysAllow or RBAC"},
		{"a missing file", []string{"--crd", filepath.Join(dir, "none.yaml")}, program.ExitRefused, "none.yaml: no such file"},
		{"a file that is not a CRD", []string{"--crd", noCRD}, program.ExitRefused, `no-crd.yaml: no CustomResourceDefinition found`},
		{"an unknown kind", []string{"--load", unknown}, program.ExitRefused, `unknown.yaml:3:1: no kind "Thing" is registered for version "x.example.com/v1"; add its CustomResourceDefinition`},
		{"a document that is not an object", []string{"--load", tokens}, program.ExitRefused, "tokens.csv:1:1: apiVersion and kind are required"},
		{"a duplicate object", []string{"--load", twice}, program.ExitRefused, `twice.yaml:5:1: configmaps "a" already exists`},
		{"a file of tokens", []string{"--listen", "127.0.0.1:0", "--token-file", tokens}, program.ExitRefused, "tokens.csv: the file must contain nothing but the token"},
		{"an invalid address", []string{"--listen", "192.0.2.1:1"}, program.ExitRefused, "--listen 192.0.2.1:1: "},
		{"a kubeconfig path that cannot be written", []string{"--listen", "127.0.0.1:0", "--kubeconfig", dir}, program.ExitRefused, dir},
	} {
		var out, errs bytes.Buffer
		app := &program.App{In: strings.NewReader(""), Out: &out, Err: &errs}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		code := run(ctx, app, append([]string{"serve"}, c.args...))
		cancel()
		if code != c.code || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: code %d, printed %q, errors %q; want %d and %q", c.why, code, out.String(), errs.String(), c.code, c.want)
		}
	}
}

// The ranges of cluster IPs and the issuer of tokens have the effects of kube-apiserver's flags.
func TestServeHasARangeAndAnIssuer(t *testing.T) {
	url, _, stop := startProgram(t, "serve", "--listen", "127.0.0.1:0", "--admission=false", "--service-cluster-ip-range", "10.0.0.0/24,fd00::/108",
		"--service-account-issuer", "https://issuer.example.com")
	defer stop()
	send := func(method, path, body string) (int, document.Value) {
		t.Helper()
		request, err := http.NewRequest(method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(request)
		d, err := document.Parse([]byte(bodyOf(t, resp, err)), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, d.Root
	}
	const services = "/api/v1/namespaces/default/services"
	_, kubernetes := send("GET", services+"/kubernetes", "")
	_, created := send("POST", services, `{"metadata":{"name":"a"},"spec":{"ipFamilyPolicy":"PreferDualStack","ports":[{"port":80}]}}`)
	code, refused := send("POST", services, `{"metadata":{"name":"b"},"spec":{"clusterIP":"10.96.0.50","ports":[{"port":80}]}}`)
	_, cidr := send("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes", "")
	send("POST", "/api/v1/namespaces/default/serviceaccounts", `{"metadata":{"name":"robot"}}`)
	_, token := send("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", `{}`)
	_, published := send("GET", "/.well-known/openid-configuration", "")
	for what, is := range map[string][2]string{
		"kubernetes": {kubernetes.Lookup("spec", "clusterIP").StringOr(""), "10.0.0.1"},
		"a Service":  {created.Lookup("spec", "clusterIPs").String(), `["10.0.0.17","fd00::101"]`},
		"the ranges": {cidr.Lookup("spec", "cidrs").String(), `["10.0.0.0/24","fd00::/108"]`},
		// As kube-apiserver 1.36.3 answers.
		"an IP of another range": {fmt.Sprint(code, " ", refused.Get("message").StringOr("")), `422 Service "b" is invalid: spec.clusterIPs: ` +
			`Invalid value: ["10.96.0.50"]: failed to allocate IP 10.96.0.50: the provided network does not match the current range`},
		"the audience": {token.Lookup("spec", "audiences").String(), `["https://issuer.example.com"]`},
		"the issuer":   {published.Get("issuer").StringOr(""), "https://issuer.example.com"},
	} {
		if is[0] != is[1] {
			t.Errorf("%s: %s, want %s", what, is[0], is[1])
		}
	}
}
