package operator

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// assets is the environment variable with the folder of the programs that envtest starts.
const assets = "KUBEBUILDER_ASSETS"

// kubeVersion is the Kubernetes version of the installed programs: not the default.
const kubeVersion = "1.35"

// installPrograms makes envtest start patchlab, unless the tests run against the programs of
// Kubernetes.
func installPrograms(t testing.TB) {
	t.Helper()
	if os.Getenv(assets) != "" {
		return
	}
	program := filepath.Join(t.TempDir(), "patchlab-admission")
	build := exec.Command("go", "build", "-o", program, "./cmd/patchlab-admission")
	build.Dir = "../../admission"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", program, err, out)
	}
	folder := filepath.Join(t.TempDir(), "k8s")
	out, err := exec.Command(program, "envtest", "--dir", folder, "--kube-version", kubeVersion).CombinedOutput()
	if err != nil || string(out) != folder+"\n" {
		t.Fatalf("patchlab-admission envtest: %v, printed %q, want the folder alone", err, out)
	}
	t.Setenv(assets, folder)
}

// BenchmarkEnvtest measures the start of an environment with a CustomResourceDefinition and two
// webhooks, and its stop.
func BenchmarkEnvtest(b *testing.B) {
	installPrograms(b)
	for b.Loop() {
		environment := newEnvironment()
		if _, err := environment.Start(); err != nil {
			b.Fatal(err)
		}
		if err := environment.Stop(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPrograms runs envtest, unchanged, with the programs of 'patchlab envtest'.
func TestPrograms(t *testing.T) {
	installPrograms(t)
	environment := newEnvironment()
	server := environment.ControlPlane.GetAPIServer()
	server.Configure().Append("disable-admission-plugins", "Priority")
	testOperator(t, start(t, environment))
	admin := clientset(t, environment.Config)

	for _, c := range []struct {
		name     string
		config   func() *rest.Config
		user     string
		groups   []string
		can      bool // list ConfigMaps
		rejected bool // with 401
	}{
		{name: "a user of envtest's authority", user: "reader", groups: []string{"readers", "system:authenticated"}, config: func() *rest.Config {
			return addUser(t, environment, "reader", "readers")
		}},
		{name: "a member of system:masters", user: "root", groups: []string{"system:masters", "system:authenticated"}, can: true, config: func() *rest.Config {
			return addUser(t, environment, "root", "system:masters")
		}},
		{name: "a certificate of another environment", rejected: true, config: func() *rest.Config {
			other := &envtest.Environment{}
			if _, err := other.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = other.Stop() })
			foreign := rest.CopyConfig(environment.Config)
			user := addUser(t, other, "root", "system:masters")
			foreign.CertData, foreign.KeyData = user.CertData, user.KeyData
			return foreign
		}},
		{name: "the certificate precedes a token", user: "reader", groups: []string{"system:authenticated"}, config: func() *rest.Config {
			config := addUser(t, environment, "reader")
			config.BearerToken = "none"
			return config
		}},
		{name: "a wrong token", rejected: true, config: func() *rest.Config {
			config := rest.AnonymousClientConfig(environment.Config)
			config.BearerToken = "none"
			return config
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := clientset(t, c.config())
			review, err := client.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
			if c.rejected {
				if !apierrors.IsUnauthorized(err) {
					t.Errorf("the error is %v, want 401", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			user := review.Status.UserInfo
			if user.Username != c.user || !slices.Equal(user.Groups, c.groups) {
				t.Errorf("the user is %+v", user)
			}
			if id := user.Extra["authentication.kubernetes.io/credential-id"]; len(id) != 1 || !strings.HasPrefix(id[0], "X509SHA256=") {
				t.Errorf("the extra fields of the user are %v", user.Extra)
			}
			_, err = client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
			if c.can && err != nil || !c.can && !apierrors.IsForbidden(err) {
				t.Errorf("listing ConfigMaps: %v", err)
			}
		})
	}

	t.Run("the kinds are those of the installed version", func(t *testing.T) {
		version, err := admin.Discovery().ServerVersion()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(version.GitVersion, "patchlab") && version.Major+"."+version.Minor != kubeVersion {
			t.Errorf("the version is %s, want %s", version.GitVersion, kubeVersion)
		}
	})
	t.Run("requests without credentials are anonymous", func(t *testing.T) {
		_, err := clientset(t, rest.AnonymousClientConfig(environment.Config)).CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
		const want = `configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"`
		if err == nil || err.Error() != want {
			t.Errorf("listing ConfigMaps: %v\nwant %s", err, want)
		}
	})
	t.Run("kube-apiserver's admission plugins run unless they are disabled", func(t *testing.T) {
		_, err := admin.CoreV1().ConfigMaps("nowhere").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		if !apierrors.IsNotFound(err) {
			t.Errorf("creating an object in a namespace that does not exist: %v", err)
		}
		pod := &corev1.Pod{ObjectMeta: meta("a"), Spec: corev1.PodSpec{PriorityClassName: "none", Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		pod, err = admin.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil || len(pod.Spec.Tolerations) != 2 || pod.Spec.Priority != nil {
			t.Errorf("a pod without the plugin Priority: %v, %+v", err, pod.Spec)
		}
	})
}

func addUser(t *testing.T, environment *envtest.Environment, name string, groups ...string) *rest.Config {
	t.Helper()
	user, err := environment.AddUser(envtest.User{Name: name, Groups: groups}, rest.AnonymousClientConfig(environment.Config))
	if err != nil {
		t.Fatal(err)
	}
	return user.Config()
}

func clientset(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
