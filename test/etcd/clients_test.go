package etcd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// TestClientsOverEtcd runs the tests of client-go, controller-runtime, an operator and
// Helm against 'patchlab serve --store etcd'. Each test gets a server with its own key
// prefix, because Helm's tests share one namespace.
func TestClientsOverEtcd(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs of other tests")
	}
	program := buildProgram(t)
	endpoint := etcdtest.Start(t, 1)[0]
	for _, pkg := range []string{"../clients", "../operator", "../helm"} {
		t.Run(filepath.Base(pkg), func(t *testing.T) {
			// The name must be the one that go test uses, because Helm takes its field
			// manager from it.
			tests := filepath.Join(t.TempDir(), filepath.Base(pkg)+".test")
			run(t, pkg, nil, "go", "test", "-c", "-vet=off", "-o", tests, ".")
			names := regexp.MustCompile(`(?m)^Test\w+$`).FindAllString(run(t, pkg, nil, tests, "-test.list", "^Test"), -1)
			if len(names) == 0 {
				t.Fatal("no tests")
			}
			for _, name := range names {
				t.Run(name, func(t *testing.T) {
					server := serveOver(t, program, endpoint, "--etcd-prefix", "/"+name)
					run(t, pkg, []string{"PATCHLAB_TEST_SERVER=" + server}, tests, "-test.run", "^"+name+"$")
				})
			}
		})
	}
}

// buildProgram builds patchlab-etcd and returns its path.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "patchlab-etcd")
	run(t, "../../cmd/patchlab-etcd", nil, "go", "build", "-o", program, ".")
	return program
}

// run runs a program in a folder and returns its output.
func run(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}
