// Package figures compares patchlab as a test server with client-go's fake clientset:
//
//	go test -bench . ./figures
package figures

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// BenchmarkStart measures the start of a server, its first response, and its shutdown.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := patchlabtest.New(patchlabtest.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := configMaps(b, s).Get(b.Context(), "none", metav1.GetOptions{}); err == nil {
			b.Fatal("an empty server has an object")
		}
		if err := s.Stop(); err != nil {
			b.Fatal(err)
		}
	}
}

func configMaps(b *testing.B, s *patchlabtest.Server) typed.ConfigMapInterface {
	b.Helper()
	c, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		b.Fatal(err)
	}
	return c.CoreV1().ConfigMaps("default")
}

// peers runs a benchmark on patchlab over HTTP and on the fake clientset.
func peers(b *testing.B, run func(b *testing.B, c typed.ConfigMapInterface)) {
	b.Run("patchlab", func(b *testing.B) {
		s, err := patchlabtest.New(patchlabtest.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Stop() })
		measure(b, configMaps(b, s), run)
	})
	b.Run("fake", func(b *testing.B) {
		measure(b, fake.NewClientset().CoreV1().ConfigMaps("default"), run)
	})
}

func measure(b *testing.B, c typed.ConfigMapInterface, run func(*testing.B, typed.ConfigMapInterface)) {
	run(b, c)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

func BenchmarkCreate(b *testing.B) {
	peers(b, func(b *testing.B, c typed.ConfigMapInterface) {
		i := 0
		for b.Loop() {
			i++
			if _, err := c.Create(context.Background(), configMap(fmt.Sprintf("cm-%d", i)), metav1.CreateOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	peers(b, func(b *testing.B, c typed.ConfigMapInterface) {
		m, err := c.Create(context.Background(), configMap("cm"), metav1.CreateOptions{})
		if err != nil {
			b.Fatal(err)
		}
		i := 0
		for b.Loop() {
			i++
			m.Data["a"] = fmt.Sprint(i)
			if m, err = c.Update(context.Background(), m, metav1.UpdateOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkApply(b *testing.B) {
	peers(b, func(b *testing.B, c typed.ConfigMapInterface) {
		i := 0
		for b.Loop() {
			i++
			cfg := coreapply.ConfigMap("cm", "default").WithData(map[string]string{"a": fmt.Sprint(i)})
			if _, err := c.Apply(context.Background(), cfg, metav1.ApplyOptions{FieldManager: "bench"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "bench"}}, Data: map[string]string{"a": "1", "b": "2"}}
}
