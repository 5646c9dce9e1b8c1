package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// TestRunEvaluatesPolicies checks that 'run' evaluates CEL rules and policies and reports
// none as skipped.
func TestRunEvaluatesPolicies(t *testing.T) {
	var out, problems bytes.Buffer
	code := cli.RunLinked(commands(), []string{"run", "../../../testdata/policies"}, strings.NewReader(""), &out, &problems)
	if code != 0 || !strings.Contains(out.String(), "2 scenarios: 2 as expected; 9 steps, 9 expectations") || strings.Contains(problems.String(), "not evaluated") {
		t.Errorf("exit code %d\n%s%s", code, out.String(), problems.String())
	}
}

// TestRunReportsSkippedPolicies checks that the command without CEL runs the same
// scenarios and reports the rules and policies it skipped.
func TestRunReportsSkippedPolicies(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out, problems bytes.Buffer
	code := cli.Run([]string{"run", "../../../testdata/policies"}, strings.NewReader(""), &out, &problems)
	if code != 1 || !strings.Contains(out.String(), "2 failed") || !strings.Contains(problems.String(), "2 CEL rules and 2 admission policies were not evaluated, because the program patchlab-admission") {
		t.Errorf("exit code %d\n%s%s", code, out.String(), problems.String())
	}
}

const limit = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limit.example.com}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]}
  validations: [{expression: "object.data.size() < 2", message: at most one key}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limit}
spec: {policyName: limit.example.com, validationActions: [Deny], matchResources: {namespaceSelector: {matchExpressions: [{key: free, operator: DoesNotExist}]}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: label.example.com}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'seen': 'yes'}}}"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: label}
spec: {policyName: label.example.com}
`

// TestApplyEvaluatesPolicies checks that 'apply' evaluates admission policies: one mutates
// the object, another rejects it depending on its namespace's labels.
func TestApplyEvaluatesPolicies(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	policy := write("policy.yaml", limit)
	live := write("live.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: open, labels: {free: \"true\"}}\n")
	for _, c := range []struct {
		why, manifest string
		code          int
		want          string
	}{
		{"an allowed object is changed by the mutating policy", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: x}}", 0, "seen: \"yes\""},
		{"a denied object is refused", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {a: x, b: x}}", 1, "ValidatingAdmissionPolicy 'limit.example.com' with binding 'limit' denied request: at most one key"},
		{"the policy does not match a namespace with that label", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: open}, data: {a: x, b: x}}", 0, "seen: \"yes\""},
	} {
		var out, problems bytes.Buffer
		code := cli.RunLinked(commands(), []string{"apply", live, write("change.yaml", c.manifest), "--policy", policy}, strings.NewReader(""), &out, &problems)
		if code != c.code || !strings.Contains(out.String()+problems.String(), c.want) {
			t.Errorf("%s: exit code %d\n%s%s", c.why, code, out.String(), problems.String())
		}
	}
	t.Setenv("PATH", t.TempDir())
	var out, problems bytes.Buffer
	code := cli.Run([]string{"apply", live, policy, "--policy", policy}, strings.NewReader(""), &out, &problems)
	if code != 1 || !strings.Contains(problems.String(), "evaluation of admission policies requires the program patchlab-admission") {
		t.Errorf("without the program: exit code %d\n%s", code, problems.String())
	}
}

// TestLintEvaluatesPolicies checks that 'lint' reports what an admission policy denies or warns about, also of a manifest
// that has an error of another kind.
func TestLintEvaluatesPolicies(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"policy.yaml":  limit,
		"warning.yaml": strings.Replace(limit, "[Deny]", "[Warn]", 1),
		"manifests.yaml": `{apiVersion: v1, kind: Namespace, metadata: {name: open, labels: {free: "true"}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: shop}, data: {a: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: shop}, data: {a: x, b: x}, date: {}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: open}, data: {a: x, b: x}}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	const denied = "manifests.yaml:5:1: error: ConfigMap two in namespace shop: configmaps \"two\" is forbidden: ValidatingAdmissionPolicy 'limit.example.com' with binding 'limit' denied request: at most one key [refused]"
	const warned = "manifests.yaml:5:1: warning: ConfigMap two in namespace shop: Validation failed for ValidatingAdmissionPolicy 'limit.example.com' with binding 'limit': at most one key [api-warning]"
	for _, c := range []struct {
		why, policy string
		arguments   []string
		code        int
		want        []string
	}{
		{"a policy that denies", "policy.yaml", nil, 1, []string{denied, "[unknown-field]"}},
		{"a policy that warns", "warning.yaml", []string{"--ignore", "unknown-field"}, 0, []string{warned}},
		{"without policies", "", []string{"--ignore", "unknown-field"}, 0, nil},
	} {
		arguments := append([]string{"lint", "manifests.yaml", "-q"}, c.arguments...)
		if c.policy != "" {
			arguments = append(arguments, "--policy", c.policy)
		}
		var out, problems bytes.Buffer
		code := cli.RunLinked(commands(), arguments, strings.NewReader(""), &out, &problems)
		found := strings.Count(out.String(), "manifests.yaml:")
		if code != c.code || found != len(c.want) {
			t.Errorf("%s: exit code %d, %d findings\n%s%s", c.why, code, found, out.String(), problems.String())
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no finding %q\n%s", c.why, want, out.String())
			}
		}
	}
}

