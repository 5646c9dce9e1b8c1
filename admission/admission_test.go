package admission_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
)

const toys = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"toys.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"toys","kind":"Toy","singular":"toy","listKind":"ToyList"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
"x-kubernetes-validations":[{"rule":"self.min <= self.max","message":"min is above max"},{"rule":"self.names.all(n, n.size() > 1)"}],
"properties":{"min":{"type":"integer"},"max":{"type":"integer"},"names":{"type":"array","maxItems":20,"items":{"type":"string","maxLength":20}},
"bulk":{"type":"array","maxItems":10000,"items":{"type":"integer"},"x-kubernetes-validations":[{"rule":"self.all(a, self.exists(b, b == a))"}]}
}}}}}}]}}`

// cheapToys returns the toys CRD with a cheap CEL rule in place of the one that
// compares every pair of items.
func cheapToys() string {
	return strings.Replace(toys, "self.all(a, self.exists(b, b == a))", "self.size() < 100", 1)
}

// newCluster returns a cluster configured by admission.Configure, with the given
// objects created in it.
func newCluster(t testing.TB, o admission.Options, objects ...string) *cluster.Cluster {
	t.Helper()
	c := configured(t, cluster.Config{}, o)
	for _, object := range objects {
		doc, err := document.Parse([]byte(object), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := c.Kinds().Of(doc.Root)
		if _, err := create(c, kind.Group, kind.Version, kind.Resource, "", object); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// configured returns a cluster with a configuration that admission.Configure completes.
func configured(t testing.TB, config cluster.Config, o admission.Options) *cluster.Cluster {
	t.Helper()
	if err := admission.Configure(&config, o); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func create(c *cluster.Cluster, group, version, resource, namespace, body string) (*cluster.Response, error) {
	return c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Group: group, Version: version, Resource: resource,
		Namespace: namespace, Body: []byte(body), Options: cluster.Options{FieldManager: "test"}})
}

func toy(name, spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Toy","metadata":{"name":"` + name + `"},"spec":` + spec + `}`
}

// TestCausesHavePaths checks that the cause of a failed CEL rule has the path of its
// field, from which callers derive the line in the manifest.
func TestCausesHavePaths(t *testing.T) {
	c := newCluster(t, admission.Options{}, cheapToys())
	_, err := create(c, "example.com", "v1", "toys", "d", toy("a", `{"min":2,"max":1,"names":[]}`))
	var status *cluster.Status
	if !errors.As(err, &status) || len(status.Details.Causes) != 1 {
		t.Fatalf("got %v, want one cause", err)
	}
	cause := status.Details.Causes[0]
	if cause.Field != "spec" || cause.Path.String() != document.Keys("spec").String() || cause.Message != "Invalid value: min is above max" {
		t.Errorf("cause %+v", cause)
	}
}

// TestCostlyRulesAreRefused checks that a CRD whose CEL rules exceed the estimated cost
// limit is rejected at creation.
func TestCostlyRulesAreRefused(t *testing.T) {
	c := newCluster(t, admission.Options{})
	_, err := create(c, "apiextensions.k8s.io", "v1", "customresourcedefinitions", "", toys)
	if err == nil || !strings.Contains(err.Error(), "exceeds budget") {
		t.Errorf("got %v, want a refusal for the cost of the rule on bulk", err)
	}
}

// TestHangingWebhookHoldsNoOtherRequest checks that a webhook that does not respond
// delays only its own request, until its timeout. Other requests proceed, including
// those for the same object.
func TestHangingWebhookHoldsNoOtherRequest(t *testing.T) {
	called := make(chan struct{}, 10)
	release := make(chan struct{})
	hook := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		called <- struct{}{}
		<-release
	}))
	defer hook.Close()
	defer close(release)
	c := newCluster(t, admission.Options{})
	if _, err := create(c, "", "v1", "configmaps", "d", `{"metadata":{"name":"held"}}`); err != nil {
		t.Fatal(err)
	}
	config := `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"hang"},"webhooks":[{
		"name":"hang.example.com","clientConfig":{"url":"` + hook.URL + `","caBundle":"` + hooks.CABundle(hook) + `"},"timeoutSeconds":1,"failurePolicy":"Fail",
		"sideEffects":"None","admissionReviewVersions":["v1"],"objectSelector":{"matchLabels":{"held":"yes"}},
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["UPDATE"],"resources":["configmaps"]}]}]}`
	if _, err := create(c, "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "", config); err != nil {
		t.Fatal(err)
	}
	patch := func(body string) error {
		_, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Patch, Version: "v1", Resource: "configmaps", Namespace: "d", Name: "held",
			Format: cluster.MergePatch, Body: []byte(body), Options: cluster.Options{FieldManager: "test"}})
		return err
	}
	held := make(chan error)
	go func() { held <- patch(`{"metadata":{"labels":{"held":"yes"}}}`) }()
	<-called // the webhook has received the request and does not respond
	if err := patch(`{"data":{"a":"1"}}`); err != nil {
		t.Errorf("a write to the same object that the webhook does not match: %v", err)
	}
	select {
	case err := <-held:
		t.Fatalf("the held request ended first: %v", err)
	default:
	}
	var status *cluster.Status
	if err := <-held; !errors.As(err, &status) || status.Code != 500 {
		t.Errorf("the held request: got %v, want the failure of the webhook", err)
	}
}

// TestPanicOfAPluginIsAnError checks that a panic in kube-apiserver's admission code
// becomes a 500 response.
func TestPanicOfAPluginIsAnError(t *testing.T) {
	c := newCluster(t, admission.Options{}, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"d"}}`,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicy","metadata":{"name":"p"},"spec":{"failurePolicy":"Fail","reinvocationPolicy":"Never",
		"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["services"]}]},
		"mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: 'add', path: '/spec/ports', value: [Object.spec.ports{port: 80}]}]"}}]}}`,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicyBinding","metadata":{"name":"p"},"spec":{"policyName":"p"}}`)
	_, err := create(c, "", "v1", "services", "d", `{"metadata":{"name":"s"},"spec":{"ports":[{"port":1}]}}`)
	var status *cluster.Status
	if !errors.As(err, &status) || status.Code != 500 {
		t.Errorf("got %v, want an internal error", err)
	}
}

// TestOnlyThisModuleHasTheLibraries checks that the main module does not depend on the
// Kubernetes libraries that this module links.
func TestOnlyThisModuleHasTheLibraries(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./...")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for module := range strings.FieldsSeq(string(out)) {
		switch module {
		case "k8s.io/apiserver", "k8s.io/apiextensions-apiserver", "k8s.io/client-go", "k8s.io/api", "github.com/google/cel-go", "github.com/patchlab-dev/patchlab/admission":
			t.Fatalf("the main module links %s", module)
		}
	}
}

// BenchmarkCreateWithRules creates objects with three CEL rules, from one goroutine per
// CPU. It reports CPU time, from which the throughput of two otherwise idle CPUs
// follows even if the machine runs other programs.
func BenchmarkCreateWithRules(b *testing.B) {
	c := newCluster(b, admission.Options{}, cheapToys())
	var count atomic.Int64
	b.ReportAllocs()
	before := processorTime()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			name := "toy-" + strconv.FormatInt(count.Add(1), 10)
			if _, err := create(c, "example.com", "v1", "toys", "d", toy(name, `{"min":1,"max":2,"names":["first","second"],"bulk":[1,2,3]}`)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "objects/s")
	b.ReportMetric(2*float64(b.N)/(processorTime()-before).Seconds(), "objects/s-of-two-cores")
}

// processorTime returns the user and system CPU time of the process.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
