package operator

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// start runs the operator against a server and returns a client of it. With
// KUBEBUILDER_ASSETS set that is kube-apiserver, else patchlab.
func start(t *testing.T) client.Client {
	t.Helper()
	types := runtime.NewScheme()
	_ = scheme.AddToScheme(types)
	AddToScheme(types)
	environment := &envtest.Environment{
		Scheme:                types,
		CRDInstallOptions:     envtest.CRDInstallOptions{Scheme: types},
		CRDDirectoryPaths:     []string{"config/crd"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"config/webhook"}},
	}
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		environment.Config, environment.UseExistingCluster = patchlabtest.Start(t), new(true) // the changed line
	}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = environment.Stop() })
	hooks := environment.WebhookInstallOptions
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: types, Metrics: server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: hooks.LocalServingHost, Port: hooks.LocalServingPort, CertDir: hooks.LocalServingCertDir}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := Setup(manager); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c, err := client.New(config, client.Options{Scheme: types})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the webhook server answers", func() bool { return manager.GetWebhookServer().StartedChecker()(nil) == nil })
	return c
}

// eventually waits for what the operator does in its own time.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

func TestOperator(t *testing.T) {
	ctx := context.Background()
	c := start(t)
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "default"} }

	if err := c.Create(ctx, &Store{ObjectMeta: meta("a"), Spec: StoreSpec{Color: "plaid"}}); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "plaid") {
		t.Errorf("a store that the webhook refuses: %v", err)
	}
	old := &OldStore{ObjectMeta: meta("a"), Spec: OldStoreSpec{Counters: 2}}
	if err := c.Create(ctx, old); err != nil {
		t.Fatal(err)
	}
	if old.Spec.Colour != "green" {
		t.Errorf("v1beta1 has colour %q, want the default of v1 converted", old.Spec.Colour)
	}
	store := &Store{}
	key := client.ObjectKey{Namespace: "default", Name: "a"}
	eventually(t, "the status has the sign", func() bool {
		return c.Get(ctx, key, store) == nil && store.Status.Sign == "green sign" && len(store.Finalizers) == 1
	})
	var sign corev1.ConfigMap
	if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "a-sign"}, &sign); err != nil || sign.Data["color"] != "green" {
		t.Errorf("the sign is %v, %v", sign.Data, err)
	}
	shrunk := store.DeepCopyObject().(*Store)
	shrunk.Spec.Counters = 1
	if err := c.Update(ctx, shrunk); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "counters cannot shrink") {
		t.Errorf("a change that a rule refuses: %v", err)
	}
	if err := c.Delete(ctx, store); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the store is gone", func() bool { return apierrors.IsNotFound(c.Get(ctx, key, store)) })
}
