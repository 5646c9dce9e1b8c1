package clients

import (
	"slices"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestServiceAccountToken uses a token of a service account as a pod does, and reviews it as a
// server does that pods call.
func TestServiceAccountToken(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	ctx := t.Context()
	c := kubernetes.NewForConfigOrDie(cfg)
	account, err := c.CoreV1().ServiceAccounts(ns).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "builder"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	issued, err := c.CoreV1().ServiceAccounts(ns).CreateToken(ctx, "builder", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	review := func() authenticationv1.TokenReviewStatus {
		t.Helper()
		r, err := c.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: issued.Status.Token}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Status
	}
	status := review()
	if user := status.User; !status.Authenticated || user.Username != "system:serviceaccount:"+ns+":builder" || user.UID != string(account.UID) ||
		!slices.Contains(user.Groups, "system:serviceaccounts:"+ns) || !slices.Equal(status.Audiences, issued.Spec.Audiences) {
		t.Errorf("the status of the review is %+v", status)
	}

	pod := rest.AnonymousClientConfig(cfg)
	pod.BearerToken = issued.Status.Token
	who, err := kubernetes.NewForConfigOrDie(pod).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if who.Status.UserInfo.Username != status.User.Username {
		t.Errorf("requests with the token are from %+v", who.Status.UserInfo)
	}

	// kube-apiserver remembers for ten seconds that a token was valid, so the review after the
	// deletion is of another token.
	if issued, err = c.CoreV1().ServiceAccounts(ns).CreateToken(ctx, "builder", &authenticationv1.TokenRequest{}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.CoreV1().ServiceAccounts(ns).Delete(ctx, "builder", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if status := review(); status.Authenticated || status.Error != `[invalid bearer token, serviceaccounts "builder" not found]` {
		t.Errorf("the status of the review is %+v after the account was deleted", status)
	}
}
