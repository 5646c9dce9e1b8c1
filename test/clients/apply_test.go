package clients

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/csaupgrade"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

func webConfiguration(ns, image string) *appsapply.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "web"}
	return appsapply.Deployment("web", ns).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(2).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).
			WithSpec(coreapply.PodSpec().WithContainers(
				coreapply.Container().WithName("web").WithImage(image).WithPorts(coreapply.ContainerPort().WithContainerPort(80)),
			))))
}

// TestExtractModifyApply extracts the applied configuration from the live object,
// modifies it and applies it again. Fields removed from the configuration are pruned;
// fields of other managers stay.
func TestExtractModifyApply(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	ctx := t.Context()
	c := kubernetes.NewForConfigOrDie(cfg).AppsV1().Deployments(ns)
	mine := metav1.ApplyOptions{FieldManager: "mine"}

	if _, err := c.Apply(ctx, webConfiguration(ns, "web:1"), mine); err != nil {
		t.Fatal(err)
	}
	sidecar := appsapply.Deployment("web", ns).WithSpec(appsapply.DeploymentSpec().WithTemplate(coreapply.PodTemplateSpec().
		WithSpec(coreapply.PodSpec().WithContainers(coreapply.Container().WithName("side").WithImage("side:1")))))
	live, err := c.Apply(ctx, sidecar, metav1.ApplyOptions{FieldManager: "injector"})
	if err != nil {
		t.Fatal(err)
	}

	extracted, err := appsapply.ExtractDeployment(live, "mine")
	if err != nil {
		t.Fatal(err)
	}
	cs := extracted.Spec.Template.Spec.Containers
	if len(cs) != 1 || *cs[0].Name != "web" || *cs[0].Image != "web:1" || len(cs[0].Ports) != 1 {
		t.Fatalf("extracted containers %+v, want the one applied", cs)
	}
	extracted.Spec.Replicas = nil
	cs[0].WithImage("web:2").Ports = nil
	live, err = c.Apply(ctx, extracted, mine)
	if err != nil {
		t.Fatal(err)
	}
	if *live.Spec.Replicas != 1 {
		t.Errorf("replicas after their only owner removed them are %d, want the default 1", *live.Spec.Replicas)
	}
	got := map[string]corev1.Container{}
	for _, c := range live.Spec.Template.Spec.Containers {
		got[c.Name] = c
	}
	if got["web"].Image != "web:2" || len(got["web"].Ports) != 0 || got["side"].Image != "side:1" {
		t.Errorf("containers after the second apply are %+v", got)
	}
	same, err := c.Apply(ctx, extracted, mine)
	if err != nil || same.ResourceVersion != live.ResourceVersion {
		t.Errorf("the same configuration applied again has version %s, before %s, %v", same.ResourceVersion, live.ResourceVersion, err)
	}
}

// TestApplyConflictIsData checks that the causes of a conflict error name each field
// and its manager.
func TestApplyConflictIsData(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	ctx := t.Context()
	c := kubernetes.NewForConfigOrDie(cfg).AppsV1().Deployments(ns)
	if _, err := c.Apply(ctx, webConfiguration(ns, "web:1"), metav1.ApplyOptions{FieldManager: "first"}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Apply(ctx, webConfiguration(ns, "web:2"), metav1.ApplyOptions{FieldManager: "second"})
	var status apierrors.APIStatus
	if !apierrors.IsConflict(err) || !errors.As(err, &status) {
		t.Fatalf("got %v, want a conflict", err)
	}
	want := metav1.StatusCause{
		Type:    metav1.CauseTypeFieldManagerConflict,
		Message: `conflict with "first"`,
		Field:   `.spec.template.spec.containers[name="web"].image`,
	}
	if causes := status.Status().Details.Causes; !slices.Equal(causes, []metav1.StatusCause{want}) {
		t.Errorf("causes are %+v, want %+v", causes, want)
	}
	forced, err := c.Apply(ctx, webConfiguration(ns, "web:2"), metav1.ApplyOptions{FieldManager: "second", Force: true})
	if err != nil || forced.Spec.Template.Spec.Containers[0].Image != "web:2" {
		t.Errorf("forced: %v, %v", forced, err)
	}
}

// TestApplyStatus applies and extracts a configuration through the status subresource.
func TestApplyStatus(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	ctx := t.Context()
	c := kubernetes.NewForConfigOrDie(cfg).AppsV1().Deployments(ns)
	if _, err := c.Apply(ctx, webConfiguration(ns, "web:1"), metav1.ApplyOptions{FieldManager: "mine"}); err != nil {
		t.Fatal(err)
	}
	status := appsapply.Deployment("web", ns).WithStatus(appsapply.DeploymentStatus().WithReplicas(2).WithObservedGeneration(1))
	live, err := c.ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: "controller"})
	if err != nil {
		t.Fatal(err)
	}
	if live.Status.Replicas != 2 || live.Generation != 1 {
		t.Errorf("status.replicas %d at generation %d, want 2 at 1", live.Status.Replicas, live.Generation)
	}
	back, err := appsapply.ExtractDeploymentStatus(live, "controller")
	if err != nil || back.Status == nil || *back.Status.Replicas != 2 || back.Spec != nil {
		t.Errorf("extracted %+v, %v", back, err)
	}
}

// TestMigrateFromClientSideApply migrates the fields of a client-side apply to
// server-side apply with the patch that client-go's csaupgrade generates.
func TestMigrateFromClientSideApply(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	ctx := t.Context()
	c := kubernetes.NewForConfigOrDie(cfg).CoreV1().ConfigMaps(ns)
	old := configMap("one", "1")
	old.Data["b"] = "2"
	live, err := c.Create(ctx, old, metav1.CreateOptions{FieldManager: "kubectl-client-side-apply"})
	if err != nil {
		t.Fatal(err)
	}
	if err := csaupgrade.UpgradeManagedFields(live, sets.New("kubectl-client-side-apply"), "kubectl"); err != nil {
		t.Fatal(err)
	}
	if _, err = c.Update(ctx, live, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	next := coreapply.ConfigMap("one", ns).WithData(map[string]string{"a": "1"})
	if live, err = c.Apply(ctx, next, metav1.ApplyOptions{FieldManager: "kubectl"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := live.Data["b"]; ok || live.Data["a"] != "1" {
		t.Errorf("data is %v, want b pruned", live.Data)
	}
}