const limitByParameter = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: most.example.com}
spec:
  paramKind: {apiVersion: rules.example.org/v1, kind: Most}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "object.data.size() <= params.most", message: too many keys}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: most}
spec: {policyName: most.example.com, validationActions: [Deny], paramRef: {name: m, parameterNotFoundAction: Deny}}
---
{apiVersion: rules.example.org/v1, kind: Most, metadata: {name: m}, most: 1}
`

// TestParametersOfPolicies checks that the definition of a policy's parameters is used, although no
// changed object has its group.
func TestParametersOfPolicies(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"policy.yaml": limitByParameter,
		"crd.yaml": `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: mosts.rules.example.org}, spec: {group: rules.example.org, scope: Cluster,
names: {plural: mosts, singular: most, kind: Most}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {most: {type: integer}}}}}]}}`,
		"change.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: x, b: x}}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, problems bytes.Buffer
	t.Chdir(dir)
	code := cli.RunLinked(commands(), []string{"apply", "-f", "change.yaml", "--policy", "policy.yaml", "--crd", "crd.yaml"}, strings.NewReader(""), &out, &problems)
	if code != 1 || !strings.Contains(problems.String(), "denied request: too many keys") {
		t.Errorf("exit code %d\n%s%s", code, out.String(), problems.String())
	}
}

const sized = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: toys.example.com}, spec: {group: example.com, scope: Namespaced,
names: {plural: toys, singular: toy, kind: Toy}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object,
properties: {spec: {type: object, properties: {size: {type: integer}}, x-kubernetes-validations: [{rule: self.size < 5, message: too big}]}}}}}]}}
`

