package testserver

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// installCRDs creates the CRDs on a server other than patchlab, as envtest does, and
// waits until their resources are served.
func installCRDs(t testing.TB, cfg *rest.Config, paths []string) {
	t.Helper()
	if len(paths) == 0 {
		return
	}
	_, err := envtest.InstallCRDs(cfg, envtest.CRDInstallOptions{
		Paths:              paths,
		ErrorIfPathMissing: true,
		MaxTime:            20 * time.Second,
	})
	if err != nil && !apierrors.IsAlreadyExists(err) && context.Cause(t.Context()) == nil {
		t.Fatalf("installing CRDs from %v: %v", paths, err)
	}
}
