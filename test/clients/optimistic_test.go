package clients

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

const counter = "counter"

// TestLabelCounter has writers read a Deployment's label, increment it and write it back;
// without optimistic concurrency updates would be lost.
func TestLabelCounter(t *testing.T) {
	cfg := testserver.Start(t)
	c := kubernetes.NewForConfigOrDie(cfg)
	ns := testserver.Namespace(t, cfg)

	for _, writers := range []int{5, 50} {
		// A writer conflicts at most once with each write of the others, so as many
		// attempts as there are writers suffice.
		enough := wait.Backoff{Steps: writers, Duration: time.Millisecond, Factor: 1.1, Jitter: 0.5, Cap: 20 * time.Millisecond}
		cases := []struct {
			name    string
			why     string
			write   func(add func() error) error
			allDone bool
		}{
			{"without-retry", "a conflict is returned to the writer, and its increment is not stored",
				func(add func() error) error { return add() }, false},
			{"default-retry", "the default has five steps: enough for five writers, not always for fifty",
				func(add func() error) error { return retry.RetryOnConflict(retry.DefaultRetry, add) }, writers <= retry.DefaultRetry.Steps},
			{"default-backoff", "the default for contended objects has four steps that grow",
				func(add func() error) error { return retry.RetryOnConflict(retry.DefaultBackoff, add) }, false},
			{"custom-backoff", "with a step for each writer every write succeeds",
				func(add func() error) error { return retry.RetryOnConflict(enough, add) }, true},
		}
		for _, k := range cases {
			t.Run(strconv.Itoa(writers)+"-writers/"+k.name, func(t *testing.T) {
				name := k.name + "-" + strconv.Itoa(writers)
				createCounter(t, c, ns, name)
				var done, tries atomic.Int64
				var g sync.WaitGroup
				for range writers {
					g.Go(func() {
						err := k.write(func() error { tries.Add(1); return addOne(t.Context(), c, ns, name) })
						switch {
						case err == nil:
							done.Add(1)
						case !apierrors.IsConflict(err):
							t.Errorf("a writer got %v, want no error or a conflict", err)
						}
					})
				}
				g.Wait()
				if got := readCounter(t, c, ns, name); got != done.Load() {
					t.Errorf("the label is %d after %d successful writes", got, done.Load())
				}
				if k.allDone && done.Load() != int64(writers) {
					t.Errorf("%d of %d writers succeeded; %s", done.Load(), writers, k.why)
				}
				t.Logf("%d of %d writers succeeded in %d tries", done.Load(), writers, tries.Load())
			})
		}
	}
}

// TestConflictForEveryOtherWriter has all writers read the same version before the
// first write. Exactly one write must succeed, and all others must be rejected with a
// conflict.
func TestConflictForEveryOtherWriter(t *testing.T) {
	cfg := testserver.Start(t)
	c := kubernetes.NewForConfigOrDie(cfg)
	ns := testserver.Namespace(t, cfg)
	for _, writers := range []int{5, 50} {
		t.Run(strconv.Itoa(writers)+"-writers", func(t *testing.T) {
			name := "barrier-" + strconv.Itoa(writers)
			createCounter(t, c, ns, name)
			var won, conflicts atomic.Int64
			var read, g sync.WaitGroup
			read.Add(writers)
			for range writers {
				g.Go(func() {
					d, err := c.AppsV1().Deployments(ns).Get(t.Context(), name, metav1.GetOptions{})
					read.Done()
					if err != nil {
						t.Error(err)
						return
					}
					read.Wait()
					bump(d)
					_, err = c.AppsV1().Deployments(ns).Update(t.Context(), d, metav1.UpdateOptions{})
					switch {
					case err == nil:
						won.Add(1)
					case apierrors.IsConflict(err):
						conflicts.Add(1)
					default:
						t.Errorf("a writer got %v", err)
					}
				})
			}
			g.Wait()
			if won.Load() != 1 || conflicts.Load() != int64(writers-1) {
				t.Errorf("%d writers of one version: %d succeeded and %d conflicted, want 1 and %d", writers, won.Load(), conflicts.Load(), writers-1)
			}
			if got := readCounter(t, c, ns, name); got != 1 {
				t.Errorf("the label is %d, want 1", got)
			}
		})
	}
}

func createCounter(t *testing.T, c kubernetes.Interface, ns, name string) {
	t.Helper()
	d := deployment(name, 1)
	d.Labels = map[string]string{counter: "0"}
	if _, err := c.AppsV1().Deployments(ns).Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func bump(d *appsv1.Deployment) {
	n, _ := strconv.Atoi(d.Labels[counter])
	d.Labels[counter] = strconv.Itoa(n + 1)
}

func addOne(ctx context.Context, c kubernetes.Interface, ns, name string) error {
	d, err := c.AppsV1().Deployments(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	bump(d)
	_, err = c.AppsV1().Deployments(ns).Update(ctx, d, metav1.UpdateOptions{})
	return err
}

func readCounter(t *testing.T, c kubernetes.Interface, ns, name string) int64 {
	t.Helper()
	d, err := c.AppsV1().Deployments(ns).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(d.Labels[counter], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// deployment returns a Deployment with only the required fields and replicas.
func deployment(name string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
			},
		},
	}
}
