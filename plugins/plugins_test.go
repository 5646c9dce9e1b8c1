package plugins_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/schema"
)

// webhook is an admission that follows the plugins: it removes a field of the spec and records what it
// is asked.
type webhook struct {
	inactive bool
	removes  string
	asked    []string
	changed  int
}

func (w *webhook) Active() bool { return !w.inactive }

func (w *webhook) Mutate(_ context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	w.asked = append(w.asked, "mutate "+string(a.Operation)+" "+a.Object.Lookup("spec", "priority").String())
	return a.Object.Remove("spec", w.removes), nil
}

func (w *webhook) Validate(_ context.Context, a *cluster.Attributes) *cluster.Status {
	w.asked = append(w.asked, "validate "+string(a.Operation))
	return nil
}

func (w *webhook) Changed(*schema.Kind) { w.changed++ }

// newCluster returns a cluster with plugins, followed by a webhook if w is not nil.
func newCluster(t *testing.T, w *webhook, names ...string) *cluster.Cluster {
	t.Helper()
	var config cluster.Config
	if w != nil {
		config.Admission = func(*cluster.Cluster) (cluster.Admission, error) { return w, nil }
	}
	if err := plugins.Configure(&config, names); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func send(t *testing.T, c *cluster.Cluster, r cluster.Request) document.Value {
	t.Helper()
	r.Version = "v1"
	resp, err := c.Do(t.Context(), &r)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Object
}

func newPod(t *testing.T, c *cluster.Cluster, spec string) document.Value {
	t.Helper()
	return send(t, c, cluster.Request{Verb: cluster.Create, Resource: "pods", Namespace: "n",
		Body: []byte(`{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]` + spec + `}}`)})
}

// The admission that follows sees what the plugins have set, and they set again what it removes.
func TestPluginsRunAgainAfterWebhooks(t *testing.T) {
	w := &webhook{removes: "tolerations"}
	pod := newPod(t, newCluster(t, w, "Priority", "DefaultTolerationSeconds"), "")
	if got := pod.Lookup("spec", "tolerations").Len(); got != 2 {
		t.Errorf("%d tolerations, want 2: %s", got, pod)
	}
	if want := []string{"mutate CREATE 0", "validate CREATE"}; !slices.Equal(w.asked, want) {
		t.Errorf("the webhook was asked %q, want %q", w.asked, want)
	}
	if w.changed != 1 {
		t.Errorf("the webhook was told %d changes, want 1", w.changed)
	}
}

// Plugins change the decoded object, so that validation still knows of an empty list in the request,
// which kube-apiserver 1.36.3 refuses here.
func TestEmptyListsAreValidatedAfterPlugins(t *testing.T) {
	c := newCluster(t, nil, "Priority", "DefaultTolerationSeconds")
	_, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "pods", Namespace: "n",
		Body: []byte(`{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],"resources":{"claims":[]}}}`)})
	var st *cluster.Status
	if !errors.As(err, &st) || st.Details == nil || len(st.Details.Causes) != 1 || st.Details.Causes[0].Field != "spec.resources.claims" {
		t.Errorf("got %v, want a refusal of spec.resources.claims", err)
	}
}

// The plugin RuntimeClass of kube-apiserver 1.36.3 asks for the class before the pod is validated, and
// its client refuses to send a request without a name.
func TestRuntimeClassOfPod(t *testing.T) {
	const overhead = `pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`
	for _, test := range []struct {
		why, spec string
		code      int
		message   string
	}{
		{"a class that does not exist", `"runtimeClassName":"other"`, 403, `pods "p" is forbidden: pod rejected: RuntimeClass "other" not found`},
		{"an empty name", `"runtimeClassName":""`, 500, "resource name may not be empty"},
		{"an overhead without a class", `"overhead":{"cpu":"0"}`, 403, overhead},
		{"an empty overhead without a class", `"overhead":{}`, 403, overhead},
	} {
		c := newCluster(t, nil, "RuntimeClass")
		_, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "pods", Namespace: "n",
			Body: []byte(`{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],` + test.spec + `}}`)})
		var st *cluster.Status
		if !errors.As(err, &st) || st.Code != test.code || st.Message != test.message {
			t.Errorf("%s: got %v, want %d %s", test.why, err, test.code, test.message)
		}
	}
}

