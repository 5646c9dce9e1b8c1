package testserver

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

func startPatchlab(t testing.TB, crds []string) *rest.Config {
	t.Helper()
	// What these tests expect was said by an API server alone.
	return patchlabtest.StartWith(t, patchlabtest.Options{CRDs: crds, NoControllers: true}).Config()
}
