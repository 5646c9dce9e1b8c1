package operator

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/patchlab-dev/patchlab/patchlabtest"
	"github.com/patchlab-dev/patchlab/test/testserver"
)

// newEnvironment returns an envtest that is not started. By itself it starts the programs in
// KUBEBUILDER_ASSETS.
func newEnvironment() *envtest.Environment {
	known := runtime.NewScheme()
	_ = scheme.AddToScheme(known)
	AddToScheme(known)
	return &envtest.Environment{
		Scheme:                known,
		CRDInstallOptions:     envtest.CRDInstallOptions{Scheme: known},
		CRDDirectoryPaths:     []string{"config/crd"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"config/webhook"}},
	}
}

// start starts an environment, runs the operator against it, and returns a client.
func start(t *testing.T, environment *envtest.Environment) client.Client {
	t.Helper()
	known := environment.Scheme
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = environment.Stop() })
	hooks := environment.WebhookInstallOptions
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: known, Metrics: server.Options{BindAddress: "0"},
		Controller:    ctrlconfig.Controller{SkipNameValidation: new(true)}, // several tests run it in turn
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
	c, err := client.New(config, client.Options{Scheme: known})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the webhook server answers", func() bool { return manager.GetWebhookServer().StartedChecker()(nil) == nil })
	return client.WithFieldOwner(c, "customer")
}

// eventually waits until holds returns true, as the operator runs asynchronously.
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

// key is the name of the store that the subtests use in turn.
var key = client.ObjectKey{Namespace: "default", Name: "a"}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: key.Namespace}
}

// TestOperator runs the operator's suite against the server in testserver.EnvServer, or against
// kube-apiserver if KUBEBUILDER_ASSETS is set, or else against patchlab in this process.
func TestOperator(t *testing.T) {
	environment := newEnvironment()
	switch {
	case testserver.Foreign():
		environment.Config, environment.UseExistingCluster = testserver.Start(t), new(true)
	case os.Getenv(assets) == "":
		environment.Config, environment.UseExistingCluster = patchlabtest.Start(t), new(true) // the only line that differs from envtest
	}
	testOperator(t, start(t, environment))
}

// testOperator is the operator's suite. It compares complete error messages, in order to find any
// difference between two servers.
func testOperator(t *testing.T, c client.Client) {
	for _, part := range []struct {
		name string
		run  func(t *testing.T, ctx context.Context, c client.Client)
	}{
		{"what the webhook, the schema and the rules refuse", testRefusals},
		{"v1beta1 is converted, given the webhook's default and reconciled", testReconciled},
		{"the operator's apply leaves to others what is theirs", testOwnership},
		{"managers of both versions meet in one object", testVersions},
		{"status is written through its subresource alone", testStatus},
		{"a store goes when its finalizer is taken off", testDeletion},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.run(t, t.Context(), c) }) {
			return
		}
	}
}

