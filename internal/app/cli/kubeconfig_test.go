package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

const othersConfig = `apiVersion: v1
kind: Config
clusters:
- name: prod
  cluster: {server: https://prod.example.com, certificate-authority: ca.pem}
users:
- name: me
  user: {token: mine}
contexts:
- name: prod
  context: {cluster: prod, user: me}
current-context: prod
preferences: {colors: true}
`

func TestKubeconfigIsMerged(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "config")
	if err := os.WriteFile(name, []byte(othersConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, a := range []access{{address: "http://127.0.0.1:1"}, {address: "http://127.0.0.1:2", token: "secret"}} {
		if err := mergeKubeconfig(name, a); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.ParseYAML(data, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"clusters/0/name": "prod", "clusters/0/cluster/server": "https://prod.example.com", "clusters/0/cluster/certificate-authority": "ca.pem",
		"users/0/user/token": "mine", "contexts/0/context/user": "me", "preferences/colors": "true",
		"clusters/1/name": "patchlab", "clusters/1/cluster/server": "http://127.0.0.1:2", "users/1/user/token": "secret",
		"contexts/1/context/cluster": "patchlab", "current-context": "patchlab",
	} {
		v := d.Root
		for step := range strings.SplitSeq(path, "/") {
			if v.Kind() == document.List {
				v = v.At(int(step[0] - '0'))
			} else {
				v = v.Get(step)
			}
		}
		if got, ok := v.Text(); !ok && v.String() != want || ok && got != want {
			t.Errorf("%s is %s, want %s", path, v, want)
		}
	}
	if d.Root.Get("clusters").Len() != 2 {
		t.Errorf("the second run added another cluster:\n%s", data)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the token: %v %v", info.Mode(), err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// TestKubeconfigIdentifiesAUser checks that the user of an HTTPS server has credentials.
// Without any, kubectl asks for a user name and a password before the first request. They are a
// token, which the flag --token of kubectl replaces; beside a name and a password, kubectl refuses
// that flag. The client library for JavaScript refuses HTTP if certificates are to be verified.
func TestKubeconfigIdentifiesAUser(t *testing.T) {
	for _, c := range []struct {
		why      string
		args     []string
		want     string
		insecure bool
	}{
		{"HTTPS without a token", []string{"--tls"}, `{"token":"admin"}`, false},
		{"HTTPS with a token", []string{"--tls", "--token", "secret"}, `{"token":"secret"}`, false},
		{"HTTP", nil, `{}`, true},
	} {
		name := filepath.Join(t.TempDir(), "config")
		_, _, stop := startServe(t, append(c.args, "--kubeconfig", name)...)
		data, err := os.ReadFile(name)
		stop()
		if err != nil {
			t.Fatal(err)
		}
		d, err := document.ParseYAML(data, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Root.Get("users").At(0).Get("user").String(); got != c.want {
			t.Errorf("%s: the user is %s, want %s", c.why, got, c.want)
		}
		if insecure, _ := d.Root.Get("clusters").At(0).Lookup("cluster", "insecure-skip-tls-verify").Bool(); insecure != c.insecure {
			t.Errorf("%s: insecure-skip-tls-verify is %v", c.why, insecure)
		}
	}
}

// TestTokenOfTheKubeconfig checks that a server which requires no token, but verifies those that it gets,
// accepts the one in the kubeconfig.
func TestTokenOfTheKubeconfig(t *testing.T) {
	url, _, stop := startServe(t, "--tls", "--authorization-mode", "RBAC", "--admission=false")
	defer stop()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, c := range []struct {
		token string
		code  int
	}{{"admin", 200}, {"", 200}, {"other", 401}} {
		r, err := http.NewRequest("GET", url+"/api/v1/secrets", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		resp, err := client.Do(r)
		bodyOf(t, resp, err)
		if resp.StatusCode != c.code {
			t.Errorf("token %q: %d, want %d", c.token, resp.StatusCode, c.code)
		}
	}
}

// TestKubeconfigIsNotOverwritten checks that a file that is not a kubeconfig, or that
// has another cluster or user of the same name, is rejected and left unchanged.
func TestKubeconfigIsNotOverwritten(t *testing.T) {
	for _, c := range []struct{ why, content, want string }{
		{"no kubeconfig", "apiVersion: v1\nkind: ConfigMap\n", "not a kubeconfig"},
		{"not YAML", "a: [\n", "was not changed"},
		{"not a mapping", "hello\n", "not a kubeconfig"},
		{"a cluster of the same name", strings.ReplaceAll(othersConfig, "prod", "patchlab"), "was not written by patchlab serve"},
		{"a user of the same name", strings.ReplaceAll(othersConfig, "name: me", "name: patchlab"), "was not written by patchlab serve"},
		{"clusters is not a list", "kind: Config\nclusters: {a: 1}\n", "clusters is not a list"},
	} {
		name := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(name, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := mergeKubeconfig(name, access{address: "http://127.0.0.1:1"})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", c.why, err)
		}
		if data, _ := os.ReadFile(name); string(data) != c.content {
			t.Errorf("%s: the file was changed to\n%s", c.why, data)
		}
	}
}

func TestKubeconfigIsNotWrittenThroughALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	err := mergeKubeconfig(link, access{address: "http://127.0.0.1:1", token: "secret"})
	if err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a dangling link: %v", err)
	}
	if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the target of the link was written")
	}
	if err := os.WriteFile(link+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := mergeKubeconfig(link, access{}); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("while locked: %v", err)
	}
}

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
		{"plain HTTP to another machine", []string{"--listen", "0.0.0.0:0", "--token", "secret"}, exitUsage, "unencrypted: add --tls"},
		{"two tokens", []string{"--token", "a", "--token-file", token}, exitUsage, "cannot be used together"},
		{"an empty file", []string{"--token-file", none}, exitRefused, "the file is empty"},
		{"no file", []string{"--token-file", filepath.Join(dir, "gone")}, exitRefused, "no such file"},
	} {
		var out, errs bytes.Buffer
		app := &App{In: strings.NewReader(""), Out: &out, Err: &errs}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		code := app.run(ctx, append([]string{"serve"}, c.args...))
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
