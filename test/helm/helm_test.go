// Package helm installs, upgrades, rolls back and uninstalls a chart with Helm's Go
// packages (helm.sh/helm/v4/pkg/action). It is a module of its own because of Helm's
// many dependencies.
package helm

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/server"
)

const (
	namespace = "shop"
	release   = "web"
)

// A shop is a server with Helm and clients for it.
type shop struct {
	*testing.T
	config *rest.Config
	typed  kubernetes.Interface
	helm   *action.Configuration
}

// serverConfig returns the config of the API server at PATCHLAB_TEST_SERVER, with the
// bearer token PATCHLAB_TEST_TOKEN, or else that of a new patchlab server. The test's
// namespace must not exist on the server.
func serverConfig(t *testing.T) *rest.Config {
	t.Helper()
	if url := os.Getenv("PATCHLAB_TEST_SERVER"); url != "" {
		return &rest.Config{Host: url, BearerToken: os.Getenv("PATCHLAB_TEST_TOKEN"), TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	}
	c, err := cluster.New(cluster.Config{Addresses: true}) // as 'patchlab serve' does
	if err != nil {
		t.Fatal(err)
	}
	host := httptest.NewServer(server.New(c, server.Options{}))
	t.Cleanup(func() { host.Close(); _ = c.Close() })
	return &rest.Config{Host: host.URL}
}

func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{T: t, config: serverConfig(t)}
	s.typed = kubernetes.NewForConfigOrDie(s.config)
	empty := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	flags, ns := genericclioptions.NewConfigFlags(false), namespace
	flags.APIServer, flags.KubeConfig, flags.Namespace = &s.config.Host, &empty, &ns
	flags.WithWrapConfigFn(func(*rest.Config) *rest.Config { return rest.CopyConfig(s.config) })
	s.helm = action.NewConfiguration()
	if err := s.helm.Init(flags, namespace, "secret"); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *shop) install(values map[string]any) error {
	s.Helper()
	chart, err := loader.LoadDir("testdata/chart")
	if err != nil {
		s.Fatal(err)
	}
	i := action.NewInstall(s.helm)
	i.ReleaseName, i.Namespace, i.CreateNamespace = release, namespace, true
	i.WaitStrategy, i.Timeout = kube.HookOnlyStrategy, time.Minute // pods never become ready
	_, err = i.Run(chart, values)
	return err
}

func (s *shop) upgrade(values map[string]any) error {
	s.Helper()
	chart, err := loader.LoadDir("testdata/chart")
	if err != nil {
		s.Fatal(err)
	}
	u := action.NewUpgrade(s.helm)
	u.Namespace, u.WaitStrategy, u.Timeout = namespace, kube.HookOnlyStrategy, time.Minute
	_, err = u.Run(release, chart, values)
	return err
}

func (s *shop) rollback(revision int) error {
	r := action.NewRollback(s.helm)
	r.Version, r.WaitStrategy, r.Timeout = revision, kube.HookOnlyStrategy, time.Minute
	return r.Run(release)
}

// state describes the release's objects.
func (s *shop) state() string {
	s.Helper()
	d, err := s.typed.AppsV1().Deployments(namespace).Get(s.Context(), release, metav1.GetOptions{})
	if err != nil {
		return "no Deployment: " + err.Error()
	}
	c, err := s.typed.CoreV1().ConfigMaps(namespace).Get(s.Context(), release, metav1.GetOptions{})
	if err != nil {
		return "no ConfigMap: " + err.Error()
	}
	parts := []string{string('0' + rune(*d.Spec.Replicas)), d.Spec.Template.Spec.Containers[0].Image}
	for _, key := range []string{"colour", "size"} {
		if value, ok := c.Data[key]; ok {
			parts = append(parts, key+"="+value)
		}
	}
	if _, err := s.typed.CoreV1().Services(namespace).Get(s.Context(), release, metav1.GetOptions{}); err == nil {
		parts = append(parts, "Service")
	}
	return strings.Join(parts, " ")
}

func (s *shop) wants(step, want string, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%s: %v", step, err)
	}
	if got := s.state(); got != want {
		s.Errorf("after %s: %s, want %s", step, got, want)
	}
}

func TestChart(t *testing.T) {
	s := open(t)
	s.wants("install", "1 nginx:1.29 colour=red size=small Service", s.install(nil))
	d, _ := s.typed.AppsV1().Deployments(namespace).Get(t.Context(), release, metav1.GetOptions{})
	if m := managers(d); m != "helm.test Apply" {
		t.Errorf("the Deployment's managers are %s", m)
	}
	s.wants("upgrade", "3 nginx:1.30 colour=red", s.upgrade(map[string]any{
		"replicas": 3, "image": "nginx:1.30", "service": false, "config": map[string]any{"size": nil},
	}))
	lamps := dynamic.NewForConfigOrDie(s.config).Resource(schema.GroupVersionResource{Group: "lab.example.com", Version: "v1", Resource: "lamps"})
	if lamp, err := lamps.Namespace(namespace).Get(t.Context(), release, metav1.GetOptions{}); err != nil || lamp.GetLabels()["app.kubernetes.io/managed-by"] != "Helm" {
		t.Errorf("the custom resource: %v, %v", lamp, err)
	}
	s.wants("rollback", "1 nginx:1.29 colour=red size=small Service", s.rollback(1))
	history, err := action.NewHistory(s.helm).Run(release)
	if err != nil || len(history) != 3 {
		t.Errorf("%d revisions, %v", len(history), err)
	}
	if err := s.upgrade(map[string]any{"replicas": 10}); err == nil || !strings.Contains(err.Error(), "spec.brightness") {
		t.Errorf("a value that the schema of the custom resource refuses: %v", err)
	}
	u := action.NewUninstall(s.helm)
	u.WaitStrategy, u.Timeout = kube.HookOnlyStrategy, time.Minute
	if _, err := u.Run(release); err != nil {
		t.Fatal(err)
	}
	if _, err := s.typed.AppsV1().Deployments(namespace).Get(t.Context(), release, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Deployment after uninstall: %v", err)
	}
}

// TestConflict: fields of other managers are not overwritten without an error.
func TestConflict(t *testing.T) {
	s := open(t)
	if err := s.install(nil); err != nil {
		t.Fatal(err)
	}
	d, err := s.typed.AppsV1().Deployments(namespace).Get(t.Context(), release, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	replicas := int32(5)
	d.Spec.Replicas = &replicas
	if _, err := s.typed.AppsV1().Deployments(namespace).Update(t.Context(), d, metav1.UpdateOptions{FieldManager: "scaler"}); err != nil {
		t.Fatal(err)
	}
	err = s.upgrade(map[string]any{"replicas": 3})
	if err == nil || !strings.Contains(err.Error(), `conflict with "scaler"`) || !strings.Contains(err.Error(), ".spec.replicas") {
		t.Errorf("the upgrade: %v", err)
	}
}

func managers(d *appsv1.Deployment) string {
	var all []string
	for _, m := range d.ManagedFields {
		all = append(all, m.Manager+" "+string(m.Operation))
	}
	return strings.Join(all, ", ")
}
