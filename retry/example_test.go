package retry_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/patchlabtest"
	"github.com/patchlab-dev/patchlab/retry"
)

// configMaps returns a client of a test server and an object. If PATCHLAB_TEST_SERVER is
// the URL of an API server and PATCHLAB_TEST_TOKEN a bearer token for it, the client uses
// that server.
func configMaps() (typedv1.ConfigMapInterface, func()) {
	ctx := context.Background()
	config, stop := &rest.Config{
		Host: os.Getenv("PATCHLAB_TEST_SERVER"), BearerToken: os.Getenv("PATCHLAB_TEST_TOKEN"), QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
	}, func() {}
	if config.Host == "" {
		server, err := patchlabtest.New(patchlabtest.Options{})
		if err != nil {
			log.Fatal(err)
		}
		config, stop = server.Config(), func() { _ = server.Stop() }
	}
	client := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	if err := client.Delete(ctx, "counter", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		log.Fatal(err)
	}
	_, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "counter"}, Data: map[string]string{"n": "0"}}, metav1.CreateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return client, func() {
		_ = client.Delete(ctx, "counter", metav1.DeleteOptions{})
		stop()
	}
}

// Ten writers increment one number. Each writes what it has read plus one and reads again
// after a conflict, so that no increment is lost.
func ExampleUpdate() {
	client, stop := configMaps()
	defer stop()
	ctx := context.Background()
	errs := retry.Batch(ctx, make([]struct{}, 10), 10, func(ctx context.Context, _ struct{}) error {
		_, err := retry.Update(ctx, retry.Policy{Attempts: 100},
			func(ctx context.Context) (*corev1.ConfigMap, error) {
				return client.Get(ctx, "counter", metav1.GetOptions{})
			},
			func(c *corev1.ConfigMap) error {
				n, err := strconv.Atoi(c.Data["n"])
				c.Data["n"] = strconv.Itoa(n + 1)
				return err
			},
			func(ctx context.Context, c *corev1.ConfigMap) (*corev1.ConfigMap, error) {
				return client.Update(ctx, c, metav1.UpdateOptions{})
			})
		return err
	}, nil)
	for _, err := range errs {
		if err != nil {
			fmt.Println(err)
		}
	}
	c, err := client.Get(ctx, "counter", metav1.GetOptions{})
	fmt.Println(c.Data["n"], err)
	// Output: 10 <nil>
}

// A decision based on one version of an object is not applied to another.
func ExampleCompareAndSwap() {
	client, stop := configMaps()
	defer stop()
	ctx := context.Background()
	put := func(ctx context.Context, c *corev1.ConfigMap) (*corev1.ConfigMap, error) {
		return client.Update(ctx, c, metav1.UpdateOptions{})
	}
	c, err := client.Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		log.Fatal(err)
	}
	decided := c.ResourceVersion
	c.Data["n"] = "1"
	_, err = retry.CompareAndSwap(ctx, retry.Policy{}, decided, c, put)
	fmt.Println("first:", err)
	c.Data["n"] = "2"
	_, err = retry.CompareAndSwap(ctx, retry.Policy{}, decided, c, put)
	fmt.Println("second is a conflict:", apierrors.IsConflict(err))
	// Output:
	// first: <nil>
	// second is a conflict: true
}

// A policy determines which errors are retried.
func ExamplePolicy_Do() {
	calls := 0
	p := retry.Policy{OnRetry: func(a retry.Attempt) { fmt.Println("again after", a.Kind) }}
	err := p.Do(context.Background(), func(context.Context) error {
		if calls++; calls < 3 {
			return apierrors.NewConflict(maps, "a", nil)
		}
		return nil
	})
	fmt.Println(calls, err)
	// Output:
	// again after conflict
	// again after conflict
	// 3 <nil>
}

// Each item has its own error.
func ExampleBatch() {
	names := []string{"a", "b", "c"}
	errs := retry.Batch(context.Background(), names, 2, func(_ context.Context, name string) error {
		if name == "b" {
			return apierrors.NewNotFound(maps, name)
		}
		return nil
	}, nil)
	for i, err := range errs {
		fmt.Println(names[i], err)
	}
	// Output:
	// a <nil>
	// b configmaps "b" not found
	// c <nil>
}

// A controller has processed an object once status.observedGeneration is the object's
// generation.
func ExampleObserved() {
	object := &metav1.ObjectMeta{Generation: 3}
	fmt.Println(retry.Observed(object, 2), retry.Observed(object, 3))
	// Output: false true
}

// A cached version saves a read before a write.
func ExampleVersions() {
	seen := retry.NewVersions[string](1000, 0, nil)
	seen.Put("default/counter", "42")
	version, _, ok := seen.Get("default/counter")
	fmt.Println(version, ok)
	// Output: 42 true
}
