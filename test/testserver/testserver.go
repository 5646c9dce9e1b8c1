// Package testserver provides the API server for the tests of this module.
package testserver

import (
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// The environment variables that select the API server. By default the tests run
// against patchlab. With EnvServer set to the URL of another API server, and EnvToken
// to a bearer token, they run against that one; a failure there shows an expectation
// that Kubernetes does not meet.
const (
	EnvServer = "PATCHLAB_TEST_SERVER"
	EnvToken  = "PATCHLAB_TEST_TOKEN"
)

// Foreign reports whether the tests run against a server other than patchlab.
func Foreign() bool { return os.Getenv(EnvServer) != "" }

// Start returns the config of a server in which the CRDs of the given files and folders are
// established. A patchlab server is new, and stops at the end of the test.
func Start(t testing.TB, crds ...string) *rest.Config {
	t.Helper()
	if !Foreign() {
		return startPatchlab(t, crds)
	}
	cfg := &rest.Config{
		Host:            os.Getenv(EnvServer),
		BearerToken:     os.Getenv(EnvToken),
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		QPS:             -1,
	}
	installCRDs(t, cfg, crds)
	return cfg
}

// Namespace creates a namespace for the test and returns its name.
func Namespace(t testing.TB, cfg *rest.Config) string {
	t.Helper()
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ns, err := c.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("creating a namespace: %v", err)
	}
	return ns.Name
}
