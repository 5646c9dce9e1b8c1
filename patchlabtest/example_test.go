package patchlabtest_test

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// Start is the only call a test needs:
//
//	func TestReconcile(t *testing.T) {
//		cfg := patchlabtest.Start(t, "config/crd")
//		mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
//		…
//	}
func ExampleStart() {
	// An example has no testing.TB, so it creates and stops the server itself.
	s, err := patchlabtest.New(patchlabtest.Options{CRDs: []string{"testdata/crds"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	ctx := context.Background()
	c := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default")

	first := coreapply.ConfigMap("settings", "default").WithData(map[string]string{"level": "info"})
	if _, err := c.Apply(ctx, first, metav1.ApplyOptions{FieldManager: "ops"}); err != nil {
		fmt.Println(err)
		return
	}
	second := coreapply.ConfigMap("settings", "default").WithData(map[string]string{"level": "debug"})
	_, err = c.Apply(ctx, second, metav1.ApplyOptions{FieldManager: "dev"})
	fmt.Println(apierrors.IsConflict(err))
	fmt.Println(err)
	// Output:
	// true
	// Apply failed with 1 conflict: conflict with "ops": .data.level
}
