// Typed objects as input and output: a change to a Deployment read by a client.
package main

import (
	"fmt"
	"log"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/clientobject"
)

func main() {
	scheme := runtime.NewScheme() // client-go's scheme.Scheme has all kinds
	_ = appsv1.AddToScheme(scheme)
	labels := map[string]string{"app": "web"}
	live := &appsv1.Deployment{ // as returned by a client: without apiVersion and kind
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", ResourceVersion: "5"},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "shop/web:1"}}}}},
	}
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	patch := patchlab.Bytes(`{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"shop/web:2"}]}}}}`)
	result, err := lab.Patch(clientobject.Input{Object: live, Scheme: scheme}, patch, patchlab.PatchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	var after appsv1.Deployment
	if err := clientobject.Into(result.Object(), &after); err != nil {
		log.Fatal(err)
	}
	app := after.Spec.Template.Spec.Containers[0]
	fmt.Println(app.Image, app.ImagePullPolicy, *after.Spec.Replicas, after.Generation)
}
