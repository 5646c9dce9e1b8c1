package clients

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

const finalizer = "clients.patchlab.example/content"

// siteReconciler maintains a ConfigMap with the message of each Site and reports what
// it observed in the status.
type siteReconciler struct {
	client.Client
	events events.EventRecorder
	mu     sync.Mutex
	runs   map[string]int
}

func (r *siteReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.mu.Lock()
	r.runs[req.Name]++
	r.mu.Unlock()
	var s Site
	if err := r.Get(ctx, req.NamespacedName, &s); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !s.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finish(ctx, &s)
	}
	if !controllerutil.ContainsFinalizer(&s, finalizer) {
		before := s.DeepCopyObject().(*Site)
		controllerutil.AddFinalizer(&s, finalizer)
		if err := r.Patch(ctx, &s, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, err
		}
	}
	content := coreapply.ConfigMap(s.Name, s.Namespace).
		WithOwnerReferences(metaapply.OwnerReference().WithAPIVersion(sites.GroupVersion().String()).WithKind("Site").
			WithName(s.Name).WithUID(s.UID).WithController(true).WithBlockOwnerDeletion(true)).
		WithData(map[string]string{"message": s.Spec.Message})
	if err := r.Apply(ctx, content, client.FieldOwner("site-controller"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	if s.Status.ObservedGeneration == s.Generation {
		return ctrl.Result{}, nil
	}
	r.events.Eventf(&s, nil, corev1.EventTypeNormal, "Rendered", "Render", "generation %d", s.Generation)
	s.Status = SiteStatus{ObservedGeneration: s.Generation, Replicas: s.Spec.Replicas, Phase: "Ready"}
	return ctrl.Result{}, r.Status().Update(ctx, &s)
}

// finish deletes the ConfigMap of a Site and removes the Site's finalizer.
func (r *siteReconciler) finish(ctx context.Context, s *Site) error {
	content := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: s.Namespace}}
	if err := client.IgnoreNotFound(r.Delete(ctx, content)); err != nil {
		return err
	}
	if !controllerutil.RemoveFinalizer(s, finalizer) {
		return nil
	}
	return r.Update(ctx, s)
}

func (r *siteReconciler) count(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[name]
}

// managed is a running manager with helpers for the tests.
type managed struct {
	*siteReconciler
	t  *testing.T
	ns string
}

// startManager runs a manager until the test ends. Its controller reconciles on changes
// of generation and of owned objects.
func startManager(t *testing.T) *managed {
	t.Helper()
	ctrl.SetLogger(logr.Discard())
	cfg := testserver.Start(t, crdDir)
	ns := testserver.Namespace(t, cfg)
	yes := true
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:     siteScheme(),
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{ns: {}}},
		Controller: config.Controller{SkipNameValidation: &yes},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &siteReconciler{Client: mgr.GetClient(), events: mgr.GetEventRecorder("site-controller"), runs: map[string]int{}}
	err = ctrl.NewControllerManagedBy(mgr).
		For(&Site{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		Complete(r)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the manager ended with %v", err)
		}
	})
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the manager's cache has not synced")
	}
	return &managed{r, t, ns}
}

func (m *managed) key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: m.ns, Name: name}
}

func (m *managed) create(name, message string) {
	m.t.Helper()
	s := &Site{ObjectMeta: metav1.ObjectMeta{Namespace: m.ns, Name: name}, Spec: SiteSpec{Replicas: 1, Message: message}}
	if err := m.Create(m.t.Context(), s); err != nil {
		m.t.Fatal(err)
	}
}

// change changes a Site's spec, with retries on conflict.
func (m *managed) change(name, message string) {
	m.t.Helper()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		var s Site
		if err := m.Get(m.t.Context(), m.key(name), &s); err != nil {
			return err
		}
		s.Spec.Message = message
		return m.Update(m.t.Context(), &s)
	})
	if err != nil {
		m.t.Errorf("changing %s: %v", name, err)
	}
}

// eventually calls ready until it returns "". At the timeout it fails the test with the
// last result.
func (m *managed) eventually(ready func() string) {
	m.t.Helper()
	last := ""
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if last = ready(); last == "" {
			return
		}
	}
	m.t.Fatal(last)
}

// rendered describes how a Site's content and status differ from those for message.
func (m *managed) rendered(name, message string) string {
	var s Site
	if err := m.Get(m.t.Context(), m.key(name), &s); err != nil {
		return err.Error()
	}
	if s.Status.ObservedGeneration != s.Generation || s.Status.Phase != "Ready" {
		return fmt.Sprintf("%s: status %+v at generation %d", name, s.Status, s.Generation)
	}
	var content corev1.ConfigMap
	if err := m.Get(m.t.Context(), m.key(name), &content); err != nil {
		return err.Error()
	}
	if content.Data["message"] != message {
		return fmt.Sprintf("%s: content %q, want %q", name, content.Data["message"], message)
	}
	return ""
}

