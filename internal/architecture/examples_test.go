package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exampleFunction matches the declaration of an example that go doc and pkg.go.dev show.
var exampleFunction = regexp.MustCompile(`(?m)^func Example\w*\(\) \{`)

// TestPublicPackagesHaveExamples checks that each package that users can import, in all
// published modules, has an example.
func TestPublicPackagesHaveExamples(t *testing.T) {
	for _, module := range []string{"../..", "../../admission", "../../patchlabtest", "../../retry", "../../store/etcd"} {
		for _, folder := range publicFolders(t, module) {
			tests, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, file := range tests {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				found = found || exampleFunction.Match(text)
			}
			if !found {
				t.Errorf("%s has no example", folder)
			}
		}
	}
}

// publicFolders returns the folders of a module's packages, except for commands and internal
// packages.
func publicFolders(t *testing.T, module string) []string {
	t.Helper()
	var folders []string
	list := exec.Command("go", "list", "-f", "{{.Name}} {{.ImportPath}} {{.Dir}}", "./...")
	list.Dir = module
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v", module, err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] != "main" && !strings.Contains(fields[1], "/internal/") {
			folders = append(folders, fields[2])
		}
	}
	return folders
}
