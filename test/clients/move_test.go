package clients

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestMoveFromUpdateToApply is the test of a controller that has updated a Deployment and now applies it: doc/migrate.md
// has its code. The former version set the variable OLD, which the configuration no longer has.
func TestMoveFromUpdateToApply(t *testing.T) {
	const manager = "web-controller"
	cfg := testserver.Start(t)
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	migrate := func(t *testing.T, object *appsv1.Deployment) {
		for again := range 2 {
			patch, err := csaupgrade.UpgradeManagedFieldsPatch(object, sets.New(manager), manager)
			if err != nil {
				t.Fatal(err)
			}
			if (patch == nil) != (again == 1) {
				t.Fatalf("patch %d is %s; only the first one has something to transfer", again, patch)
			}
			if patch == nil {
				return
			}
			if err := c.Patch(t.Context(), object, client.RawPatch(types.JSONPatchType, patch)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, test := range map[string]struct {
		migrated, forced, conflicts bool
		variables                   int // in the end
	}{
		"as it is":            {conflicts: true},
		"forced":              {forced: true, variables: 1},
		"migrated":            {migrated: true},
		"migrated and forced": {migrated: true, forced: true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, ns := t.Context(), testserver.Namespace(t, cfg)
			labels := map[string]string{"app": "web"}
			object := &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: ns},
				Spec: appsv1.DeploymentSpec{
					Selector: &metav1.LabelSelector{MatchLabels: labels},
					Template: corev1.PodTemplateSpec{
						ObjectMeta: metav1.ObjectMeta{Labels: labels},
						Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1", Env: []corev1.EnvVar{{Name: "OLD", Value: "1"}}}}},
					},
				},
			}
			if err := c.Create(ctx, object, client.FieldOwner(manager)); err != nil {
				t.Fatal(err)
			}
			if test.migrated {
				migrate(t, object)
			}
			options := []client.ApplyOption{client.FieldOwner(manager)}
			if test.forced {
				options = append(options, client.ForceOwnership)
			}
			wanted := webConfiguration(ns, "web:2")
			wanted.Spec.Replicas = nil
			err := c.Apply(ctx, wanted, options...)
			if apierrors.IsConflict(err) != test.conflicts {
				t.Fatalf("%v, want a conflict: %t", err, test.conflicts)
			}
			if test.conflicts {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got appsv1.Deployment
			if err := c.Get(ctx, client.ObjectKeyFromObject(object), &got); err != nil {
				t.Fatal(err)
			}
			if web := got.Spec.Template.Spec.Containers[0]; web.Image != "web:2" || len(web.Env) != test.variables {
				t.Errorf("image %s with the variables %v, want web:2 with %d", web.Image, web.Env, test.variables)
			}
		})
	}
}