func testRefusals(t *testing.T, ctx context.Context, c client.Client) {
	for _, refused := range []struct {
		object client.Object
		want   string
	}{
		{&Store{ObjectMeta: meta("a"), Spec: StoreSpec{Color: "plaid"}},
			`admission webhook "vstore-v1.kb.io" denied the request: plaid is not a color`},
		{&OldStore{ObjectMeta: meta("a"), Spec: OldStoreSpec{Colour: "plaid"}},
			`admission webhook "vstore-v1.kb.io" denied the request: plaid is not a color`},
		{&Store{ObjectMeta: meta("a"), Spec: StoreSpec{Color: "plaid", Counters: 101}},
			`Store.shop.example.com "a" is invalid: spec: Invalid value: more than 100 counters need the color grey`},
		{&Store{ObjectMeta: meta("a"), Spec: StoreSpec{Color: strings.Repeat("x", 21)}},
			`Store.shop.example.com "a" is invalid: [spec.color: Too long: may not be more than 20 bytes, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
	} {
		if err := c.Create(ctx, refused.object); err == nil || err.Error() != refused.want {
			t.Errorf("%+v: %v\nwant %s", refused.object, err, refused.want)
		}
	}
}

func testReconciled(t *testing.T, ctx context.Context, c client.Client) {
	old := &OldStore{ObjectMeta: meta("a"), Spec: OldStoreSpec{Counters: 2}}
	if err := c.Create(ctx, old); err != nil {
		t.Fatal(err)
	}
	if old.Spec.Colour != "green" || old.Generation != 1 {
		t.Errorf("v1beta1 is %+v in generation %d, want the default of v1 converted", old.Spec, old.Generation)
	}
	eventually(t, "the status has the sign", func() bool {
		var store Store
		return c.Get(ctx, key, &store) == nil && store.Status.Sign == "green sign" && slices.Equal(store.Finalizers, []string{Finalizer})
	})
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(V1Beta1.WithKind("StoreList"))
	if err := c.List(ctx, list, client.InNamespace(key.Namespace)); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].GetAPIVersion() != V1Beta1.String() {
		t.Fatalf("the list in v1beta1 is %v", list.Items)
	}
	if colour, _, _ := unstructured.NestedString(list.Items[0].Object, "spec", "colour"); colour != "green" {
		t.Errorf("in a list in v1beta1 the colour is %q", colour)
	}
}

func testOwnership(t *testing.T, ctx context.Context, c client.Client) {
	sign := applycore.ConfigMap("a-sign", key.Namespace).WithLabels(map[string]string{"seen": "yes"})
	if err := c.Apply(ctx, sign, client.FieldOwner("surveyor")); err != nil {
		t.Fatal(err)
	}
	theirs := applycore.ConfigMap("a-sign", key.Namespace).WithData(map[string]string{"color": "red"})
	const conflict = `Apply failed with 1 conflict: conflict with "store-operator": .data.color`
	if err := c.Apply(ctx, theirs, client.FieldOwner("surveyor")); !apierrors.IsConflict(err) || err.Error() != conflict {
		t.Errorf("applying the operator's field: %v\nwant %s", err, conflict)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"color":"blue"}}`))
	if err := c.Patch(ctx, &Store{ObjectMeta: meta("a")}, patch); err != nil {
		t.Fatal(err)
	}
	var live corev1.ConfigMap
	eventually(t, "the sign is blue", func() bool {
		return c.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: "a-sign"}, &live) == nil && live.Data["color"] == "blue"
	})
	// The operator writes the status after the sign: until then the store changes once more.
	eventually(t, "the status has the blue sign", func() bool {
		var store Store
		return c.Get(ctx, key, &store) == nil && store.Status.Sign == "blue sign"
	})
	var owners []string
	for _, entry := range live.ManagedFields {
		owners = append(owners, fmt.Sprintf("%s %s %s", entry.Manager, entry.Operation, entry.FieldsV1.GetRawString()))
	}
	slices.Sort(owners)
	want := []string{`store-operator Apply {"f:data":{"f:color":{}}}`, `surveyor Apply {"f:metadata":{"f:labels":{"f:seen":{}}}}`}
	if !slices.Equal(owners, want) {
		t.Errorf("the owners of the sign's fields are %q\nwant %q", owners, want)
	}
}

func testVersions(t *testing.T, ctx context.Context, c client.Client) {
	apply := func(version schema.GroupVersion, manager string, spec map[string]any) error {
		object := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": key.Name, "namespace": key.Namespace}, "spec": spec}}
		object.SetGroupVersionKind(version.WithKind("Store"))
		return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(manager))
	}
	if err := apply(V1Beta1, "painter", map[string]any{"colour": "blue"}); err != nil {
		t.Fatal(err)
	}
	const conflict = "Apply failed with 2 conflicts: conflicts with \"customer\" using shop.example.com/v1:\n- .spec.color\nconflicts with \"painter\":\n- .spec.colour"
	if err := apply(V1, "decorator", map[string]any{"color": "red"}); !apierrors.IsConflict(err) || err.Error() != conflict {
		t.Errorf("applying a field that another manager owns in the other version: %v\nwant %s", err, conflict)
	}
	for _, refused := range []struct{ patch, want string }{
		{`{"spec":{"counters":1}}`, `Store.shop.example.com "a" is invalid: spec.counters: Invalid value: 1: counters cannot shrink`},
		{`{"spec":{"counters":null}}`, `Store.shop.example.com "a" is invalid: spec: Invalid value: counters cannot be removed`},
	} {
		err := c.Patch(ctx, &Store{ObjectMeta: meta("a")}, client.RawPatch(types.MergePatchType, []byte(refused.patch)))
		if !apierrors.IsInvalid(err) || err.Error() != refused.want {
			t.Errorf("%s: %v\nwant %s", refused.patch, err, refused.want)
		}
	}
}

func testStatus(t *testing.T, ctx context.Context, c client.Client) {
	var before, after Store
	if err := c.Get(ctx, key, &before); err != nil {
		t.Fatal(err)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"sign":"forged"}}`))
	if err := c.Patch(ctx, &Store{ObjectMeta: meta("a")}, patch); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, key, &after); err != nil {
		t.Fatal(err)
	}
	if after.Status != before.Status || after.Generation != before.Generation || after.ResourceVersion != before.ResourceVersion {
		t.Errorf("a status written through the object changed it: %+v, was %+v", after, before)
	}
	stale := before.DeepCopyObject().(*Store)
	stale.ResourceVersion = "1"
	if err := c.Status().Update(ctx, stale); !apierrors.IsConflict(err) {
		t.Errorf("writing the status of an old version: %v, want a conflict", err)
	}
}

func testDeletion(t *testing.T, ctx context.Context, c client.Client) {
	if err := c.Delete(ctx, &Store{ObjectMeta: meta("a")}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the store is gone", func() bool { return apierrors.IsNotFound(c.Get(ctx, key, &Store{})) })
}