func (m *managed) gone(name string) string {
	for _, o := range []client.Object{&Site{}, &corev1.ConfigMap{}} {
		if err := m.Get(m.t.Context(), m.key(name), o); !apierrors.IsNotFound(err) {
			return fmt.Sprintf("the %T %s is still there (%v)", o, name, err)
		}
	}
	return ""
}

// TestManagerReconciles creates twenty sites, changes them concurrently, introduces
// drift and deletes them.
func TestManagerReconciles(t *testing.T) {
	m := startManager(t)
	const n = 20
	name := func(i int) string { return fmt.Sprintf("site-%02d", i) }
	for i := range n {
		m.create(name(i), "first")
	}
	for i := range n {
		m.eventually(func() string { return m.rendered(name(i), "first") })
	}
	var g sync.WaitGroup
	for i := range n {
		g.Go(func() {
			for j := range 5 {
				m.change(name(i), fmt.Sprintf("change %d", j))
			}
		})
	}
	g.Wait()
	for i := range n {
		m.eventually(func() string { return m.rendered(name(i), "change 4") })
	}

	drift := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: m.ns, Name: name(3)}}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"message":"drifted","extra":"kept"}}`))
	if err := m.Patch(t.Context(), drift, patch); err != nil {
		t.Fatal(err)
	}
	// The manager's cache may be older than the drift. Only the reconciled object has
	// both the extra key and the right message.
	m.eventually(func() string {
		var content corev1.ConfigMap
		if err := m.Get(t.Context(), m.key(name(3)), &content); err != nil {
			return err.Error()
		}
		if content.Data["extra"] != "kept" || content.Data["message"] != "change 4" {
			return fmt.Sprintf("after the drift the content is %v", content.Data)
		}
		return ""
	})

	for i := range n {
		if err := m.Delete(t.Context(), &Site{ObjectMeta: metav1.ObjectMeta{Namespace: m.ns, Name: name(i)}}); err != nil {
			t.Error(err)
		}
	}
	for i := range n {
		m.eventually(func() string { return m.gone(name(i)) })
	}
	m.eventually(m.recorded)
}

// recorded describes which of the controller's events are missing on the server.
func (m *managed) recorded() string {
	var list eventsv1.EventList
	if err := m.List(m.t.Context(), &list, client.InNamespace(m.ns)); err != nil {
		return err.Error()
	}
	if len(list.Items) == 0 {
		return "the server has no event of the controller's"
	}
	return ""
}

// TestGenerationPredicate changes a status and a label. Neither changes the generation,
// so the controller must not reconcile.
func TestGenerationPredicate(t *testing.T) {
	m := startManager(t)
	m.create("watched", "hello")
	m.create("fence", "0")
	m.eventually(func() string { return m.rendered("watched", "hello") })
	m.passFence("1")
	before := m.count("watched")

	watched := &Site{ObjectMeta: metav1.ObjectMeta{Namespace: m.ns, Name: "watched"}}
	if err := m.Status().Patch(t.Context(), watched, client.RawPatch(types.MergePatchType, []byte(`{"status":{"phase":"Degraded"}}`))); err != nil {
		t.Fatal(err)
	}
	if err := m.Patch(t.Context(), watched, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`))); err != nil {
		t.Fatal(err)
	}
	m.passFence("2")
	if after := m.count("watched"); after != before {
		t.Errorf("the controller ran %d times for a change of status and label", after-before)
	}
	m.change("watched", "bye")
	m.eventually(func() string {
		if m.count("watched") == before {
			return "the controller never ran for a change of spec"
		}
		return ""
	})
}

// passFence waits until the controller has processed all events of its two informers: it makes
// a change of each kind and waits until both have been handled.
func (m *managed) passFence(message string) {
	m.t.Helper()
	m.change("fence", message)
	m.eventually(func() string { return m.rendered("fence", message) })
	content := &corev1.ConfigMap{}
	if err := m.Get(m.t.Context(), m.key("fence"), content); err != nil {
		m.t.Fatal(err)
	}
	uid := content.UID
	if err := m.Delete(m.t.Context(), content); err != nil {
		m.t.Fatal(err)
	}
	m.eventually(func() string {
		if err := m.Get(m.t.Context(), m.key("fence"), content); err != nil {
			return err.Error()
		}
		if content.UID == uid {
			return "the fence's content was not made again"
		}
		return ""
	})
}
