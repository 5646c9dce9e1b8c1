package serving

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
