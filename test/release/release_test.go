package release

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const repository = "../.."

func TestGoMod(t *testing.T) {
	for _, folder := range Folders() {
		data, err := os.ReadFile(filepath.Join(repository, folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := GoMod(data, "v0.9.0")
		if err != nil {
			t.Errorf("%s: %v", folder, err)
		}
		if strings.Contains(string(out), "replace") || strings.Contains(string(out), "v0.0.0\n") {
			t.Errorf("%s: not publishable:\n%s", folder, out)
		}
	}
	if _, err := GoMod([]byte("module a\n\nreplace k8s.io/api => ../api\n"), "v0.9.0"); err == nil {
		t.Error("no error for a replaced module of another repository")
	}
}

// goModFiles returns the paths of this repository's go.mod files, relative to its folder.
func goModFiles(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "go.mod", "*/go.mod")
	list.Dir = repository
	out, err := list.Output()
	if err != nil {
		t.Skip("no git repository: ", err)
	}
	return strings.Fields(string(out))
}

// TestFoldersListEveryModule checks that Folders lists every module except tests and examples.
func TestFoldersListEveryModule(t *testing.T) {
	published := map[string]bool{}
	for _, folder := range Folders() {
		published[folder] = true
	}
	for _, file := range goModFiles(t) {
		folder := filepath.Dir(file)
		if !published[folder] && folder != "examples" && folder != "test" && !strings.HasPrefix(folder, "test/") && !strings.Contains(folder, "testdata") {
			t.Errorf("%s is not in Folders", folder)
		}
	}
}

// TestVersionsListEveryModule checks that doc/versions.md lists the published modules with their tags.
func TestVersionsListEveryModule(t *testing.T) {
	page, err := os.ReadFile("../../doc/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range Folders() {
		row := "| `" + path.Join(root, folder) + "` | `" + path.Join(folder, "v")
		if !strings.Contains(string(page), row) {
			t.Errorf("doc/versions.md does not have the row %s", row)
		}
	}
}

// TestModulesRequireTheSameVersions checks that no dependency is required in two versions by
// modules of this repository. Everything that imports it would otherwise be compiled, vetted and
// analysed once for each version, and the tests of one module would say nothing about another.
func TestModulesRequireTheSameVersions(t *testing.T) {
	type requirement struct{ version, file string }
	first := map[string]requirement{}
	for _, file := range goModFiles(t) {
		if strings.Contains(file, "testdata") || file == otherKubernetes {
			continue
		}
		data, err := os.ReadFile(filepath.Join(repository, file))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := modfile.Parse(file, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range parsed.Require {
			other, known := first[r.Mod.Path]
			switch {
			case !known:
				first[r.Mod.Path] = requirement{r.Mod.Version, file}
			case other.version != r.Mod.Version:
				t.Errorf("%s requires %s %s, %s requires %s: run go get %s@VERSION in the one with the older version",
					file, r.Mod.Path, r.Mod.Version, other.file, other.version, r.Mod.Path)
			}
		}
	}
}

// otherKubernetes is the go.mod of a command that is built from an older Kubernetes on purpose.
const otherKubernetes = "test/cmd/kubectl132/go.mod"

// program is the main package of a module that depends on the published modules.
const program = `package main

import (
	"context"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patchlabtest"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func main() {
	d, err := document.Parse([]byte(` + "`" + `{"data":{"a":"b"}}` + "`" + `), document.Options{})
	if err != nil {
		panic(err)
	}
	s, err := patchlabtest.New(patchlabtest.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	defer s.Stop()
	c := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default")
	made, err := c.Create(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "cm"},
		Data: map[string]string{"a": d.Root.Lookup("data", "a").StringOr("")}}, metav1.CreateOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(made.Name, made.Data["a"], made.ResourceVersion != "")
}
`

// TestGoGet serves the modules from a folder. A program in another module gets them,
// builds and runs, with its own module cache. Other dependencies come from the
// machine's module cache, so the test needs no network.
func TestGoGet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds client-go")
	}
	const version = "v0.9.0"
	proxy, mine, cache := t.TempDir(), t.TempDir(), t.TempDir()
	if err := WriteProxy(repository, proxy, version); err != nil {
		t.Fatal(err)
	}
	settings, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	downloads, upstream, _ := strings.Cut(strings.TrimSpace(string(settings)), "\n")
	here := "file://" + filepath.ToSlash(downloads) + "/cache/download"
	environment := append(os.Environ(), "GOMODCACHE="+cache, "GOWORK=off", "GOSUMDB=off", "GONOSUMDB=*", "GONOPROXY=none", "GOPRIVATE=",
		// -trimpath allows reuse of the build cache with another module cache;
		// -modcacherw allows the test to delete the module cache.
		"GOFLAGS=-mod=mod -trimpath -modcacherw",
		// go get reads go.mod files that no build of this repository needs, so that the
		// module cache may lack them.
		"GOPROXY=file://"+filepath.ToSlash(proxy)+","+here+","+upstream)
	run := func(args ...string) string {
		t.Helper()
		command := exec.Command("go", args...)
		command.Dir, command.Env = mine, environment
		var errors bytes.Buffer
		command.Stderr = &errors
		out, err := command.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, errors.String())
		}
		return string(out)
	}
	if err := os.WriteFile(filepath.Join(mine, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	run("mod", "init", "example.com/mine")
	run("get", "github.com/patchlab-dev/patchlab/patchlabtest@"+version)
	if got := run("list", "-m", "github.com/patchlab-dev/patchlab"); got != "github.com/patchlab-dev/patchlab "+version+"\n" {
		t.Errorf("the main module is %q", got)
	}
	if got := run("run", "."); got != "cm b true\n" {
		t.Errorf("the program prints %q", got)
	}
}
