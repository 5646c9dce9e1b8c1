package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

const kubernetes = "k8s.io/kubernetes"

// A module is a folder with a go.mod that requires a suite's module.
type module struct {
	dir string
	// overlay is the file for go build -overlay, "" if there is none.
	overlay string
}

// prepare creates the module for a suite, unless it exists.
func prepare(s *suite, dir string) (*module, error) {
	m := &module{dir: filepath.Join(dir, strings.ReplaceAll(s.module, "/", "-")+"@"+s.version)}
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return nil, err
	}
	if s.module == kubernetes {
		m.overlay = filepath.Join(m.dir, "overlay.json")
		if err := m.writeOverlay(); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(m.dir, "ready")); err == nil {
		return m, nil
	}
	_ = os.Remove(filepath.Join(m.dir, "go.mod"))
	if _, err := m.goCommand("mod", "init", "suites"); err != nil {
		return nil, err
	}
	if s.module == kubernetes {
		if err := m.kubernetes(s.version); err != nil {
			return nil, err
		}
	}
	args := []string{"get", s.module + "@" + s.version}
	if s.module == controllerRuntime {
		// The same versions as in this module, so that compiled packages are reused.
		for _, module := range []string{"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/client-go"} {
			args = append(args, module+"@v0."+strings.TrimPrefix(kubernetesVersion, "v1."))
		}
	}
	if _, err := m.goCommand(args...); err != nil {
		return nil, err
	}
	return m, os.WriteFile(filepath.Join(m.dir, "ready"), nil, 0o644)
}

// staging matches a replace directive for a folder of the Kubernetes repository.
var staging = regexp.MustCompile(`(\S+) => \./staging/`)

// kubernetes requires the modules of the Kubernetes repository at their published
// versions. Two of them are replaced with symbolic links to their folders, because
// files in the module cache cannot be overlaid.
func (m *module) kubernetes(version string) error {
	published := "v0." + strings.TrimPrefix(version, "v1.")
	root, err := m.download(kubernetes, version)
	if err != nil {
		return err
	}
	requirements, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	args := []string{"mod", "edit", "-replace", kubernetes + "=./kubernetes"}
	for _, found := range staging.FindAllStringSubmatch(string(requirements), -1) {
		args = append(args, "-replace", found[1]+"="+found[1]+"@"+published)
	}
	extensions, err := m.download("k8s.io/apiextensions-apiserver", published)
	if err != nil {
		return err
	}
	args = append(args, "-replace", "k8s.io/apiextensions-apiserver=./apiextensions")
	if _, err := m.goCommand(args...); err != nil {
		return err
	}
	for link, to := range map[string]string{"kubernetes": root, "apiextensions": extensions} {
		if err := os.Symlink(to, filepath.Join(m.dir, link)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}

// writeOverlay writes the file for go build -overlay, which names the files of testdata.
func (m *module) writeOverlay() error {
	here, err := filepath.Abs("suites/testdata")
	if err != nil {
		return err
	}
	overlay, _ := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(m.dir, "kubernetes/cmd/kube-apiserver/app/testing/testserver.go"): filepath.Join(here, "kubeapiserver.go.txt"),
		filepath.Join(m.dir, "kubernetes/test/integration/framework/etcd.go"):           filepath.Join(here, "etcd.go.txt"),
		filepath.Join(m.dir, "kubernetes/test/integration/framework/test_server.go"):    filepath.Join(here, "testserver.go.txt"),
		filepath.Join(m.dir, "apiextensions/test/integration/fixtures/server.go"):       filepath.Join(here, "apiextensions.go.txt"),
	}})
	return os.WriteFile(m.overlay, overlay, 0o644)
}

// download returns a module's folder in the module cache.
func (m *module) download(path, version string) (string, error) {
	out, err := m.goCommand("mod", "download", "-json", path+"@"+version)
	if err != nil {
		return "", err
	}
	var got struct{ Dir string }
	return got.Dir, json.Unmarshal(out, &got)
}

// compile builds the test program of a package.
func (m *module) compile(pkg string) (string, error) {
	program := m.program(pkg)
	args := []string{"test", "-c", "-vet=off", "-o", program}
	if m.overlay != "" {
		args = append(args, "-overlay", m.overlay)
	}
	_, err := m.goCommand(append(args, pkg)...)
	return program, err
}

// program returns the path of a package's test binary. The name is that of go test,
// because some tests expect it as their field manager.
func (m *module) program(pkg string) string {
	return filepath.Join(m.dir, "bin", strings.ReplaceAll(pkg, "/", "-"), path.Base(pkg)+".test")
}

// folder returns the folder of a package's sources, which is the working directory of
// its tests.
func (m *module) folder(pkg string) (string, error) {
	out, err := m.goCommand("list", "-f", "{{.Dir}}", pkg)
	return strings.TrimSpace(string(out)), err
}

// usesGinkgo reports whether the tests in a folder use Ginkgo.
func usesGinkgo(folder string) bool {
	files, _ := filepath.Glob(filepath.Join(folder, "*_suite_test.go"))
	return len(files) > 0
}

// goCommand runs the go command in the module, and returns its standard output.
func (m *module) goCommand(args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir = m.dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOWORK=off")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out, nil
}
