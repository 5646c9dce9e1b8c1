package patchlab_test

import (
	"errors"
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

// TestTargetOfUnknownKind: the error for a manifest whose kind is not registered names the object, so that a summary lists it
// by its name and not by its position.
func TestTargetOfUnknownKind(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lab.Apply(nil, patchlab.Bytes("{apiVersion: batch/v1beta1, kind: CronJob, metadata: {name: report, namespace: shop}}"), patchlab.ApplyOptions{FieldManager: "a"})
	var refused *patchlab.Error
	want := patchlab.Target{APIVersion: "batch/v1beta1", Kind: "CronJob", Namespace: "shop", Name: "report"}
	if !errors.As(err, &refused) || !errors.Is(err, patchlab.ErrNoKind) || refused.Target != want {
		t.Errorf("%v, want ErrNoKind for %v", err, want)
	}
}
