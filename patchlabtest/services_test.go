package patchlabtest_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

func nodePortService(name string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80}}}}
}

// TestServicesGetAddresses: a Service gets a cluster IP and a node port, which no other Service can have.
func TestServicesGetAddresses(t *testing.T) {
	s := newServer(t, patchlabtest.Options{Values: []any{nodePortService("first")}})
	client := clientOf(t, s.Config())
	services := client.CoreV1().Services("default")
	first, err := services.Get(t.Context(), "first", metav1.GetOptions{})
	if err != nil || first.Spec.ClusterIP == "" || first.Spec.Ports[0].NodePort == 0 {
		t.Fatalf("a Service of the options is %+v, %v", first.Spec, err)
	}
	second, err := services.Create(t.Context(), nodePortService("second"), metav1.CreateOptions{})
	if err != nil || second.Spec.ClusterIP == "" || second.Spec.ClusterIP == first.Spec.ClusterIP || second.Spec.Ports[0].NodePort == first.Spec.Ports[0].NodePort {
		t.Errorf("the second Service is %+v, %v, after %+v", second.Spec, err, first.Spec)
	}
	third := nodePortService("third")
	third.Spec.ClusterIP = first.Spec.ClusterIP
	if _, err := services.Create(t.Context(), third, metav1.CreateOptions{}); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "already allocated") {
		t.Errorf("a Service with the cluster IP of another one: %v", err)
	}
	address, err := client.NetworkingV1().IPAddresses().Get(t.Context(), second.Spec.ClusterIP, metav1.GetOptions{})
	if err != nil || address.Spec.ParentRef == nil || address.Spec.ParentRef.Name != "second" {
		t.Errorf("the IPAddress is %+v, %v", address, err)
	}
}

// TestSeedMakesAddressesRepeatable: Services that are created in the same order have the same cluster IPs and node ports.
func TestSeedMakesAddressesRepeatable(t *testing.T) {
	var want corev1.ServiceSpec
	for run := range 2 {
		services := clientOf(t, newServer(t, patchlabtest.Options{Seed: 7}).Config()).CoreV1().Services("default")
		made, err := services.Create(t.Context(), nodePortService("a"), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if run == 0 {
			want = made.Spec
		}
		if made.Spec.ClusterIP != want.ClusterIP || made.Spec.Ports[0].NodePort != want.Ports[0].NodePort {
			t.Errorf("the Service is %+v, then %+v", want, made.Spec)
		}
	}
}

// TestNoAddresses: a Service keeps what it specifies, and gets no other addresses.
func TestNoAddresses(t *testing.T) {
	services := clientOf(t, newServer(t, patchlabtest.Options{NoAddresses: true}).Config()).CoreV1().Services("default")
	made, err := services.Create(t.Context(), nodePortService("a"), metav1.CreateOptions{})
	if err != nil || made.Spec.ClusterIP != "" || made.Spec.Ports[0].NodePort != 0 {
		t.Errorf("the Service is %+v, %v", made.Spec, err)
	}
}
