package clients

import (
	"context"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestFakeClientNeitherValidatesNorDefaults checks a statement of doc/tasks.md:
// controller-runtime's fake client accepts an invalid object and stores it without defaults.
func TestFakeClientNeitherValidatesNorDefaults(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	replicas := int32(-1)
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "shop"}, Spec: appsv1.DeploymentSpec{Replicas: &replicas}}
	if err := c.Create(context.Background(), d); err != nil {
		t.Fatalf("the fake client refuses -1 replicas without a selector: %v", err)
	}
	var stored appsv1.Deployment
	if err := c.Get(context.Background(), client.ObjectKeyFromObject(d), &stored); err != nil {
		t.Fatal(err)
	}
	if stored.Spec.Strategy.Type != "" || stored.Spec.RevisionHistoryLimit != nil {
		t.Errorf("the fake client fills in defaults: %+v", stored.Spec)
	}
}

// TestFakeClientConflictFields checks that conflicts of controller-runtime's fake client
// name the manager and the field.
func TestFakeClientConflictFields(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	apply := func(manager, value string) error {
		return c.Apply(context.Background(), v1.ConfigMap("a", "shop").WithData(map[string]string{"k": value}), client.FieldOwner(manager))
	}
	if err := apply("one", "1"); err != nil {
		t.Fatal(err)
	}
	err := apply("two", "2")
	if !apierrors.IsConflict(err) {
		t.Fatalf("%v, want a conflict", err)
	}
	status, _ := err.(apierrors.APIStatus)
	if status == nil || len(status.Status().Details.Causes) != 1 {
		t.Fatalf("%#v", err)
	}
	cause := status.Status().Details.Causes[0]
	if cause.Field != ".data.k" || !strings.Contains(cause.Message, `"one"`) {
		t.Errorf("%+v", cause)
	}
	var stored corev1.ConfigMap
	if err := c.Get(context.Background(), client.ObjectKey{Namespace: "shop", Name: "a"}, &stored); err != nil || stored.Data["k"] != "1" {
		t.Errorf("%v, %v", stored.Data, err)
	}
}
