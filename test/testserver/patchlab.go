package testserver

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

func startPatchlab(t testing.TB, crds []string) *rest.Config {
	t.Helper()
	return patchlabtest.Start(t, crds...)
}