// TestTheOtherProgramEvaluatesRules checks that the command without CEL executes the one
// with it if what is changed has rules, with the same standard input and without printing notes
// twice, and only then.
func TestTheOtherProgramEvaluatesRules(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a symbolic link to the test, which Windows creates for administrators only")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "patchlab-admission")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("PATCHLAB_TEST_PROGRAM", "patchlab-admission")
	crd := filepath.Join(dir, "crd.yaml")
	if err := os.WriteFile(crd, []byte(sized), 0o644); err != nil {
		t.Fatal(err)
	}
	const toy = "---\n{apiVersion: example.com/v1, kind: Toy, metadata: {name: t}, spec: {size: 7}}\n"
	const unruled = "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}\n"
	for _, c := range []struct {
		why, command, change string
		arguments            []string
		code                 int
		want                 string
	}{
		{"a rule refuses", "apply", sized + toy, nil, 1, "Invalid value: too big"},
		{"explain hands over as well", "explain", toy, []string{"--crd", crd}, 1, "too big"},
		{"resolve hands over as well", "resolve", toy, []string{"--crd", crd}, 1, "too big"},
		{"an object without rules beside a definition with some", "apply", unruled, []string{"--crd", crd}, 0, "kind: ConfigMap"},
	} {
		var out, problems bytes.Buffer
		arguments := append([]string{c.command, os.DevNull, "-f", "-"}, c.arguments...)
		code := cli.Run(arguments, strings.NewReader(c.change), &out, &problems)
		if code != c.code || !strings.Contains(out.String()+problems.String(), c.want) || strings.Contains(problems.String(), "not evaluated") {
			t.Errorf("%s: exit code %d\n%s%s", c.why, code, out.String(), problems.String())
		}
		if n := strings.Count(problems.String(), "contains no live objects"); n != 1 {
			t.Errorf("%s: the note about the live objects is printed %d times\n%s", c.why, n, problems.String())
		}
	}
	small := filepath.Join(dir, "small.yaml")
	if err := os.WriteFile(small, []byte(strings.Replace(toy, "7", "3", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why       string
		arguments []string
		code      int
		want      string
	}{
		{"a rule refuses the intended object of a diff", []string{"diff", small, "-", "--crd", crd}, 1, "too big"},
		{"a rule refuses one way to resolve a conflict", []string{"resolve", small, "-", "--crd", crd}, 3, "not possible: <stdin>:2:68: Toy.example.com \"t\" is invalid: spec: Invalid value: too big"},
		{"lint finds what a rule refuses", []string{"lint", "-", "--crd", crd}, 1, "error: spec: Invalid value: too big [refused]"},
		{"a rule refuses the next apply after a migration", []string{"migrate", small, "-f", "-", "--crd", crd}, 1, "too big"},
	} {
		for _, parts := range []program.Linked{{}, commands()} { // which hands over, and which does not have to
			var out, problems bytes.Buffer
			code := cli.RunLinked(parts, c.arguments, strings.NewReader(toy), &out, &problems)
			if code != c.code || !strings.Contains(out.String()+problems.String(), c.want) || strings.Contains(problems.String(), "not evaluated") {
				t.Errorf("%s: exit code %d\n%s%s", c.why, code, out.String(), problems.String())
			}
		}
	}
	// A pipe, as of <(command) in a shell, can be read only once.
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := write.WriteString(toy); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	var out, problems bytes.Buffer
	code := cli.Run([]string{"apply", "--crd", crd, "-f", "/dev/fd/" + strconv.Itoa(int(read.Fd()))}, nil, &out, &problems)
	if code != 1 || !strings.Contains(problems.String(), "too big") {
		t.Errorf("a pipe: exit code %d\n%s%s", code, out.String(), problems.String())
	}
}

// TestMain runs the program instead of the tests if a test has executed it.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == os.Getenv("PATCHLAB_TEST_PROGRAM") {
		main()
	}
	debug.SetGCPercent(100) // package startup has turned it off
	os.Exit(m.Run())
}

// TestStartsWithoutCollection checks that the program collects no garbage before its main function, which package startup
// prevents, and that it does later.
func TestStartsWithoutCollection(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	many := filepath.Join(t.TempDir(), "many.yaml")
	object := []byte("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b, c: d}}\n")
	if err := os.WriteFile(many, bytes.Repeat(object, 20_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why       string
		arguments []string
		collects  bool
	}{
		{"the start needs little memory", []string{"version"}, false},
		{"20,000 objects need more", []string{"defaults", many}, true},
	} {
		command := exec.Command(self, c.arguments...)
		command.Env = append(os.Environ(), "PATCHLAB_TEST_PROGRAM="+filepath.Base(self), "GODEBUG=gctrace=1", "GOGC=")
		var problems bytes.Buffer
		command.Stderr = &problems
		if err := command.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", c.why, err, problems.String())
		}
		if got := strings.Contains(problems.String(), "gc 1 @"); got != c.collects {
			t.Errorf("%s: collected is %t, want %t\n%s", c.why, got, c.collects, problems.String())
		}
	}
}

// TestServeLogsInOneFormat checks that what libraries log about a webhook that cannot be called has
// the format of --log-format.
func TestServeLogsInOneFormat(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, "serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--request-log")
	command.Env = append(os.Environ(), "PATCHLAB_TEST_PROGRAM="+filepath.Base(self))
	var logged bytes.Buffer
	command.Stderr = &logged
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if err != nil || !ok {
		t.Fatalf("the first line is %q, %v", line, err)
	}
	post := func(path, body string) int {
		response, err := http.Post(address+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	if code := post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", `{"metadata":{"name":"w"},"webhooks":[{"name":"w.example.com",
		"sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/"},
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}]}]}`); code != 201 {
		t.Fatalf("the webhook: %d", code)
	}
	if code := post("/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"m"}}`); code != 500 {
		t.Errorf("an object that the webhook has to admit: %d, want 500", code)
	}
	_ = command.Process.Kill()
	_ = command.Wait()
	about := 0
	for line := range strings.Lines(logged.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
		if strings.Contains(line, "w.example.com") {
			about++
		}
	}
	if about == 0 {
		t.Errorf("no line is about the webhook:\n%s", logged.String())
	}
}
