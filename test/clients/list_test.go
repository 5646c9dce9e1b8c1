package clients

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestPagesShowOneConsistentSnapshot lists in pages during concurrent writes. All pages must show
// the state at the resourceVersion of the first.
func TestPagesShowOneConsistentSnapshot(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	c := kubernetes.NewForConfigOrDie(cfg)
	const objects, limit = 120, 10
	for i := range objects {
		if _, err := c.CoreV1().ConfigMaps(ns).Create(t.Context(), configMap(fmt.Sprintf("m%03d", i), "0"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}

	var g sync.WaitGroup
	stop := make(chan struct{})
	defer func() { close(stop); g.Wait() }()
	for w := range 3 {
		g.Go(func() {
			r := rand.New(rand.NewPCG(11, uint64(w)))
			for {
				select {
				case <-stop:
					return
				default:
					writeAtRandom(t, c, ns, r, 5, objects+20)
				}
			}
		})
	}
	for range 5 {
		items, rv := listInPages(t, c, ns, limit)
		whole, err := c.CoreV1().ConfigMaps(ns).List(t.Context(), metav1.ListOptions{
			ResourceVersion:      rv,
			ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		})
		if err != nil {
			t.Fatal(err)
		}
		samePlaces(t, items, whole.Items)
	}
}

// listInPages lists page by page. It returns all items and the resourceVersion, which
// must be the same in every page.
func listInPages(t *testing.T, c kubernetes.Interface, ns string, limit int64) ([]corev1.ConfigMap, string) {
	t.Helper()
	var items []corev1.ConfigMap
	opts := metav1.ListOptions{Limit: limit}
	rv := ""
	for {
		page, err := c.CoreV1().ConfigMaps(ns).List(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		if rv != "" && page.ResourceVersion != rv {
			t.Errorf("a page is of version %s, the first was of %s", page.ResourceVersion, rv)
		}
		rv = page.ResourceVersion
		items = append(items, page.Items...)
		if page.Continue == "" {
			return items, rv
		}
		if int64(len(page.Items)) != limit {
			t.Errorf("a page that is not the last has %d items, want %d", len(page.Items), limit)
		}
		if page.RemainingItemCount == nil {
			t.Error("a page before the last has no remainingItemCount")
		}
		opts.Continue = page.Continue
	}
}

func samePlaces(t *testing.T, pages, whole []corev1.ConfigMap) {
	t.Helper()
	if len(pages) != len(whole) {
		t.Fatalf("the pages hold %d items, the whole list of that version %d", len(pages), len(whole))
	}
	for i := range whole {
		if pages[i].Name != whole[i].Name || pages[i].ResourceVersion != whole[i].ResourceVersion {
			t.Errorf("item %d: the pages have %s at %s, the whole list has %s at %s",
				i, pages[i].Name, pages[i].ResourceVersion, whole[i].Name, whole[i].ResourceVersion)
		}
	}
}
