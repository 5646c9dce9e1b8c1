package patchlab_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab"
)

func TestTargetString(t *testing.T) {
	for _, c := range []struct {
		target patchlab.Target
		want   string
	}{
		{patchlab.Target{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}, "Deployment.apps web in namespace shop"},
		{patchlab.Target{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "système:a b"}, "ClusterRole.rbac.authorization.k8s.io système:a b"},
		{patchlab.Target{APIVersion: "v1", Kind: "ConfigMap\n", Namespace: "b\x1b[31m", Name: "a\nerror: none"}, `"ConfigMap\n" "a\nerror: none" in namespace "b\x1b[31m"`},
	} {
		if got := c.target.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
