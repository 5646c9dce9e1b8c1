// Package architecture tests which packages may depend on which.
package architecture

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/patchlab-dev/patchlab/"

// facade is the package at the root, without the folders below it.
const facade = "."

// layers are the parts, lowest first. Each may import those before it and
// itself; nothing imports a part that is not listed before it.
var layers = []string{
	"document", "schema", "kinds", "patch", "fieldmanager", "store", "cluster", "explain", "internal/app/manifest", facade,
	"scenario", "internal/app/playground", "plugins", "controllers", "aggregation", "rbac", "server",
	"internal/app/cli/terminal", "internal/app/cli/program", "internal/app/cli/results", "internal/app/cli/inputs",
	"internal/app/cli/serving", "internal/app/cli/scenarios", "internal/app/cli/clients", "internal/app/cli", "cmd",
}

// light are the packages that also run in a browser.
var light = []string{"document", "schema", "kinds", "patch", "fieldmanager", "store", "cluster", "scenario", "internal/app/playground"}

// pages are the commands that run in a browser and so are built for nothing else.
var pages = []string{"wasm", "wasm/engines"}

// heavy are imports that a page must not carry, by prefix, with the reason.
var heavy = map[string]string{
	"net/http":                          "brings TLS and 1.7 MB",
	"crypto/tls":                        "comes with net/http",
	"k8s.io/":                           "metav1 alone is 2.6 MB compressed; client-go 8 MB",
	"sigs.k8s.io/structured-merge-diff": "only the reference engine stands on it",
	"github.com/evanphx/json-patch":     "only the reference engine stands on it",
	"gopkg.in/evanphx/json-patch":       "only the reference engine stands on it",
	"github.com/google/gnostic-models":  "1.75 MB",
	"google.golang.org/protobuf":        "not needed beneath the server",
	"github.com/gogo/protobuf":          "not needed beneath the server",
	"github.com/golang/protobuf":        "not needed beneath the server",
	module + "internal/engine/protobuf": "not needed beneath the server",
	"github.com/json-iterator/go":       "0.5 MB",
	"go.etcd.io/":                       "only module store/etcd needs it",
	module + "reference":                "the judge of the engines, not a part of them",
	"math/big":                          "20 KB; numbers of any length are digits here",
}

// packages lists the packages below a folder of the module, none if the folder does not exist.
func packages(t *testing.T, folder string) []string {
	t.Helper()
	if folder == facade {
		return []string{strings.TrimSuffix(module, "/")}
	}
	out, err := exec.Command("go", "list", "-e", "-f", "{{if .GoFiles}}{{.ImportPath}}{{end}}", module+folder+"/...").Output()
	if err != nil {
		t.Fatalf("go list %s: %v", folder, err)
	}
	return strings.Fields(string(out))
}

// dependencies lists the direct and indirect imports of a package, as built in this
// environment with additional variables.
func dependencies(t *testing.T, pkg string, environment ...string) []string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", pkg)
	list.Env = append(os.Environ(), environment...)
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", pkg, err)
	}
	return strings.Fields(string(out))
}

func within(pkg, folder string) bool {
	if folder == facade {
		return pkg == strings.TrimSuffix(module, "/")
	}
	return pkg == module+folder || strings.HasPrefix(pkg, module+folder+"/")
}

// layerOf returns the index of the layer of a package, that of the longest folder which contains it, and -1 for a
// package of no layer.
func layerOf(pkg string) int {
	found := -1
	for i, layer := range layers {
		if within(pkg, layer) && (found < 0 || len(layer) > len(layers[found])) {
			found = i
		}
	}
	return found
}

func TestDependenciesPointOneWay(t *testing.T) {
	for i, layer := range layers {
		for _, pkg := range packages(t, layer) {
			if layerOf(pkg) != i {
				continue // in a folder that is a layer of its own
			}
			for _, dep := range dependencies(t, pkg) {
				if layerOf(dep) > i {
					t.Errorf("%s imports %s, which belongs to a higher layer", pkg, dep)
				}
			}
		}
	}
}

// listedPackage matches the row of a package in the README.
var listedPackage = regexp.MustCompile(`(?m)^\| \[.(\w+).\]\([\w.]+\) \|`)

// TestReadmeListsPackagesInOrder checks that each package in the table of the README imports only packages
// above it, as the README states.
func TestReadmeListsPackagesInOrder(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	above := map[string][]string{} // with what they import
	for _, row := range listedPackage.FindAllStringSubmatch(string(readme), -1) {
		pkg := module + row[1]
		if row[1] == "patchlab" {
			pkg = strings.TrimSuffix(module, "/")
		}
		for name, imported := range above {
			if slices.Contains(imported, pkg) {
				t.Errorf("%s is below %s, which imports it", row[1], name)
			}
		}
		above[row[1]] = dependencies(t, pkg)
	}
	if len(above) < 15 {
		t.Errorf("only %d packages were found", len(above))
	}
}

func TestPagePartsStayLight(t *testing.T) {
	seen := 0
	for _, part := range light {
		for _, pkg := range packages(t, part) {
			if strings.Contains(pkg, "/internal/gen") || strings.HasSuffix(pkg, "/storetest") {
				continue // for the repository's own use, not published
			}
			seen++
			checkLight(t, pkg, dependencies(t, pkg))
		}
	}
	if seen < 5 {
		t.Fatalf("only %d packages were looked at", seen)
	}
}

func TestPagesStayLight(t *testing.T) {
	for _, page := range pages {
		all := dependencies(t, module+page, "GOOS=js", "GOARCH=wasm", "GOFLAGS=-tags=lab,complete")
		if !slices.Contains(all, module+"cluster") {
			t.Errorf("%s does not even import the cluster", page)
		}
		checkLight(t, page, all)
	}
}

func checkLight(t *testing.T, pkg string, dependencies []string) {
	t.Helper()
	for _, dep := range dependencies {
		for prefix, why := range heavy {
			if strings.HasPrefix(dep, prefix) {
				t.Errorf("%s imports %s: %s", pkg, dep, why)
			}
		}
	}
}

// TestOnlyAFewImportKubernetes restricts the imports of Kubernetes' libraries to the reference
// engine, the types of its library, and the package for client-go's objects.
func TestOnlyAFewImportKubernetes(t *testing.T) {
	allowed := map[string]bool{module + "reference": true, module + "internal/engine/parseable": true, module + "clientobject": true}
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		for _, dep := range fields[1:] {
			if !strings.HasPrefix(dep, "k8s.io/") && !strings.HasPrefix(dep, "sigs.k8s.io/") {
				continue
			}
			found++
			if !allowed[fields[0]] {
				t.Errorf("%s imports %s", fields[0], dep)
			}
		}
	}
	if found == 0 {
		t.Error("not even the reference engine imports Kubernetes' libraries")
	}
}