// An admission without configurations is not asked.
func TestInactiveAdmissionIsNotAsked(t *testing.T) {
	w := &webhook{inactive: true}
	newPod(t, newCluster(t, w, "Priority", "DefaultTolerationSeconds"), "")
	if len(w.asked) != 0 {
		t.Errorf("it was asked %q", w.asked)
	}
}

// A deletion passes the plugins and reaches the admission that follows: twice, for the pod is
// marked as being deleted before it is removed.
func TestDeletionsPass(t *testing.T) {
	w := &webhook{}
	c := newCluster(t, w, "Priority", "DefaultTolerationSeconds")
	newPod(t, c, "")
	w.asked = nil
	send(t, c, cluster.Request{Verb: cluster.Delete, Resource: "pods", Namespace: "n", Name: "p"})
	if want := slices.Repeat([]string{"mutate DELETE nothing", "validate DELETE"}, 2); !slices.Equal(w.asked, want) {
		t.Errorf("the webhook was asked %q, want %q", w.asked, want)
	}
}

// Only the plugins that are named run.
func TestOnlyNamedPluginsRun(t *testing.T) {
	pod := newPod(t, newCluster(t, nil, "Priority"), "")
	if priority := pod.Lookup("spec", "priority").String(); priority != "0" || pod.Lookup("spec", "tolerations").Exists() {
		t.Errorf("the spec is %s", pod.Get("spec"))
	}
	var config cluster.Config
	if err := plugins.Configure(&config, nil); err != nil || config.Admission != nil || config.StrictNamespaces {
		t.Errorf("no plugins configure %+v, %v", config, err)
	}
	if err := plugins.Configure(&config, []string{"NamespaceLifecycle"}); err != nil || config.Admission != nil || !config.StrictNamespaces {
		t.Errorf("NamespaceLifecycle configures %+v, %v", config, err)
	}
	if err := plugins.Configure(&config, []string{"Priority", "Quota"}); err == nil || !strings.Contains(err.Error(), `"Quota"`) || !strings.Contains(err.Error(), "LimitRanger") {
		t.Errorf("an unknown plugin: %v", err)
	}
}

// An object of a dump has passed admission: its priority class need not exist.
func TestRestoredObjectsAreExempt(t *testing.T) {
	c := newCluster(t, nil, "Priority")
	request := cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "pods", Namespace: "n", Restore: true,
		Body: []byte(`{"metadata":{"name":"p"},"spec":{"priority":5,"priorityClassName":"gone","containers":[{"name":"c","image":"i"}]}}`)}
	if _, err := c.Do(t.Context(), &request); err != nil {
		t.Error(err)
	}
	request.Restore = false
	request.Body = []byte(strings.Replace(string(request.Body), `"p"`, `"q"`, 1))
	var st *cluster.Status
	if _, err := c.Do(t.Context(), &request); !errors.As(err, &st) || st.Code != 403 {
		t.Errorf("a new pod with a class that does not exist: %v", err)
	}
}

