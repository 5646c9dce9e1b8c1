package testserver

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

func startPatchlab(t testing.TB, crds []string) *rest.Config {
	t.Helper()
	// The expectations of these tests are those of an API server without controllers.
	return patchlabtest.StartWith(t, patchlabtest.Options{CRDs: crds, NoControllers: true}).Config()
}
