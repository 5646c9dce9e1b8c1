package kubectl

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// binary is a kubectl to run the flows with, and the version whose recorded output it
// must match.
type binary struct {
	name    string
	path    string
	version string // minor version, such as "1.32"
}

// clients returns the kubectls built from their modules and, if there are recordings
// for its version, the one installed on the machine.
func clients(t *testing.T) []binary {
	t.Helper()
	out := []binary{
		{"kubectl-1.36", build(t, "../cmd/kubectl"), "1.36"},
		{"kubectl-1.32", build(t, "../cmd/kubectl132"), "1.32"},
	}
	path, err := exec.LookPath("kubectl")
	if err != nil {
		t.Log("no kubectl is on PATH")
		return out
	}
	b, err := exec.Command(path, "version", "--client").Output()
	if err != nil {
		t.Logf("%s version --client: %v", path, err)
		return out
	}
	v := versionRE.FindStringSubmatch(string(b))
	if v == nil || len(flowFiles[v[1]]) == 0 {
		t.Logf("there are no recordings for the version of the installed kubectl: %s", strings.TrimSpace(string(b)))
		return out
	}
	return append(out, binary{machine, path, v[1]})
}

const machine = "machine"

var versionRE = regexp.MustCompile(`Client Version: v(\d+\.\d+)`)

// build builds the command in dir. The go command's cache makes later builds fast.
func build(t *testing.T, dir string) string {
	t.Helper()
	b, _ := builds.LoadOrStore(dir, sync.OnceValues(func() (string, error) {
		// kubectl takes its default field manager from the name of its file.
		out := filepath.Join(binDir, filepath.Base(dir), "kubectl")
		cmd := exec.Command("go", "build", "-o", out, ".")
		cmd.Dir = dir
		if msg, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build in %s: %w\n%s", dir, err, msg)
		}
		return filepath.Abs(out)
	}))
	path, err := b.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var (
	builds sync.Map
	binDir string
)
