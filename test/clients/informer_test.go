package clients

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// TestInformersConvergeToList runs a typed, a dynamic and a metadata informer during
// thousands of concurrent writes. Afterwards each holds exactly the objects and versions of a
// list, and has received the versions of each object in order.
func TestInformersConvergeToList(t *testing.T) {
	cfg := testserver.Start(t)
	c := kubernetes.NewForConfigOrDie(cfg)
	ns := testserver.Namespace(t, cfg)

	seen := startInformers(t, cfg, ns)
	const writers, writes, names = 8, 500, 60
	var g sync.WaitGroup
	for w := range writers {
		g.Go(func() { writeAtRandom(t, c, ns, rand.New(rand.NewPCG(7, uint64(w))), writes, names) })
	}
	g.Wait()

	list, err := c.CoreV1().ConfigMaps(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, m := range list.Items {
		want[m.Name] = m.ResourceVersion
	}
	if len(want) == 0 {
		t.Fatal("no object is left to compare")
	}
	for kind, o := range seen {
		if diff := o.settle(want); diff != "" {
			t.Errorf("the %s informer differs from a list of %d objects: %s", kind, len(want), diff)
		}
		o.mu.Lock()
		for _, e := range o.outOfOrder {
			t.Errorf("the %s informer: %s", kind, e)
		}
		t.Logf("the %s informer received %d events for %d writes", kind, o.events, writers*writes)
		o.mu.Unlock()
	}
}

// startInformers starts a typed, a dynamic and a metadata informer and waits for their
// initial lists.
func startInformers(t *testing.T, cfg *rest.Config, ns string) map[string]*observer {
	t.Helper()
	typed := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(cfg), 0, informers.WithNamespace(ns))
	dyn := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(cfg), 0, ns, nil)
	md := metadatainformer.NewFilteredSharedInformerFactory(metadata.NewForConfigOrDie(cfg), 0, ns, nil)
	all := map[string]cache.SharedIndexInformer{
		"typed":    typed.Core().V1().ConfigMaps().Informer(),
		"dynamic":  dyn.ForResource(configMaps).Informer(),
		"metadata": md.ForResource(configMaps).Informer(),
	}
	seen := map[string]*observer{}
	for kind, inf := range all {
		o := &observer{store: inf.GetStore(), last: map[string]uint64{}}
		if _, err := inf.AddEventHandler(o); err != nil {
			t.Fatal(err)
		}
		seen[kind] = o
	}
	ctx := t.Context()
	typed.Start(ctx.Done())
	dyn.Start(ctx.Done())
	md.Start(ctx.Done())
	for kind, inf := range all {
		if !cache.WaitForCacheSync(ctx.Done(), inf.HasSynced) {
			t.Fatalf("the %s informer has not synced", kind)
		}
	}
	return seen
}

// writeAtRandom creates, updates, patches and deletes ConfigMaps that other writers write,
// too; conflicts are expected.
func writeAtRandom(t *testing.T, c kubernetes.Interface, ns string, r *rand.Rand, writes, names int) {
	m := c.CoreV1().ConfigMaps(ns)
	for i := range writes {
		name := fmt.Sprintf("m%03d", r.IntN(names))
		err := error(nil)
		switch r.IntN(5) {
		case 0:
			err = m.Delete(t.Context(), name, metav1.DeleteOptions{})
		case 1, 2:
			_, err = m.Create(t.Context(), configMap(name, strconv.Itoa(i)), metav1.CreateOptions{})
		case 3:
			p := fmt.Sprintf(`{"data":{"a":"%d"}}`, r.IntN(1000))
			_, err = m.Patch(t.Context(), name, types.MergePatchType, []byte(p), metav1.PatchOptions{})
		case 4:
			_, err = m.Update(t.Context(), configMap(name, strconv.Itoa(i)), metav1.UpdateOptions{})
		}
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			t.Errorf("a write of %s: %v", name, err)
			return
		}
	}
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"a": value}}
}

// observer records an informer's events and checks that each object's versions increase.
type observer struct {
	store      cache.Store
	mu         sync.Mutex
	events     int
	last       map[string]uint64
	outOfOrder []string
}

func (o *observer) OnAdd(obj any, _ bool) { o.note(obj) }
func (o *observer) OnUpdate(_, obj any)   { o.note(obj) }
func (o *observer) OnDelete(any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events++
}

func (o *observer) note(obj any) {
	a, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	rv, err := strconv.ParseUint(a.GetResourceVersion(), 10, 64)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events++
	if err != nil || rv <= o.last[a.GetName()] {
		o.outOfOrder = append(o.outOfOrder, fmt.Sprintf("%s at version %q after version %d", a.GetName(), a.GetResourceVersion(), o.last[a.GetName()]))
	}
	o.last[a.GetName()] = rv
}

// settle waits until the informer's store holds want, name to version. If it never does, it
// returns the difference.
func (o *observer) settle(want map[string]string) (diff string) {
	_ = wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) {
		diff = ""
		objs := o.store.List()
		if len(objs) != len(want) {
			diff = fmt.Sprintf("it holds %d objects", len(objs))
		}
		for _, obj := range objs {
			a, err := meta.Accessor(obj)
			if err != nil {
				return false, err
			}
			if want[a.GetName()] != a.GetResourceVersion() {
				diff = fmt.Sprintf("%s is at version %s, listed at %q", a.GetName(), a.GetResourceVersion(), want[a.GetName()])
			}
		}
		return diff == "", nil
	})
	return diff
}
