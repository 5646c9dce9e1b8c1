package etcd

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// TestServeOverEtcdRunsAdmission checks that a server on etcd evaluates CEL rules and
// policies, including those created through another server on the same etcd.
func TestServeOverEtcdRunsAdmission(t *testing.T) {
	program := buildProgram(t)
	endpoint := etcdtest.Start(t, 1)[0]
	first := serveOver(t, program, endpoint)
	post := func(server, path, body string) (int, string) {
		t.Helper()
		resp, err := http.Post(server+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	const admission = "/apis/admissionregistration.k8s.io/v1/"
	for _, c := range []struct{ path, body string }{
		{"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"ranges.example.com"},
			"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"ranges","kind":"Range","singular":"range","listKind":"RangeList"},
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
			"x-kubernetes-validations":[{"rule":"self.min <= self.max","message":"min is above max"}],
			"properties":{"min":{"type":"integer"},"max":{"type":"integer"}}}}}}}]}}`},
		{admission + "validatingadmissionpolicies", `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"p"},"spec":{
			"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]},
			"validations":[{"expression":"has(object.data)","message":"data is needed"}]}}`},
		{admission + "validatingadmissionpolicybindings", `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"p"},
			"spec":{"policyName":"p","validationActions":["Deny"]}}`},
	} {
		if code, text := post(first, c.path, c.body); code != 201 {
			t.Fatalf("%d %s", code, text)
		}
	}
	for name, server := range map[string]string{"the server that was given them": first, "another over the same etcd": serveOver(t, program, endpoint)} {
		code, text := post(server, "/apis/example.com/v1/namespaces/default/ranges", `{"apiVersion":"example.com/v1","kind":"Range","metadata":{"name":"a"},"spec":{"min":2,"max":1}}`)
		if code != 422 || !strings.Contains(text, "min is above max") {
			t.Errorf("%s, a rule: %d %s", name, code, text)
		}
		code, text = post(server, "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"a"}}`)
		if code != 422 || !strings.Contains(text, "data is needed") {
			t.Errorf("%s, a policy: %d %s", name, code, text)
		}
	}
}

// TestServeOverEtcdLogsInOneFormat checks that the log of kube-apiserver's libraries, here about a webhook that
// does not respond, is in the format of the server's own.
func TestServeOverEtcdLogsInOneFormat(t *testing.T) {
	program := buildProgram(t)
	endpoint := etcdtest.Start(t, 1)[0]
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server := serveLoggingTo(t, log, program, endpoint, "--log-format", "json")
	for _, c := range []struct{ path, body string }{
		{"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", `{"metadata":{"name":"absent"},"webhooks":[{"name":"absent.example.com","failurePolicy":"Ignore",
			"sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/"},
			"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]}]}`},
		{"/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"a"}}`},
	} {
		resp, err := http.Post(server+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s", c.path, resp.Status)
		}
	}
	text, err := os.ReadFile(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "absent.example.com") {
		t.Errorf("the log does not name the webhook:\n%s", text)
	}
	for line := range strings.Lines(string(text)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is not JSON: %s", line)
		}
	}
}

// serveOver runs 'patchlab-etcd serve' on an etcd until the test ends, and returns its
// URL.
func serveOver(t *testing.T, program, endpoint string, flags ...string) string {
	t.Helper()
	return serveLoggingTo(t, os.Stderr, program, endpoint, flags...)
}

// serveLoggingTo is serveOver with another place for the log.
func serveLoggingTo(t *testing.T, log io.Writer, program, endpoint string, flags ...string) string {
	t.Helper()
	c := exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "etcd", "--etcd-endpoints", endpoint}, flags...)...)
	c.Stderr = log
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if !found {
		t.Fatalf("the first line is %q, %v", line, err)
	}
	return url
}
