package kubectl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// A flow is a sequence of kubectl commands with their recorded results.
// testdata/kubectl/README.md describes the format.
type flow struct {
	Name     string            `json:"name"`
	Note     string            `json:"note,omitempty"`
	Files    map[string]string `json:"files,omitempty"`
	Commands []command         `json:"commands"`
}

type command struct {
	Args   string `json:"args"`
	Env    string `json:"env,omitempty"`
	Code   int    `json:"code"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

func readFlows(t *testing.T, path string) []flow {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []flow
	names := map[string]bool{}
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, len(b)+1)
	for n := 1; sc.Scan(); n++ {
		var f flow
		if err := json.Unmarshal(sc.Bytes(), &f); err != nil {
			t.Fatalf("%s:%d: %v", path, n, err)
		}
		if names[f.Name] {
			t.Fatalf("%s:%d: a second flow %q", path, n, f.Name)
		}
		names[f.Name] = true
		out = append(out, f)
	}
	return out
}

// run runs the flow's commands in a new folder and returns their results. It replaces
// values that differ between runs with placeholders.
func (f flow) run(t *testing.T, kubectl, ns string, cfg *rest.Config) []command {
	t.Helper()
	dir := t.TempDir()
	for name, content := range f.Files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := fmt.Sprintf("%s --server=%s --namespace=%s", kubectl, cfg.Host, ns)
	if strings.HasPrefix(cfg.Host, "https://") {
		args += " --insecure-skip-tls-verify"
	}
	if cfg.BearerToken != "" {
		args += " --token=" + cfg.BearerToken
	}
	out := make([]command, len(f.Commands))
	for i, c := range f.Commands {
		out[i] = c.run(t, args, dir, ns)
	}
	return out
}

func (c command) run(t *testing.T, kubectl, dir, ns string) command {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", kubectl+" "+c.Args)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "HOME="+dir, "KUBECONFIG="+filepath.Join(dir, "none"), "NO_COLOR=1")
	if c.Env != "" {
		cmd.Env = append(cmd.Env, c.Env)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("kubectl %s: %v", c.Args, err)
	}
	return command{
		Args: c.Args, Env: c.Env, Code: cmd.ProcessState.ExitCode(),
		Stdout: settled(stdout.String(), ns), Stderr: settled(stderr.String(), ns),
	}
}

var (
	uidRE     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	versionIn = regexp.MustCompile(`(resourceVersion"?: ?"?)(\d+)`)
	timeRE    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	ageRE     = regexp.MustCompile(`(?m)\b\d+m?\d*s\s*$`)
	midAgeRE  = regexp.MustCompile(`\b\d+m?\d*s {2,}`)
	diffRE    = regexp.MustCompile(`(?m)^(diff -u -N|---|\+\+\+) .*$`)
	diffDirRE = regexp.MustCompile(`/tmp/(LIVE|MERGED)-\d+`)
)

// settled replaces the parts of a command's output that differ in every run: uids, times,
// ages, resource versions, temporary files and the namespace.
func settled(s, ns string) string {
	s = strings.ReplaceAll(s, ns, "NS") // first, because its generated suffix may match the pattern of an age
	s = uidRE.ReplaceAllString(s, "UID")
	versions := map[string]string{}
	s = versionIn.ReplaceAllStringFunc(s, func(m string) string {
		p := versionIn.FindStringSubmatch(m)
		if versions[p[2]] == "" {
			versions[p[2]] = fmt.Sprintf("RV%d", len(versions)+1)
		}
		return p[1] + versions[p[2]]
	})
	s = timeRE.ReplaceAllString(s, "TIME")
	s = ageRE.ReplaceAllString(s, "AGE")
	s = midAgeRE.ReplaceAllString(s, "AGE  ")
	s = diffRE.ReplaceAllString(s, "$1 FILE")
	return diffDirRE.ReplaceAllString(s, "TMP")
}

// differs describes the difference between got and want, "" if there is none: the exit code
// and output must be equal and, if the command succeeded, its messages, too. The message of a
// failure may differ.
func (want command) differs(got command) string {
	switch {
	case want.Code != got.Code:
		return fmt.Sprintf("exit code %d, want %d", got.Code, want.Code)
	case ownersSorted(want.Stdout) != ownersSorted(got.Stdout):
		return "stdout differs"
	case want.Code == 0 && want.Stderr != got.Stderr:
		return "stderr differs"
	}
	return ""
}

// ownersSorted sorts the managedFields entries in a command's output. The server orders
// them by time with a resolution of a second, so their order differs between runs.
func ownersSorted(s string) string {
	if !strings.Contains(s, "managedFields") {
		return s
	}
	var x any
	if err := yaml.Unmarshal([]byte(s), &x); err != nil {
		return s
	}
	sortOwners(x)
	b, err := json.Marshal(x)
	if err != nil {
		return s
	}
	return string(b)
}

func sortOwners(x any) {
	switch t := x.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(t)) {
			if l, ok := t[k].([]any); ok && k == "managedFields" {
				slices.SortFunc(l, func(a, b any) int { return strings.Compare(asJSON(a), asJSON(b)) })
				continue
			}
			sortOwners(t[k])
		}
	case []any:
		for _, v := range t {
			sortOwners(v)
		}
	}
}

func asJSON(x any) string {
	b, _ := json.Marshal(x)
	return string(b)
}
