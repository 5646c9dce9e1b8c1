package patchlabtest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// TestWebhookOfAService: a webhook that is configured by its service is called at the URL that Options.Service returns.
func TestWebhookOfAService(t *testing.T) {
	hook := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: &metav1.Status{Message: "refused at " + r.URL.Path}}
		_ = json.NewEncoder(w).Encode(review)
	}))
	certificate := certificateFor(t, "guard.system.svc")
	hook.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	hook.StartTLS()
	defer hook.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	type service struct {
		namespace, name string
		port            int32
	}
	var asked []service
	s := newServer(t, patchlabtest.Options{Service: func(namespace, name string, port int32) (*url.URL, error) {
		asked = append(asked, service{namespace, name, port})
		return url.Parse(hook.URL)
	}})
	client := clientOf(t, s.Config())
	path, none, port := "/validate", admissionregistrationv1.SideEffectClassNone, int32(9443)
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "guard"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "guard.example.com", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{CABundle: authority,
				Service: &admissionregistrationv1.ServiceReference{Namespace: "system", Name: "guard", Path: &path, Port: &port}},
			Rules: []admissionregistrationv1.RuleWithOperations{{Operations: []admissionregistrationv1.OperationType{"CREATE"},
				Rule: admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}}},
		}}}
	if _, err := client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(), configuration, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("a"), metav1.CreateOptions{})
	if err == nil || !strings.Contains(err.Error(), "refused at /validate") {
		t.Errorf("the create is answered with %v", err)
	}
	if want := (service{"system", "guard", 9443}); len(asked) == 0 || asked[0] != want {
		t.Errorf("asked for the services %v, want %v", asked, want)
	}
}

// TestPoliciesAskForRoles: with RBAC, the authorizer in an admission policy knows the roles in the cluster.
func TestPoliciesAskForRoles(t *testing.T) {
	deny := admissionregistrationv1.Deny
	values := []any{
		&admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "readers"}, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{Operations: []admissionregistrationv1.OperationType{"CREATE"},
					Rule: admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}}}}},
			Validations: []admissionregistrationv1.Validation{{Message: "only who reads secrets",
				Expression: "authorizer.group('').resource('secrets').namespace('default').check('get').allowed()"}},
		}},
		&admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "readers"},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: "readers", ValidationActions: []admissionregistrationv1.ValidationAction{deny}}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "writer"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"create"}}}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "reader"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}}}},
	}
	for name, users := range map[string][]string{"writer": {"ada", "ben"}, "reader": {"ada"}} {
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}}
		for _, user := range users {
			binding.Subjects = append(binding.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: user})
		}
		values = append(values, binding)
	}
	s := newServer(t, patchlabtest.Options{RBAC: true, Values: values})
	for user, allowed := range map[string]bool{"ada": true, "ben": false} {
		_, err := clientOf(t, s.ConfigFor(user)).CoreV1().ConfigMaps("default").Create(t.Context(), configMap(user), metav1.CreateOptions{})
		if (err == nil) != allowed || !allowed && !strings.Contains(err.Error(), "only who reads secrets") {
			t.Errorf("%s creates: %v", user, err)
		}
	}
}

// certificateFor returns a certificate of a server, which is its own authority.
func certificateFor(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}