// Before 1.35, pods did not get the labels of their nodes.
func TestTopologyOfEarlierVersions(t *testing.T) {
	for version, want := range map[string]string{"1.34": "", "1.35": "z1"} {
		config := cluster.Config{Version: version}
		if err := plugins.Configure(&config, []string{"PodTopologyLabels"}); err != nil {
			t.Fatal(err)
		}
		c, err := cluster.New(config)
		if err != nil {
			t.Fatal(err)
		}
		send(t, c, cluster.Request{Verb: cluster.Create, Resource: "nodes", Body: []byte(`{"metadata":{"name":"n","labels":{"topology.kubernetes.io/zone":"z1"}}}`)})
		pod := newPod(t, c, `,"nodeName":"n"`)
		if got := pod.Lookup("metadata", "labels", "topology.kubernetes.io/zone").StringOr(""); got != want {
			t.Errorf("%s: the zone is %q, want %q", version, got, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Writes at the same time use a quota up, and do not exceed it.
func TestQuotaOfConcurrentWrites(t *testing.T) {
	const limit, writers = 20, 60
	c := newCluster(t, nil, plugins.ResourceQuota)
	q := send(t, c, cluster.Request{Verb: cluster.Create, Resource: "resourcequotas", Namespace: "n",
		Body: []byte(`{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"20"}}}`)})
	counted := document.NewObject().With("configmaps", document.NewString("0"))
	q = q.Set(q.Lookup("spec", "hard"), "status", "hard").Set(counted, "status", "used")
	send(t, c, cluster.Request{Verb: cluster.Update, Resource: "resourcequotas", Subresource: "status", Namespace: "n", Name: "q", Body: q.JSON()})
	var created, refused atomic.Int32
	var done sync.WaitGroup
	for range writers {
		done.Go(func() {
			_, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "configmaps", Namespace: "n",
				Body: []byte(`{"metadata":{"generateName":"c-"}}`)})
			var st *cluster.Status
			switch {
			case err == nil:
				created.Add(1)
			case errors.As(err, &st) && st.Code == 403 && strings.Contains(st.Message, "exceeded quota: q, requested: configmaps=1, used: configmaps=20, limited: configmaps=20"):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	done.Wait()
	if created.Load() != limit || refused.Load() != writers-limit {
		t.Errorf("%d created and %d refused, want %d and %d", created.Load(), refused.Load(), limit, writers-limit)
	}
	q = send(t, c, cluster.Request{Verb: cluster.Get, Resource: "resourcequotas", Namespace: "n", Name: "q"})
	if used := q.Lookup("status", "used", "configmaps").StringOr(""); used != "20" {
		t.Errorf("used is %s", used)
	}
}

// The volume with a pod's token has one name in all containers, and is added once although the plugins run
// again after a webhook.
func TestTokenVolume(t *testing.T) {
	c := newCluster(t, &webhook{removes: "imagePullSecrets"}, plugins.ServiceAccount)
	send(t, c, cluster.Request{Verb: cluster.Create, Resource: "serviceaccounts", Namespace: "n", Body: []byte(`{"metadata":{"name":"default"},"imagePullSecrets":[{"name":"s"}]}`)})
	pod := newPod(t, c, `,"initContainers":[{"name":"i","image":"i"}]`)
	volumes := pod.Lookup("spec", "volumes")
	if volumes.Len() != 1 {
		t.Fatalf("%d volumes, want 1: %s", volumes.Len(), pod)
	}
	for _, field := range []string{"initContainers", "containers"} {
		mounts := pod.Lookup("spec", field).At(0).Get("volumeMounts")
		if mounts.Len() != 1 || !document.Equal(mounts.At(0).Get("name"), volumes.At(0).Get("name")) {
			t.Errorf("%s: %s, want one of %s", field, mounts, volumes)
		}
	}
	if pull := pod.Lookup("spec", "imagePullSecrets"); pull.Len() != 1 {
		t.Errorf("the webhook's removal was not repaired: %s", pull)
	}
}

// A pod can be created before the controller has created the account of its new namespace.
func TestPodWaitsForAccount(t *testing.T) {
	c := newCluster(t, nil, plugins.ServiceAccount)
	var created sync.WaitGroup
	created.Go(func() {
		time.Sleep(20 * time.Millisecond)
		if _, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "serviceaccounts", Namespace: "n", Body: []byte(`{"metadata":{"name":"default"}}`)}); err != nil {
			t.Error(err)
		}
	})
	defer created.Wait()
	if pod := newPod(t, c, ""); pod.Lookup("spec", "serviceAccountName").StringOr("") != "default" {
		t.Errorf("the pod has no account: %s", pod)
	}
}
